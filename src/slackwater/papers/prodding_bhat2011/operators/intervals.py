"""A set of whole numbers, as few intervals as possible: what punctuations have closed."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from slackwater.papers.prodding_bhat2011.operators.predicate import (
    Anything,
    Eq,
    In,
    Le,
    Predicate,
    Range,
)

LOWEST = -(10**18)
HIGHEST = 10**18


class IntervalSet:
    """Half-open intervals that neither touch nor overlap.

    Examples
    --------
    >>> closed = IntervalSet()
    >>> closed.add(0, 10), closed.add(20, 30), closed.add(10, 20)
    ((0, 10), (20, 30), (0, 30))
    """

    def __init__(self) -> None:
        self._lows: list[int] = []
        self._highs: list[int] = []

    def add(self, low: int, high: int) -> tuple[int, int]:
        """Take an interval in; give the one it has become part of."""
        first = bisect_left(self._highs, low)
        last = bisect_right(self._lows, high)
        if first < last:
            low, high = min(low, self._lows[first]), max(high, self._highs[last - 1])
        self._lows[first:last] = [low]
        self._highs[first:last] = [high]
        return low, high

    def __contains__(self, number: int) -> bool:
        place = bisect_right(self._lows, number) - 1
        return place >= 0 and number < self._highs[place]

    def __len__(self) -> int:
        """How many intervals there are."""
        return len(self._lows)


def intervals_of(predicate: Predicate, *, is_closed: bool = True) -> list[tuple[int, int]]:
    """Half-open intervals of whole numbers that a predicate names.

    ``is_closed`` says whether a bound excludes later elements at the bound itself; the source
    work cautiously says no (Bhat 2011, ch. 3, integer-time refinement).
    """
    match predicate:
        case Anything():
            return [(LOWEST, HIGHEST)]
        case Le(bound):
            return [(LOWEST, int(bound) + is_closed)]
        case Eq(value):
            return [] if value is None else [(int(value), int(value) + 1)]
        case Range(low, high):
            return [(int(low), int(high) + 1)]
        case In(values):
            return [(int(v), int(v) + 1) for v in sorted(int(v) for v in values if v is not None)]
