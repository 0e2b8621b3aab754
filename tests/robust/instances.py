"""Pipelines and demands: those of the specification, and others at random."""

from __future__ import annotations

import random

from slackwater.robust.optimizer import Counted
from slackwater.robust.pipeline import Axis, Operator, Order, Pipeline
from slackwater.robust.placement.placement import Demand
from slackwater.robust.space import ParameterSpace, parameter_space

PIPELINE = Pipeline(
    (Operator(3, 0.5), Operator(2, 0.6), Operator(1, 0.7)),
    100.0,
    (Axis("share", 0), Axis("share", 2)),
)


def space_of(units: int = 16) -> ParameterSpace:
    """Of the pipeline of §8.2; its third operator may multiply."""
    return parameter_space({"first": 0.5, "third": 0.7}, 5, kinds={"third": "fan_out"}, units=units)


def example(units: int = 16) -> Counted[Order]:
    return Counted(PIPELINE, space_of(units))


def drawn(
    draw: random.Random, operators: int = 8, dimensions: int = 2, level: int = 3, units: int = 20
) -> Counted[Order]:
    """A pipeline whose first selectivities are uncertain."""
    parts = tuple(Operator(draw.uniform(0.5, 3), draw.uniform(0.1, 0.95)) for _ in range(operators))
    found = {f"op{n}": parts[n].share for n in range(dimensions)}
    axes = tuple(Axis("share", n) for n in range(dimensions))
    kinds = dict.fromkeys(found, "fan_out")
    space = parameter_space(found, level, kinds=kinds, units=units)  # type: ignore[arg-type]
    return Counted(Pipeline(parts, 100.0, axes), space)


# Table II of the source work, as printed
TABLE = ((50, 60, 85, 100, 40), (55, 40, 90, 70, 60), (90, 90, 65, 50, 70))
FALLING, RISING = (0.5, 0.3, 0.2), (0.2, 0.3, 0.5)


def table(
    capacity: float, weights: tuple[float, ...] = FALLING, first_of_third: float = 90
) -> Demand:
    """Two nodes; ``first_of_third``: what operator 1 costs under plan 3 (90 printed, 110 meant)."""
    loads = (*TABLE[:2], (first_of_third, *TABLE[2][1:]))
    return Demand(tuple(tuple(map(float, row)) for row in loads), weights, (capacity, capacity))


def demand(
    draw: random.Random, operators: int, nodes: int, plans: int, slack: float, *, even: bool = True
) -> Demand:
    """Plans at random; together nodes have ``slack`` times the mean load."""
    loads = tuple(tuple(draw.uniform(1, 10) for _ in range(operators)) for _ in range(plans))
    each = sum(map(sum, loads)) / plans / nodes * slack
    weights = [draw.random() for _ in range(plans)]
    capacities = [each * (1 if even else draw.choice((0.7, 1.0, 1.3))) for _ in range(nodes)]
    total = sum(weights)
    return Demand(loads, tuple(w / total for w in weights), tuple(capacities))


def groups(*parts: str) -> tuple[int, ...]:
    """A placement, by the operators of each node, numbered from 1 as in the source work."""
    at = {int(digit) - 1: node for node, part in enumerate(parts) for digit in part}
    return tuple(at[operator] for operator in range(len(at)))
