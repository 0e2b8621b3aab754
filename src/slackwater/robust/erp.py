"""Early-terminated robust partitioning: stop when no new plan has come for long (robust 2.5).

``erp`` joins Algorithms 2 and 3 of the source work; ``erp_literal`` is Algorithm 3 as printed, that
drops every part whose upper corner has a known plan, tests nothing there and keeps no regions.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heappop, heappush
from random import Random
from typing import Literal

from slackwater.robust.box import Box
from slackwater.robust.cut import DEFAULT, Cutter, Weighing
from slackwater.robust.guarantee import Guarantee
from slackwater.robust.optimizer import Counted, Plan
from slackwater.robust.partition import Partition
from slackwater.robust.plan_set import PlanSet, Stopped
from slackwater.robust.robustness import is_near_best

Turn = Literal["largest", "lifo"]
USUAL = Guarantee()


class Waiting:
    """Boxes not looked at yet: the largest first, or the last that came as in the source work."""

    def __init__(self, turn: Turn, boxes: Iterable[Box]) -> None:
        self._turn: Turn = turn
        self._heap: list[tuple[int, int, Box]] = []
        self._came = 0
        self.push(boxes)

    def push(self, boxes: Iterable[Box]) -> None:
        for box in boxes:
            self._came += 1
            first = -box.volume if self._turn == "largest" else -self._came
            heappush(self._heap, (first, self._came, box))

    def pop(self) -> Box:
        return heappop(self._heap)[2]

    def __len__(self) -> int:
        return len(self._heap)

    def rest(self) -> list[Box]:
        return [box for _, _, box in sorted(self._heap)]


def erp(
    known: Counted[Plan],
    eps: float,
    *,
    guarantee: Guarantee = USUAL,
    turn: Turn = "largest",
    weighing: Weighing | None = DEFAULT,
    budget: int | None = None,
    verify: int | None = None,
) -> PlanSet[Plan]:
    """The plans of the space, as far as they show themselves in time.

    Parameters
    ----------
    known
        Who is asked for best plans, and the space.
    eps
        ε: how much worse than the best a plan may be, 0.1 for a tenth.
    guarantee
        α and δ: when to stop. Parts that are left then go to the cheapest plan that is known.
    turn
        Which part is looked at next. Of a stack (``"lifo"``), as in the source work, an early end
        leaves whole quarters of the space.
    budget
        The most calls of the optimizer.
    verify
        A seed: uniform probes after the end, and cuts where the plan of a part is not near the
        best at one of them. Only then the guarantee holds as it is worded, and only then anything
        is promised of points between corners: where all is symmetric, one plan may be the best at
        both corners and bad all between.
    """
    part, draw = Partition(known, eps, Cutter(weighing), budget), Random(verify)
    waiting = Waiting(turn, [known.space.whole])
    while waiting:
        stopped = _settle(part, waiting, guarantee)
        part.leave(waiting.rest())
        is_proved = verify is None or stopped == "budget"
        waiting = Waiting(turn, [] if is_proved else _unproved(part, guarantee.probes, draw))
    return part.found(stopped)


def _settle(part: Partition[Plan], waiting: Waiting, guarantee: Guarantee) -> Stopped:
    """Look at boxes until none is left or none shows a new plan any more; why it ended."""
    missed = 0
    while waiting:
        if missed > guarantee.threshold:
            return "aged"
        if part.is_spent:
            return "budget"
        box = waiting.pop()
        plan = part.known.at(box.hi)
        missed = missed + 1 if plan in part.plans else 0
        part.number(plan)
        waiting.push(part.settle(box))
    return "exhausted"


def _unproved(part: Partition[Plan], probes: int, draw: Random) -> list[Box]:
    """A part with a point where its plan is not near the best, cut there; none if uniform probes
    find no such part.

    What the theorems speak of, that some plan of the set is near the best, follows from it.
    """
    space = part.known.space
    for _ in range(probes):
        point = tuple(draw.randint(0, space.units) for _ in space.free)
        if part.is_spent:
            break
        if not is_near_best(part.known, part.plan_of(point), point, part.eps):
            part.number(part.known.at(point))
            if opened := part.reopen(point):
                return opened
    return []


def erp_literal(
    known: Counted[Plan],
    eps: float,
    *,
    guarantee: Guarantee = USUAL,
    weighing: Weighing | None = DEFAULT,
    budget: int | None = None,
) -> PlanSet[Plan]:
    """Algorithm 3 as printed: few calls, ε is not used, and nothing is said of regions."""
    part = Partition(known, eps, Cutter(weighing), budget)
    stack, missed = [known.space.whole], 0
    stopped: Stopped = "exhausted"
    while stack:
        if missed > guarantee.threshold or part.is_spent:
            stopped = "budget" if part.is_spent else "aged"
            break
        box = stack.pop()
        part.steps += 1
        plan = known.at(box.hi)
        if plan in part.plans:
            missed += 1
            continue
        part.number(plan)
        missed = 0
        if not box.is_unit:
            stack.extend(part.cutter.cut(known, box))
    return part.found(stopped)
