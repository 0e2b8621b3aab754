"""Exhaustive searches: all cells of the grid, or cuts at the centre (spec robust 2.1)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from slackwater.errors import SlackwaterError
from slackwater.robust.box import Box, Lines
from slackwater.robust.optimizer import Counted, Plan
from slackwater.robust.plan_set import Leaf, PlanSet
from slackwater.robust.robustness import is_within
from slackwater.robust.space import ParameterSpace
from slackwater.robust.wrp import wrp

MOST = 1_000_000  # cells; a grid of a hundred lines has that many in three dimensions


def cells(space: ParameterSpace) -> Iterator[Box]:
    """Every cell of the grid."""
    for lo in product(range(space.units), repeat=len(space.free)):
        yield Box(lo, tuple(line + 1 for line in lo))


def es_full(known: Counted[Plan], eps: float, *, is_merged: bool = True) -> PlanSet[Plan]:
    """The best plan at the upper corner of every cell, n^d calls; then as few plans as do.

    Without ``is_merged`` it is the plan diagram: all plans that are best anywhere.
    """
    space = known.space
    if space.whole.volume > MOST:
        message = f"{space.whole.volume:g} cells are too many to look at each"
        raise SlackwaterError("SEARCH_TOO_LARGE", message, "use erp, or fewer units or dimensions")
    best = {box: known.at(box.hi) for box in cells(space)}
    if is_merged:
        best = merged(known, best, eps)
    plans = {plan: number for number, plan in enumerate(dict.fromkeys(best.values()))}
    leaves = tuple(Leaf(box, plans[plan]) for box, plan in best.items())
    return PlanSet(space, eps, tuple(plans), leaves, known.calls, len(best), "exhausted")


def es_central(known: Counted[Plan], eps: float, *, budget: int | None = None) -> PlanSet[Plan]:
    """Cuts at the centre until the plan of every lower corner is robust."""
    return wrp(known, eps, weighing=None, budget=budget)


def merged(known: Counted[Plan], best: dict[Box, Plan], eps: float) -> dict[Box, Plan]:
    """Greedy: again and again the plan that is near the best on most cells not covered yet."""
    optimum = {box: known.cost(plan, box.hi) for box, plan in best.items()}
    plans = list(dict.fromkeys(best.values()))
    covers: dict[Plan, set[Box]] = {
        plan: {box for box, cost in optimum.items() if _is_near(known, plan, box.hi, cost, eps)}
        for plan in plans
    }
    left = set(best)
    chosen: dict[Box, Plan] = {}
    while left:
        plan = max(plans, key=lambda one: (len(covers[one] & left), -plans.index(one)))
        chosen |= dict.fromkeys(covers[plan] & left, plan)
        left -= covers[plan]
    return {box: chosen[box] for box in best}


def _is_near(known: Counted[Plan], plan: Plan, lines: Lines, best: float, eps: float) -> bool:
    return is_within(known.cost(plan, lines), best, eps)
