"""E6 and E7: what ranks cost where there is nothing to rank (4.7).

The query has no criteria and rows never expire, so that all six systems are first come, first
served; they differ in what they count, and in when they purge.
"""

from __future__ import annotations

from dataclasses import replace

from slackwater.papers.precedence_works2015 import effectiveness
from slackwater.papers.precedence_works2015.measuring import FULL, QUICK, Row, measured
from slackwater.papers.precedence_works2015.workload import STOCK_MARKET
from slackwater.precede.baselines import DISCIPLINES


def without_criteria(is_quick: bool) -> list[Row]:
    setup = replace(STOCK_MARKET, is_ranked=False)
    params = replace(effectiveness.params(), lifespan=None)
    scale = QUICK if is_quick else FULL
    return [measured(setup, discipline, params, scale) for discipline in DISCIPLINES]
