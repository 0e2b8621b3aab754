"""Who knows the best plan at a point, and what plans cost: asked, remembered and counted.

A search of robust plans knows nothing of plans but this. Asking for the best plan is dear and is
what searches are compared by; what a known plan costs is cheap.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from slackwater.robust.box import Lines
from slackwater.robust.space import ParameterSpace, Point

Plan = TypeVar("Plan", bound=Hashable)


class Optimizer(Protocol[Plan]):
    """Best plans, and costs. No cost may fall where a statistic rises."""

    def optimize(self, point: Point) -> Plan:
        """The best plan at a point."""
        ...

    def cost(self, plan: Plan, point: Point) -> float:
        """What a plan costs at a point."""
        ...

    def loads(self, plan: Plan, point: Point) -> tuple[float, ...]:
        """The same by operator, always in the same order: work in a unit of time."""
        ...


@dataclass(slots=True)
class Counted(Generic[Plan]):
    """An optimizer over a space. What was asked at a point of the grid is not asked again."""

    optimizer: Optimizer[Plan]
    space: ParameterSpace
    requests: int = 0
    _plans: dict[Lines, Plan] = field(default_factory=dict)

    @property
    def calls(self) -> int:
        """How often the optimizer was asked."""
        return len(self._plans)

    def at(self, lines: Lines) -> Plan:
        """The best plan where lines of the grid meet."""
        self.requests += 1
        if lines not in self._plans:
            self._plans[lines] = self.optimizer.optimize(self.space.at(lines))
        return self._plans[lines]

    def cost(self, plan: Plan, lines: Lines) -> float:
        return self.optimizer.cost(plan, self.space.at(lines))

    def best_cost(self, lines: Lines) -> float:
        return self.cost(self.at(lines), lines)

    def slope(self, plan: Plan, lines: Lines, dimension: int) -> float:
        """How much more a plan costs a line further, or than a line before at the boundary."""
        step = 1 if lines[dimension] < self.space.units else -1
        moved = (*lines[:dimension], lines[dimension] + step, *lines[dimension + 1 :])
        return (self.cost(plan, moved) - self.cost(plan, lines)) * step


def cheapest(known: Counted[Plan], plans: tuple[Plan, ...], lines: Lines) -> int:
    """The number of the plan that costs least at a point; of equal ones the first."""
    return min(range(len(plans)), key=lambda number: known.cost(plans[number], lines))
