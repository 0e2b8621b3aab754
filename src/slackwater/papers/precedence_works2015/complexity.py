"""E3 and E4: more joins, and joins on attributes that take turns (4.7)."""

from __future__ import annotations

from slackwater.papers.precedence_works2015.measuring import (
    ONCE,
    RANKED,
    Row,
    Scale,
    demand,
    measured,
)
from slackwater.papers.precedence_works2015.operators.system import SystemParams
from slackwater.papers.precedence_works2015.workload import Setup, chain
from slackwater.units import SECOND

SHARE = 0.3  # of the work that serving everything takes
PERIOD = 30 * SECOND  # of statistics; a search of eight joins takes longer
CASES = ((2, 1), (4, 1), (8, 1), (8, 2), (8, 4), (8, 8))
LOOK = 0.02  # seconds of virtual time for each plan that a search looks at
FEW = Scale(40, (1,))


def params(setup: Setup) -> SystemParams:
    capacity = round(SHARE * demand(setup), 1)
    return SystemParams(capacity, look=LOOK, period=PERIOD, periods=1)


def over_joins(is_quick: bool) -> list[Row]:
    """PP, PR and PR-Prune by the number of joins, and of runs on one attribute."""
    scale, cases = (FEW, CASES[:1]) if is_quick else (ONCE, CASES)
    return [
        {"joins": joins, "paths": paths, **measured(setup, one, params(setup), scale)}
        for joins, paths in cases
        for setup in (chain(joins, paths),)
        for one in RANKED
    ]
