"""As few plans as are near the best all over a space: a search with bounded work.

Bounded, so that a set can be made in the decision step, which stays a function of what was seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic

from slackwater.robust.coverage import sampled
from slackwater.robust.erp import erp
from slackwater.robust.optimizer import Counted, Optimizer, Plan
from slackwater.robust.plan_set import PlanSet
from slackwater.robust.robustness import is_within
from slackwater.robust.rs import rs
from slackwater.robust.space import Dimension, ParameterSpace

PROBES = 64  # points where the plans of a set are compared with the best, at most
MOST_CUT = 4  # dimensions up to which a space is cut into boxes: a cut makes 2^d of them
MOST_LEARNED = 6  # dimensions of a space that is learned
SWINGS = 1.25  # the largest of what was seen, over the smallest: what swings less is certain
BEYOND = 1.2  # times a bound: from there on, a statistic is outside
CHANGED = 1.5  # the same of what was held to be certain


@dataclass(frozen=True, slots=True)
class Fewest(Generic[Plan]):
    """Plans; the share of the space in which each costs least, and in which one of them is within
    the tolerance.
    """

    plans: PlanSet[Plan]
    parts: tuple[float, ...]
    covered: float


def fewest(
    costs: Optimizer[Plan], space: ParameterSpace, eps: float, most: int, seed: int
) -> Fewest[Plan]:
    """Plans for a space; best ones are asked for ``most`` times, and at as many points compared."""
    found = _searched(costs, space, eps, most)
    count = min(PROBES, most)
    points = [probe.point for probe in sampled(space, count, seed=seed)]
    best = [costs.cost(costs.optimize(point), point) for point in points]
    prices = [[costs.cost(plan, point) for point in points] for plan in found.plans]
    least = [min(row) for row in zip(*prices, strict=True)]
    used = _few([_near(row, least, eps) for row in prices])
    wins = Counter(min(used, key=lambda plan: (prices[plan][n], plan)) for n in range(count))
    kept = replace(found, plans=tuple(found.plans[number] for number in used), leaves=())
    parts = tuple(wins[number] / count for number in used)
    good = set[int]().union(*(_near(prices[number], best, eps) for number in used))
    return Fewest(kept, parts, len(good) / count)


def _near(prices: Sequence[float], best: Sequence[float], eps: float) -> set[int]:
    """The points where a plan is near the best, or the best of those that there are."""
    both = enumerate(zip(prices, best, strict=True))
    return {number for number, (price, least) in both if is_within(price, least, eps)}


def _searched(
    costs: Optimizer[Plan], space: ParameterSpace, eps: float, most: int
) -> PlanSet[Plan]:
    """By boxes, cut in the middle (to weigh lines takes a hundred costs for each dimension); of
    many dimensions by points.
    """
    known = Counted(costs, space)
    if len(space.free) <= MOST_CUT:
        return erp(known, eps, budget=most, verify=0, weighing=None)
    return rs(known, eps, budget=most)


def _few(good: Sequence[set[int]]) -> list[int]:
    """As few plans as are good wherever one of all is: greedy, as `robust.merge` does by boxes."""
    left, used = set[int]().union(*good), list[int]()
    while left or not used:
        used.append(max(range(len(good)), key=lambda plan: (len(good[plan] & left), -plan)))
        left -= good[used[-1]]
    return used


def swings(
    seen: Mapping[str, Sequence[float]], by: Mapping[str, float] | None = None
) -> dict[str, tuple[float, float]]:
    """The bounds of what swings (more than ``by``), of many the ones that swing most."""
    bounds = {name: (min(values), max(values)) for name, values in seen.items()}
    least = by or {}
    swinging = [n for n, (lo, hi) in bounds.items() if hi > least.get(n, SWINGS) * lo]
    swinging.sort(key=lambda name: -bounds[name][1] / bounds[name][0])
    return {name: bounds[name] for name in swinging[:MOST_LEARNED]}


def is_outside(one: Dimension, value: float) -> bool:
    """Whether a statistic is beyond its bounds by more than chance."""
    by = CHANGED if one.is_certain else BEYOND
    return not one.lo / by <= value <= one.hi * by
