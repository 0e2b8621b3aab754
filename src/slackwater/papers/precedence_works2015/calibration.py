"""What nobody tells, and what hangs on it: the capacity, the schedule, and how long a search takes.

The source work gives neither arrival rates nor capacity, nor how operators share a processor.
"""

from __future__ import annotations

from dataclasses import replace

from slackwater.papers.precedence_works2015 import effectiveness
from slackwater.papers.precedence_works2015.measuring import (
    BY_NAME,
    ONCE,
    RANKED,
    Row,
    measured,
)
from slackwater.papers.precedence_works2015.operators.executor import Schedule
from slackwater.papers.precedence_works2015.workload import STOCK_MARKET
from slackwater.precede.baselines import DISCIPLINES, Discipline
from slackwater.precede.candidates import Threshold
from slackwater.precede.construction import PR, PR_PRUNE

SHARES = (0.04, 0.07, 0.2)
LOOKS = (0.01, 0.5)
TURNS: Schedule = "turns"


def over_shares(is_quick: bool) -> list[Row]:
    """All systems by the share of the demand that can be served."""
    if is_quick:
        return []
    return [
        {"share": share, **measured(STOCK_MARKET, one, effectiveness.params(share), ONCE)}
        for share in SHARES
        for one in DISCIPLINES
    ]


def in_turns(is_quick: bool) -> list[Row]:
    """Ranks count within the operator whose turn it is, not over all operators."""
    if is_quick:
        return []
    params = replace(effectiveness.params(), schedule=TURNS)
    return [measured(STOCK_MARKET, one, params, ONCE) for one in RANKED]


def pruning(is_quick: bool) -> list[Row]:
    """PR-Prune by the least share of the best gain that a level must promise; PR beside it.

    The last two keep a promise only beside rows that could be significant.
    """
    if is_quick:
        return []
    given, sober = effectiveness.params(), replace(effectiveness.params(), is_sober=True)
    cases = [("PR", PR, given), ("PR, sober", PR, sober), ("PR-Prune, sober", PR_PRUNE, sober)]
    for share in (0.0, 0.02, 0.1, 0.3):
        strategy = replace(PR_PRUNE, threshold=Threshold(share))
        cases.append((f"PR-Prune, {share:.0%}", strategy, given))
    return [
        {"case": case, **measured(STOCK_MARKET, Discipline(case, strategy=how), params, ONCE)}
        for case, how, params in cases
    ]


def over_looks(is_quick: bool) -> list[Row]:
    """PR and PR-Prune by how long a search takes for each plan."""
    if is_quick:
        return []
    return [
        {"look": look, **measured(STOCK_MARKET, BY_NAME[name], params, ONCE)}
        for look in LOOKS
        for params in (replace(effectiveness.params(), look=look),)
        for name in ("PR", "PR-Prune")
    ]
