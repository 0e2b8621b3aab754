"""What Python functions did with the rows of a batch: how many, how long, and which passed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

MOST_PATTERNS = 64


@dataclass(frozen=True, slots=True)
class CallSeen:
    """A function: rows that it was given, those that passed, seconds, and calls (``times``)."""

    rows: int = 0
    passed: int = 0
    seconds: float = 0.0
    times: int = 0

    def __add__(self, other: CallSeen) -> CallSeen:
        return CallSeen(
            self.rows + other.rows,
            self.passed + other.passed,
            self.seconds + other.seconds,
            self.times + other.times,
        )


@dataclass(frozen=True, slots=True)
class LinkSeen:
    """A function, or filters that commute: ``calls`` in the order of their names.

    Of ``marked`` rows, which all filters saw, ``patterns`` has how many passed which (the n-th is
    the n-th bit). ``orders`` are rows by the number of the order in which they met the others.
    ``kept`` rows were not worked on again: what came of them was known from before a restart.
    """

    rows: int = 0
    passed: int = 0
    calls: tuple[CallSeen, ...] = ()
    marked: tuple[CallSeen, ...] = ()
    patterns: tuple[tuple[int, int], ...] = ()
    orders: tuple[tuple[int, int], ...] = ()
    kept: int = 0

    def __add__(self, other: LinkSeen) -> LinkSeen:
        return LinkSeen(
            self.rows + other.rows,
            self.passed + other.passed,
            _both(self.calls, other.calls),
            _both(self.marked, other.marked),
            counted(self.patterns + other.patterns),
            counted(self.orders + other.orders),
            self.kept + other.kept,
        )

    @property
    def seconds(self) -> float:
        return sum(one.seconds for one in (*self.calls, *self.marked))


def counted(pairs: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Rows by what tells them apart, the most frequent first."""
    found: Counter[int] = Counter()
    for key, rows in pairs:
        found[key] += rows
    return tuple(sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_PATTERNS])


def _both(one: tuple[CallSeen, ...], other: tuple[CallSeen, ...]) -> tuple[CallSeen, ...]:
    pairs = zip_longest(one, other, fillvalue=CallSeen())
    return tuple(a + b for a, b in pairs)
