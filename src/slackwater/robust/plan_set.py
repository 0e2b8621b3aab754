"""A set of plans for a space, and which of them is for which part of it: saved with a pipeline.

The robust logical solution of the source work (spec robust 1.6).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Literal

from slackwater.robust.box import Box
from slackwater.robust.optimizer import Plan
from slackwater.robust.space import ParameterSpace

VERSION = 1
Stopped = Literal["exhausted", "aged", "budget"]


@dataclass(frozen=True, slots=True)
class Leaf:
    """A part of the space, and the number of its plan.

    ``is_fallback`` if the search ended before it came here: the plan is the cheapest of those that
    were known, and nothing was tested.
    """

    box: Box
    plan: int
    is_fallback: bool = False


@dataclass(frozen=True, slots=True)
class PlanSet(Generic[Plan]):
    """Plans, and leaves that together are the space (none if a search keeps no regions).

    ``eps`` is how much worse than the best a plan may be. Of the search: how often the optimizer
    was asked, boxes looked at, why it ended, and how many weights of boxes were worked out anew
    (of how many that could have been).
    """

    space: ParameterSpace
    eps: float
    plans: tuple[Plan, ...]
    leaves: tuple[Leaf, ...]
    calls: int
    steps: int
    stopped: Stopped
    weighted: int = 0
    weightable: int = 0
    version: int = VERSION

    def region(self, plan: int) -> list[Box]:
        """The parts of the space that a plan is for (its robust region)."""
        return [leaf.box for leaf in self.leaves if leaf.plan == plan]

    def size(self, plan: int) -> float:
        """The share of the space that a plan is for (its size of robustness)."""
        return sum(box.volume for box in self.region(plan)) / self.space.whole.volume

    @property
    def fallback_share(self) -> float:
        """The share of the space where nothing was tested."""
        left = sum(leaf.box.volume for leaf in self.leaves if leaf.is_fallback)
        return left / self.space.whole.volume

    def plan_at(self, point: Sequence[float]) -> int:
        """The number of the plan for a point; one leaf after the other is looked at."""
        cell = self.space.cell(point)
        return next(leaf.plan for leaf in self.leaves if leaf.box.contains(cell))
