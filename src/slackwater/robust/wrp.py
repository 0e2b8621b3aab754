"""Weight-driven robust partitioning: cut until all parts have a robust plan (2.4, Alg. 2)."""

from __future__ import annotations

from slackwater.robust.cut import DEFAULT, Cutter, Weighing
from slackwater.robust.optimizer import Counted, Plan
from slackwater.robust.partition import Partition
from slackwater.robust.plan_set import PlanSet, Stopped


def wrp(
    known: Counted[Plan],
    eps: float,
    *,
    weighing: Weighing | None = DEFAULT,
    budget: int | None = None,
) -> PlanSet[Plan]:
    """Parts with the plan of their lower corner, where that is robust; else the part is cut.

    At worst as many calls as an exhaustive search.
    """
    part = Partition(known, eps, Cutter(weighing), budget)
    work = [known.space.whole]
    stopped: Stopped = "exhausted"
    while work:
        if part.is_spent:
            stopped = "budget"
            break
        work.extend(part.settle(work.pop()))
    part.leave(work)
    return part.found(stopped)
