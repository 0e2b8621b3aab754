"""Whether plans, or plans and placement, are exchanged after a drift (ARLD; spec robust 3.5.3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from slackwater.robust.drift.adapt_phy import USUAL, Schedule, adapt_phy
from slackwater.robust.drift.improvement import Moving, improvement
from slackwater.robust.placement.placement import Demand, Placement, score_joint

Advice = Literal["stay", "plans", "move"]


@dataclass(frozen=True, slots=True)
class Recommended:
    """Stay, take the new plans where they are, or move to another placement for them.

    ``cover`` is the share of the observed space that the new plans have with this placement,
    ``cover_now`` with the one in force; ``worth`` is I, ``seconds`` what moving takes.
    """

    advice: Advice
    placement: Placement
    cover: float
    cover_now: float
    worth: float = 0.0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Gate:
    """``enough`` coverage where operators are is not improved on; else a move needs that ``worth``
    (θ_improve).
    """

    enough: float = 0.95
    worth: float = 0.0


OPEN = Gate()


def recommend(
    demand: Demand,
    current: Placement,
    overlap: float,
    moving: Moving,
    *,
    gate: Gate = OPEN,
    schedule: Schedule = USUAL,
    search: Callable[[Demand], Placement] | None = None,
) -> Recommended:
    """What to do with new plans, whose loads ``demand`` has; weights are shares of the new space.

    ``overlap`` is how much of the observed space had been planned for. Without a ``search`` it is
    AdaptPhy that looks for a placement.
    """
    now = score_joint(demand, current)

    def worth(placement: Placement) -> float:
        cover = score_joint(demand, placement)
        seconds = moving.seconds(current, placement)
        return improvement(cover, overlap, seconds, is_same=placement == current)

    if now >= gate.enough:
        return Recommended("plans", current, now, now)
    if search is not None:
        found = search(demand)
    else:
        found = adapt_phy(current, len(demand.capacities), worth, schedule).placement
    cover, gained = score_joint(demand, found), worth(found)
    if cover > now and gained >= gate.worth:
        seconds = moving.seconds(current, found)
        return Recommended("move", found, cover, now, gained, seconds)
    return Recommended("plans" if now > 0 else "stay", current, now, now)
