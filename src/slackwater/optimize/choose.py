"""One plan within the limits, or the one that comes nearest (spec adaptive 3.7 and 3.9)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Literal

from slackwater.optimize.bjtree_init import bjtree_init, smallest_tree
from slackwater.optimize.cost import Cost
from slackwater.optimize.fronts import best_plans, front
from slackwater.optimize.mjoin_init import mjoin_init
from slackwater.optimize.plan import Plan, Space, Strategy
from slackwater.plan.tree import Tree

STRATEGIES: tuple[Strategy, ...] = (mjoin_init, bjtree_init)
EXACT = 7  # inputs up to which the whole space is searched: a third of a second
FAR = 12  # inputs up to which strategies go on within the limits: tens of milliseconds
Scarce = Literal["cpu", "memory"]


@dataclass(frozen=True, slots=True)
class Choice:
    """A plan and those it was chosen among; ``is_exact`` if no plan at all is better than these."""

    plan: Plan
    front: tuple[Plan, ...]
    is_within: bool
    is_exact: bool
    scarce: Scarce

    @property
    def runner_up(self) -> Plan | None:
        """What would have been chosen next."""
        others = [plan for plan in self.front if plan.tree != self.plan.tree]
        return min(others, key=lambda plan: plan.cost.cpu, default=None)


def scarce(space: Space, limits: Cost) -> Scarce:
    """The resource that the plan which needs most of it would exceed most.

    An m-way join needs most work, binary joins most memory.
    """
    work = space.cost(space.node(space.known.names)).cpu
    rows = smallest_tree(space).cost.memory
    return "memory" if _ratio(rows, limits.memory) > _ratio(work, limits.cpu) else "cpu"


def choose(
    space: Space,
    limits: Cost = Cost(inf, inf),  # noqa: B008 - a value
    budget: float = 1.0,
    clock: Callable[[], float] = time.monotonic,
    exact: int = EXACT,
    *,
    tried: Sequence[Tree] = (),
) -> Choice:
    """The least work within the limits, from all plans of ``exact`` inputs at most, else from the
    strategies.

    These stop after ``budget`` seconds and give what they have; plans that were ``tried`` before
    are compared with theirs. Where no plan is within the limits, the one is chosen that exceeds
    them least.
    """
    is_exact = len(space.known.names) <= exact
    lacking = scarce(space, limits)
    offered = best_plans(space) if is_exact else _searched(space, limits, lacking, budget, clock)
    found = front([*offered, *(space.plan(space.best(tree)) for tree in tried)])
    within = [plan for plan in found if plan.cost.within(limits)]
    if within:
        plan = min(within, key=lambda one: (one.cost.cpu, one.cost.memory))
    else:
        plan = min(found, key=lambda one: excess(one.cost, limits))
    return Choice(plan, tuple(found), bool(within), is_exact, lacking)


def excess(cost: Cost, limits: Cost) -> float:
    """By what factor the limits are exceeded, in the resource where it is most."""
    return max(_ratio(cost.cpu, limits.cpu), _ratio(cost.memory, limits.memory))


def _searched(
    space: Space, limits: Cost, lacking: Scarce, budget: float, clock: Callable[[], float]
) -> list[Plan]:
    """All plans on the ways of the strategies; first from where little is needed of what lacks.

    A strategy ends within the limits. What has less work lies beyond, so up to ``FAR`` inputs no
    work is little enough to end there.
    """
    ordered = STRATEGIES if lacking == "memory" else STRATEGIES[::-1]
    if len(space.known.names) <= FAR:
        limits = Cost(0.0, limits.memory)
    found: list[Plan] = []
    until = clock() + budget
    for strategy in ordered:
        found += _until(strategy(space, limits), until, clock)
    return found


def _until(plans: Iterable[Plan], until: float, clock: Callable[[], float]) -> Iterable[Plan]:
    for plan in plans:
        yield plan
        if clock() >= until:
            return


def _ratio(needed: float, limit: float) -> float:
    return needed / limit if limit else inf
