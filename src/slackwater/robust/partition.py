"""A space that is being cut into parts with robust plans: what all searches by boxes do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Generic

from slackwater.robust.box import Box, Lines
from slackwater.robust.cut import Cutter
from slackwater.robust.optimizer import Counted, Plan, cheapest
from slackwater.robust.plan_set import Leaf, PlanSet, Stopped
from slackwater.robust.robustness import is_corner_robust


@dataclass(slots=True)
class Partition(Generic[Plan]):
    """Plans by their numbers, leaves, and how many boxes were looked at."""

    known: Counted[Plan]
    eps: float
    cutter: Cutter
    budget: int | None = None
    plans: dict[Plan, int] = field(default_factory=dict)
    leaves: list[Leaf] = field(default_factory=list)
    steps: int = 0

    @property
    def is_spent(self) -> bool:
        """Whether the optimizer may not be asked for both corners of another box."""
        return self.budget is not None and self.known.calls + 2 > self.budget

    def settle(self, box: Box) -> list[Box]:
        """Attach a box to a robust plan, or cut it; a single cell takes the plan of its upper
        corner.
        """
        self.steps += 1
        plan = self.known.at(box.lo)
        if is_corner_robust(self.known, plan, box, self.eps):
            self.attach(box, plan)
        elif box.is_unit:
            self.attach(box, self.known.at(box.hi))
        else:
            return self.cutter.cut(self.known, box)
        return []

    def number(self, plan: Plan) -> int:
        """The number of a plan, which is part of the set from now on."""
        return self.plans.setdefault(plan, len(self.plans))

    def attach(self, box: Box, plan: Plan, *, is_fallback: bool = False) -> None:
        self.leaves.append(Leaf(box, self.number(plan), is_fallback))

    def leave(self, left: Iterable[Box]) -> None:
        """Give boxes that nobody looked at to the cheapest plan known; no other is asked for."""
        for box in left:
            plans = tuple(self.plans) or (self.known.at(box.hi),)
            self.attach(box, plans[cheapest(self.known, plans, box.hi)], is_fallback=True)

    def plan_of(self, point: Lines) -> Plan:
        """The plan that a point of the grid is attached to."""
        return list(self.plans)[self.leaves[self._place(point)].plan]

    def reopen(self, point: Lines) -> list[Box]:
        """Cut the leaf that a point of the grid is in, there; it is a leaf no longer."""
        place = self._place(point)
        box = self.leaves[place].box
        if box.is_unit:
            return []
        del self.leaves[place]
        ends = zip(box.lo, point, box.hi, strict=True)
        return box.split(tuple(x if lo < x < hi else (lo + hi) // 2 for lo, x, hi in ends))

    def _place(self, point: Lines) -> int:
        last = self.known.space.units - 1
        cell = tuple(min(last, line) for line in point)
        return next(n for n, leaf in enumerate(self.leaves) if leaf.box.contains(cell))

    def found(self, stopped: Stopped) -> PlanSet[Plan]:
        """What came of it."""
        return PlanSet(
            self.known.space,
            self.eps,
            tuple(self.plans),
            tuple(self.leaves),
            self.known.calls,
            self.steps,
            stopped,
            self.cutter.updates,
            self.cutter.possible,
        )
