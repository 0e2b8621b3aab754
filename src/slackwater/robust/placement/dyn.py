"""DYN: operators move from busy nodes to idle ones while they run (robust 2.13; Xing 2005).

Nodes shall have even loads that do not rise together. The plan is never another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from slackwater.robust.placement.correlation import correlation, mean
from slackwater.robust.placement.placement import Placement, operators_on

THRESHOLD = 0.1  # of a node: how far two loads may lie apart
Series = Sequence[Sequence[float]]
"""By operator: its load in the last periods."""


@dataclass(frozen=True, slots=True)
class Move:
    """An operator that goes from one node to another."""

    operator: int
    source: int
    target: int


def dyn(
    series: Series, placement: Placement, nodes: int, threshold: float = THRESHOLD
) -> list[Move]:
    """What is moved after a period: the busiest node gives to the idlest, and so on."""
    order = sorted(range(nodes), key=lambda n: (-_load(series, placement, n), n))
    found: list[Move] = []
    for hot, cold in zip(order, reversed(order), strict=True):
        gap = _load(series, placement, hot) - _load(series, placement, cold)
        if gap > threshold:
            found += _given(series, placement, hot, cold, gap / 2)
    return found


def _given(series: Series, placement: Placement, hot: int, cold: int, amount: float) -> list[Move]:
    """Operators up to half of what two nodes lie apart, those that fit best first."""
    mine, theirs = operators_on(placement, hot), operators_on(placement, cold)
    found = []
    while fitting := [o for o in mine if 0 < mean(series[o]) <= amount]:
        chosen = max(fitting, key=lambda o: (_score(series, o, mine, theirs), -o))
        mine.remove(chosen)
        theirs.append(chosen)
        amount -= mean(series[chosen])
        found.append(Move(chosen, hot, cold))
    return found


def _score(series: Series, operator: int, mine: Sequence[int], theirs: Sequence[int]) -> float:
    """How much more an operator rises with the node that it leaves than with the other."""
    rest = [o for o in mine if o != operator]
    here = correlation(series[operator], _sums(series, rest))
    return (here - correlation(series[operator], _sums(series, theirs))) / 2


def first_placement(series: Series, nodes: int) -> Placement:
    """Heavy operators first, each to the node that is below average and rises least with it."""
    found: dict[int, int] = {}
    used: list[list[int]] = [[] for _ in range(nodes)]
    order = sorted(range(len(series)), key=lambda o: (-mean(series[o]), o))
    for operator in order:
        loads = [sum(mean(series[o]) for o in mine) for mine in used]
        below = [n for n in range(nodes) if loads[n] <= mean(loads)]
        node = min(
            below,
            key=lambda n: (correlation(series[operator], _sums(series, used[n])), loads[n], n),
        )
        found[operator] = node
        used[node].append(operator)
    return tuple(found[operator] for operator in range(len(series)))


def moved(placement: Placement, moves: Sequence[Move]) -> Placement:
    """A placement after some moves."""
    targets = {move.operator: move.target for move in moves}
    return tuple(targets.get(operator, node) for operator, node in enumerate(placement))


def _load(series: Series, placement: Placement, node: int) -> float:
    return sum(mean(series[o]) for o in operators_on(placement, node))


def _sums(series: Series, operators: Sequence[int]) -> list[float]:
    return [sum(series[o][t] for o in operators) for t in range(len(series[0]))]
