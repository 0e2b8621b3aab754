"""What a plan of a set is worth: how probable the parts of the space are that it is for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from slackwater.robust.distribution import Distribution, Tails, normals, probability
from slackwater.robust.plan_set import PlanSet


def weights_of(
    plans: PlanSet[Any],
    distributions: Sequence[Distribution] | None = None,
    tails: Tails = "fold",
) -> tuple[float, ...]:
    """The weight of each plan: large regions count, and those near the estimate.

    Independent normal distributions around the estimates, if nothing else is said.
    """
    known = normals(plans.space) if distributions is None else distributions
    found = [0.0] * len(plans.plans)
    for leaf in plans.leaves:
        found[leaf.plan] += probability(plans.space, leaf.box, known, tails)
    return tuple(found)


def by_weight(weights: Sequence[float]) -> list[int]:
    """The numbers of plans, the heaviest first; of equal ones the smaller number."""
    return sorted(range(len(weights)), key=lambda number: (-weights[number], number))
