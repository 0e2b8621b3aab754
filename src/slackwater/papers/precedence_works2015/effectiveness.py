"""E1 and E2: results of each level, all six systems, by what news and blogs mention (4.7)."""

from __future__ import annotations

from dataclasses import replace

from slackwater.papers.precedence_works2015.measuring import (
    FULL,
    ONCE,
    QUICK,
    Row,
    demand,
    measured,
)
from slackwater.papers.precedence_works2015.operators.system import SystemParams
from slackwater.papers.precedence_works2015.workload import DS1, MIXES, STOCK_MARKET
from slackwater.precede.baselines import DISCIPLINES

SHARE = 0.10  # of the work that serving everything takes: the capacity
LOOK = 0.1  # seconds of virtual time for each plan that a search looks at


def params(share: float = SHARE) -> SystemParams:
    return SystemParams(round(share * demand(STOCK_MARKET), 1), look=LOOK)


def over_mixes(is_quick: bool) -> list[Row]:
    """All six systems on DS1 (E1) and on DS25 to DS100 (E2)."""
    scales = {mix: FULL if mix == DS1 else ONCE for mix in MIXES}
    return [
        {"mix": mix.name, **measured(replace(STOCK_MARKET, mix=mix), discipline, params(), scale)}
        for mix, scale in ({DS1: QUICK} if is_quick else scales).items()
        for discipline in DISCIPLINES
    ]
