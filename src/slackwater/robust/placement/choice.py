"""The ways to place operators, in one place, and the placement of a pipeline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from slackwater.errors import SlackwaterError
from slackwater.robust.placement.cor_phy import cor_phy
from slackwater.robust.placement.exhaustive import exhaustive
from slackwater.robust.placement.greedy_phy import greedy_phy
from slackwater.robust.placement.opt_prune import opt_prune
from slackwater.robust.placement.placement import (
    Demand,
    Placement,
    overloads,
    score_joint,
    supported,
)
from slackwater.robust.weight import by_weight

Placer = Callable[[Demand], Placement | None]
SECONDS = 10.0  # for searches that may take longer; they give the best they have
PLACERS: tuple[tuple[str, Placer], ...] = (
    ("opt_prune", lambda demand: opt_prune(demand, seconds=SECONDS).placement),  # the best there is
    ("cor_phy", cor_phy),  # as fast as the next, and better on average
    ("greedy_phy", lambda demand: greedy_phy(demand).placement),
    ("exhaustive", lambda demand: exhaustive(demand, seconds=SECONDS).placement),
)


@dataclass(frozen=True, slots=True)
class Placed:
    """A placement, the plans that it carries, and their weight together."""

    placement: Placement
    carried: tuple[int, ...]
    score: float


def place(demand: Demand, how: str = "opt_prune") -> Placed:
    """Where operators run; refused if not a single plan fits, with what would do."""
    found = dict(PLACERS)[how](demand)
    if found is None or not supported(demand, found):
        raise _too_small(demand)
    return Placed(found, supported(demand, found), score_joint(demand, found))


def _too_small(demand: Demand) -> SlackwaterError:
    """What the plan that asks least lacks."""
    plan = min(by_weight(demand.weights), key=lambda number: sum(demand.loads[number]))
    best = cor_phy(Demand((demand.loads[plan],), (1.0,), demand.capacities))
    lacking = [
        f"node {node} has {capacity:g} and would need {load:g}"
        for node, load, capacity in overloads(demand, best, plan)
    ]
    total, there = sum(demand.loads[plan]), sum(demand.capacities)
    return SlackwaterError(
        "CAPACITY_TOO_SMALL",
        f"no plan fits on these nodes; plan {plan}, that asks least, needs {total:g} of {there:g}: "
        + "; ".join(lacking),
        "give nodes more capacity, add one, or plan for a smaller space",
    )
