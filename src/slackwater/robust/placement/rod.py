"""ROD: one placement that bears as many combinations of rates as possible (robust 2.12; Xing 2006).

Loads are linear in the rates of streams. A node whose share of every stream is no greater than its
share of all capacity takes nothing from what the whole could bear.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot

from slackwater.robust.placement.placement import Placement


def rod(linear: Sequence[Sequence[float]], capacities: Sequence[float]) -> Placement:
    """Where operators go, ``linear[operator][stream]`` being the load of one for a unit of rate.

    Heavy operators first. A node that takes nothing from the whole (class I) is chosen if there is
    one, the one with the most left; else the one whose plane stays farthest from the origin.
    """
    totals = [sum(column) for column in zip(*linear, strict=True)]
    streams = [stream for stream, total in enumerate(totals) if total > 0]
    whole = sum(capacities)
    loads = [[0.0] * len(totals) for _ in capacities]
    found = [0] * len(linear)

    def shares(operator: int, node: int) -> list[float]:
        """W': by stream, the share of its load over the share of capacity."""
        share = capacities[node] / whole
        return [(loads[node][s] + linear[operator][s]) / totals[s] / share for s in streams]

    order = sorted(range(len(linear)), key=lambda number: (-hypot(*linear[number]), number))
    for operator in order:
        offered = [(hypot(*shares(operator, node)), node) for node in range(len(capacities))]
        first = [one for one in offered if max(shares(operator, one[1]), default=0.0) <= 1]
        _, found[operator] = min(first or offered)
        mine = loads[found[operator]]
        loads[found[operator]] = [a + b for a, b in zip(mine, linear[operator], strict=True)]
    return tuple(found)
