"""Largest load first (LLF): the heaviest operator to the node with most left (robust 2.6)."""

from __future__ import annotations

from collections.abc import Sequence

from slackwater.robust.placement.placement import Placement, fits


def llf(loads: Sequence[float], capacities: Sequence[float]) -> Placement | None:
    """A placement of some loads, ``None`` if one does not fit where most is left."""
    found = balanced(loads, capacities)
    used = [0.0] * len(capacities)
    for operator, node in enumerate(found):
        used[node] += loads[operator]
    return found if all(map(fits, used, capacities)) else None


def balanced(loads: Sequence[float], capacities: Sequence[float]) -> Placement:
    """The same, whether it fits or not.

    Loads of a node only grow, so that what is too much at any step is too much at the end.
    """
    left, found = list(capacities), [0] * len(loads)
    for operator in sorted(range(len(loads)), key=lambda number: (-loads[number], number)):
        node = max(range(len(left)), key=lambda number: (left[number], -number))
        left[node] -= loads[operator]
        found[operator] = node
    return tuple(found)
