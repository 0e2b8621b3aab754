"""GreedyPhy: place for the worst of all plans, and give up the lightest until it fits (2.7)."""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.robust.placement.llf import llf
from slackwater.robust.placement.placement import Demand, Placement
from slackwater.robust.weight import by_weight


@dataclass(frozen=True, slots=True)
class Greedy:
    """A placement and the plans it was made for; it may support more. ``None`` if nothing fits."""

    placement: Placement | None
    kept: tuple[int, ...]


def greedy_phy(demand: Demand) -> Greedy:
    kept = by_weight(demand.weights)
    while kept:
        envelope = [max(demand.loads[p][o] for p in kept) for o in range(demand.operators)]
        placement = llf(envelope, demand.capacities)
        if placement is not None:
            return Greedy(placement, tuple(kept))
        kept = kept[:-1]
    return Greedy(None, ())
