"""How much of a space has a plan that is good there: point by point, not by corners (1.6, 1.9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from random import Random

from slackwater.robust.box import Box
from slackwater.robust.distribution import Distribution, probability
from slackwater.robust.optimizer import Optimizer, Plan
from slackwater.robust.plan_set import PlanSet
from slackwater.robust.robustness import is_within
from slackwater.robust.space import ParameterSpace, Point


@dataclass(frozen=True, slots=True)
class Probe:
    """A point that is looked at, and how much it counts."""

    point: Point
    weight: float = 1.0


def grid(
    space: ParameterSpace, parts: int, distributions: Sequence[Distribution] | None = None
) -> list[Probe]:
    """The centres of so many parts in each dimension, which count alike or as they are probable."""
    found = []
    for cell in product(range(parts), repeat=len(space.free)):
        lo = tuple(space.units * n // parts for n in cell)
        box = Box(lo, tuple(space.units * (n + 1) // parts for n in cell))
        found.append(Probe(_between(space, box), _weight(space, box, distributions)))
    return found


def sampled(
    space: ParameterSpace,
    count: int,
    seed: int,
    distributions: Sequence[Distribution] | None = None,
) -> list[Probe]:
    """Points anywhere in the space; they count alike or as their cells are probable."""
    draw, found = Random(seed), []
    for _ in range(count):
        point = tuple(draw.uniform(one.lo, one.hi) for one in space.dimensions)
        cell = space.cell(point)
        box = Box(cell, tuple(line + 1 for line in cell))
        found.append(Probe(point, _weight(space, box, distributions)))
    return found


def coverage(
    optimizer: Optimizer[Plan], plans: Sequence[Plan], probes: Sequence[Probe], eps: float
) -> float:
    """The share of points where one of some plans is at most ε worse than the best."""
    good = 0.0
    for probe in probes:
        best = optimizer.cost(optimizer.optimize(probe.point), probe.point)
        if any(is_within(optimizer.cost(plan, probe.point), best, eps) for plan in plans):
            good += probe.weight
    return good / sum(probe.weight for probe in probes)


def classified_coverage(
    optimizer: Optimizer[Plan], found: PlanSet[Plan], probes: Sequence[Probe], eps: float
) -> float:
    """The same of the plan that the regions name for each point."""
    good = 0.0
    for probe in probes:
        chosen = found.plans[found.plan_at(probe.point)]
        good += probe.weight * coverage(optimizer, [chosen], [Probe(probe.point)], eps)
    return good / sum(probe.weight for probe in probes)


def _between(space: ParameterSpace, box: Box) -> Point:
    ends = zip(space.at(box.lo), space.at(box.hi), strict=True)
    return tuple((lo + hi) / 2 for lo, hi in ends)


def _weight(space: ParameterSpace, box: Box, distributions: Sequence[Distribution] | None) -> float:
    return 1.0 if distributions is None else probability(space, box, distributions)
