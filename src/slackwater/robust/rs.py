"""Random search: points anywhere, until many in a row show no plan that is needed (robust 2.2)."""

from __future__ import annotations

from random import Random

from slackwater.robust.guarantee import Guarantee
from slackwater.robust.optimizer import Counted, Plan
from slackwater.robust.plan_set import PlanSet, Stopped
from slackwater.robust.robustness import is_near_best


def rs(
    known: Counted[Plan],
    eps: float,
    *,
    misses: int = Guarantee().probes,
    seed: int = 0,
    budget: int | None = None,
) -> PlanSet[Plan]:
    """Plans without regions: each is for the points where it is the cheapest of them.

    A point that was drawn before counts as one drawn again, and asks nothing.
    """
    draw, space = Random(seed), known.space
    plans: dict[Plan, None] = {}
    missed = drawn = 0
    stopped: Stopped = "aged"
    while missed < misses:
        if budget is not None and known.calls >= budget:
            stopped = "budget"
            break
        drawn += 1
        point = tuple(draw.randint(0, space.units) for _ in space.free)
        best = known.at(point)
        if best in plans or any(is_near_best(known, plan, point, eps) for plan in plans):
            missed += 1
        else:
            plans[best] = None
            missed = 0
    return PlanSet(space, eps, tuple(plans), (), known.calls, drawn, stopped)
