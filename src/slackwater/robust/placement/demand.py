"""What the plans of a set ask of nodes: the load of each operator where it is heaviest (1.7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from slackwater.robust.box import Box
from slackwater.robust.optimizer import Optimizer, Plan
from slackwater.robust.placement.placement import Demand
from slackwater.robust.plan_set import PlanSet
from slackwater.robust.space import Point
from slackwater.robust.weight import weights_of

Where = Literal["hi", "center", "estimate"]
USED = 0.8  # of a node may be planned for


def demand_of(
    plans: PlanSet[Plan],
    optimizer: Optimizer[Plan],
    capacities: Sequence[float],
    *,
    weights: Sequence[float] | None = None,
    where: Where = "hi",
) -> Demand:
    """Loads of each plan at the upper corners of its region, where every operator has most to do.

    ``where`` may ask for the centres of its region, or for the estimate, instead. Weights are those
    of normal distributions if none are given. A plan without a region has no weight, and the loads
    of the estimate.
    """
    found = []
    for number, plan in enumerate(plans.plans):
        points = [_point(plans, box, where) for box in plans.region(number)]
        each = [optimizer.loads(plan, point) for point in points or [plans.space.estimate]]
        found.append(tuple(map(max, zip(*each, strict=True))))
    known = weights_of(plans) if weights is None else weights
    return Demand(tuple(found), tuple(known), tuple(capacities))


def _point(plans: PlanSet[Plan], box: Box, where: Where) -> Point:
    if where == "estimate":
        return plans.space.estimate
    return plans.space.at(box.hi if where == "hi" else box.center)
