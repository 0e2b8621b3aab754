"""As few plans as do: parts of a space go to plans that are near the best all around them."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from slackwater.robust.box import Box, Lines
from slackwater.robust.optimizer import Counted, Plan
from slackwater.robust.plan_set import PlanSet
from slackwater.robust.robustness import is_near_best

FEW = 4  # dimensions up to which all corners are looked at


def merged(known: Counted[Plan], found: PlanSet[Plan]) -> PlanSet[Plan]:
    """The same leaves with fewer plans; greedy, the plan that is good for most of the space first.

    Many plans differ in next to nothing. A leaf may take another plan than its own where that is
    near the best at its centre and at all corners: to merge by two corners, as Definition 1 would
    have it, leaves plans that are good along a diagonal and nowhere else. Where nothing was tested
    nothing is changed.
    """
    around = [_around(leaf.box) for leaf in found.leaves]

    def is_good(plan: int, number: int) -> bool:
        leaf = found.leaves[number]
        if plan == leaf.plan or leaf.is_fallback:
            return plan == leaf.plan
        return all(is_near_best(known, found.plans[plan], at, found.eps) for at in around[number])

    leaves = range(len(found.leaves))
    covers = [{n for n in leaves if is_good(plan, n)} for plan in range(len(found.plans))]
    left, chosen = set(leaves), dict[int, int]()
    while left:
        plan = max(range(len(covers)), key=lambda one: (_size(found, covers[one] & left), -one))
        chosen |= dict.fromkeys(covers[plan] & left, plan)
        left -= covers[plan]
    used = sorted(set(chosen.values()))
    place = {plan: number for number, plan in enumerate(used)}
    again = (replace(found.leaves[n], plan=place[chosen[n]]) for n in leaves)
    plans = tuple(found.plans[plan] for plan in used)
    return replace(found, plans=plans, leaves=tuple(again), calls=known.calls)


def _around(box: Box) -> list[Lines]:
    """Corners and centre; of many dimensions the corners that differ from one in one of them."""
    if len(box.lo) <= FEW:
        return [box.hi, box.center, *product(*zip(box.lo, box.hi, strict=True))]
    axes = range(len(box.lo))
    single = [(*box.lo[:n], box.hi[n], *box.lo[n + 1 :]) for n in axes]
    return [box.hi, box.lo, box.center, *single]


def _size(found: PlanSet[Plan], some: set[int]) -> int:
    return sum(found.leaves[number].box.volume for number in some)
