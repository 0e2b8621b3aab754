"""Two points of reference: one plan for ever, and one that knows each moment (spec robust 2.14)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

from slackwater.robust.optimizer import Optimizer, Plan
from slackwater.robust.placement.llf import balanced
from slackwater.robust.placement.placement import Placement
from slackwater.robust.space import Point


@dataclass(frozen=True, slots=True)
class Static(Generic[Plan]):
    """The best plan at the estimate, its operators spread by their loads there (STATIC)."""

    plan: Plan
    placement: Placement


def static(
    optimizer: Optimizer[Plan], estimate: Point, capacities: Sequence[float]
) -> Static[Plan]:
    """Optimised once; whether it fits is not asked."""
    plan = optimizer.optimize(estimate)
    return Static(plan, balanced(optimizer.loads(plan, estimate), capacities))


@dataclass(frozen=True, slots=True)
class Oracle(Generic[Plan]):
    """The best plan now, and the share of all nodes together that it takes (ORACLE)."""

    plan: Plan
    used: float


def oracle(optimizer: Optimizer[Plan], now: Point, capacities: Sequence[float]) -> Oracle[Plan]:
    """What nobody can do better than: the plan for this moment, on nodes that are one."""
    plan = optimizer.optimize(now)
    return Oracle(plan, optimizer.cost(plan, now) / sum(capacities))
