"""The plan of a batch, from the statistics of those before it (spec robust 3.2).

A choice takes a few comparisons. It is not the search that is asked, nor the optimizer: the costs
of known plans are, where the placement cannot carry the plan of the region, or to stay with the
current one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Generic

from slackwater.robust.optimizer import Optimizer, Plan
from slackwater.robust.plan_set import Leaf, PlanSet
from slackwater.robust.region_tree import Node, region_tree, walk


@dataclass(frozen=True, slots=True)
class Chosen:
    """The number of a plan.

    ``is_outside``: the statistics lie beyond the space, and its boundary was taken. ``is_second``:
    the plan of the region cannot be carried, and this is the cheapest of those that can.
    """

    plan: int
    is_outside: bool = False
    is_second: bool = False


@dataclass(frozen=True, slots=True)
class Classifier(Generic[Plan]):
    """Plans by statistics. ``carried`` are those that the placement can carry, by number.

    ``hysteresis`` is how much worse than another plan the current one may be and still stay.
    A classifier never changes: another set is another classifier, put in its place.
    """

    plans: PlanSet[Plan]
    optimizer: Optimizer[Plan]
    tree: Node
    carried: frozenset[int]
    hysteresis: float = 0.0

    def choose(self, point: Sequence[float], current: int | None = None) -> Chosen:
        """The plan for a point, ordered like the dimensions of the space."""
        number = walk(self.tree, point)
        is_settled = number < 0
        if is_settled:
            number = -number - 1
        dimensions = self.plans.space.dimensions
        is_outside = any(
            not one.lo <= x <= one.hi for one, x in zip(dimensions, point, strict=True)
        )
        is_second = number not in self.carried
        if is_second:
            number = min(self.carried, key=lambda plan: (self._cost(plan, point), plan))
        is_second = is_second or is_settled
        if self._stays(current, number, point):
            assert current is not None
            return Chosen(current, is_outside, is_second)
        return Chosen(number, is_outside, is_second)

    def _stays(self, current: int | None, best: int, point: Sequence[float]) -> bool:
        if not self.hysteresis or current in {None, best} or current not in self.carried:
            return False
        allowed = (1 + self.hysteresis) * self._cost(best, point)
        return self._cost(current, point) <= allowed

    def _cost(self, plan: int, point: Sequence[float]) -> float:
        return self.optimizer.cost(self.plans.plans[plan], self.plans.space.clamp(point))


def classifier(
    plans: PlanSet[Plan],
    optimizer: Optimizer[Plan],
    carried: Sequence[int] | None = None,
    hysteresis: float = 0.0,
    *,
    is_settled: bool = True,
) -> Classifier[Plan]:
    """A classifier of a plan set; without a placement every plan can be carried.

    With ``is_settled`` it is decided now, for each part of the space by its upper corner, which
    plan takes the place of one that cannot be carried. Without, costs are compared at every such
    point: a little better, and slow where there are many plans.
    """
    able = frozenset(range(len(plans.plans)) if carried is None else carried)
    if not able:
        raise ValueError("a placement that carries no plan has nothing to choose among")
    known = _settled(plans, optimizer, able) if is_settled else plans
    return Classifier(plans, optimizer, region_tree(known), able, hysteresis)


def _settled(
    plans: PlanSet[Plan], optimizer: Optimizer[Plan], able: frozenset[int]
) -> PlanSet[Plan]:
    """With another plan where one cannot be carried, as a number below 0."""

    def second(leaf: Leaf) -> int:
        corner = plans.space.at(leaf.box.hi)
        return min(able, key=lambda n: (optimizer.cost(plans.plans[n], corner), n))

    leaves = (
        leaf if leaf.plan in able else replace(leaf, plan=-second(leaf) - 1)
        for leaf in plans.leaves
    )
    return replace(plans, leaves=tuple(leaves))


@dataclass(frozen=True, slots=True)
class Tally:
    """What was chosen so far: how often, how often another plan than before, and why."""

    decisions: int = 0
    switches: int = 0
    outside: int = 0
    second: int = 0
    plan: int | None = None

    def after(self, chosen: Chosen) -> Tally:
        is_switch = self.plan is not None and chosen.plan != self.plan
        return replace(
            self,
            decisions=self.decisions + 1,
            switches=self.switches + is_switch,
            outside=self.outside + chosen.is_outside,
            second=self.second + chosen.is_second,
            plan=chosen.plan,
        )
