"""The sum-of-selectivities rule: which levels of a chain are worth sharing (Ji 2018, ch. 5).

A chain is shortened from its tail: its last level goes down below the filters that read there as
long as the children served so far, the most patient first, keep less than all rows between them. At
a sum of exactly 1 both are equally good; sharing stays.
"""

from __future__ import annotations

from collections.abc import Iterable

from slackwater.share.configuration import Levels


def shared_levels(children: Iterable[tuple[int, float]]) -> tuple[Levels, float]:
    """Levels that stay above the children, and what the children below them keep between them.

    A child is a pair: how long it waits, and the share of rows that it keeps.

    >>> shared_levels([(3, 0.4), (1, 0.7)])
    ((1,), 1.1)
    >>> shared_levels([(3, 0.3), (1, 0.4)])
    ((), 0.7)
    """
    known = sorted(children, reverse=True)
    left, total = sorted({slack for slack, _ in known}), 0.0
    while left:
        total += sum(share for slack, share in known if slack == left[-1])
        if total >= 1:
            break
        left.pop()
    return tuple(left), total
