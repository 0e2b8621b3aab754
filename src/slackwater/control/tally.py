"""How often values of join columns came lately, by the rank that rows have without them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import log

from slackwater.stats.panes import ValueCount

MOST = 128  # values of a column and rank that are remembered, the most frequent
LEAST = 0.05  # rows; a value with less is forgotten
MISSED = 5.0  # rows that should have come since a value was last seen: one in 150 is so late


@dataclass(frozen=True, slots=True)
class Tallied:
    """How many rows of an input came lately, by value of a join column and the rank they have
    without it, and when the newest of each came.
    """

    input: int
    column: int
    rank: int
    values: tuple[str, ...]
    rows: tuple[float, ...]
    newest: tuple[int, ...] = ()

    def since(self, clock: int) -> Iterator[tuple[str, float, int]]:
        """Values with their rows and the newest; where that is not known, it is ``clock``."""
        newest = self.newest or (clock,) * len(self.values)
        return zip(self.values, self.rows, newest, strict=True)


@dataclass(frozen=True, slots=True)
class Memory:
    """How values are forgotten: by half in ``half`` microseconds, up to the instant ``now``."""

    half: int
    before: int | None
    now: int | None

    @property
    def fade(self) -> float:
        """What is left of the counts of before."""
        if self.before is None or self.now is None:
            return 1.0
        return float(0.5 ** ((self.now - self.before) / self.half))

    def is_over(self, rows: float, newest: int) -> bool:
        """Whether a value comes no more: nothing of it waits or may be met, and it is away for
        longer than its own rate explains. A rare one is waited for: its partners have to be there.
        """
        away = max(0, (self.now or newest) - newest) / self.half
        return rows < LEAST or (away > 1 and rows * 2**away * log(2) * away > MISSED)


def tally(
    known: Iterable[Tallied], seen: Iterable[tuple[int, ValueCount]], memory: Memory
) -> tuple[Tallied, ...]:
    """With the values that a batch brought, by input; without those that come no more."""
    rows: dict[tuple[int, int, int], dict[str, float]] = defaultdict(lambda: defaultdict(float))
    newest: dict[tuple[int, int, int], dict[str, int]] = defaultdict(dict)
    before, now = memory.before or 0, memory.now or 0
    for one in known:
        key = (one.input, one.column, one.rank)
        for value, came, last in one.since(before):
            rows[key][value] = memory.fade * came
            newest[key][value] = last
    for number, count in seen:
        key = (number, count.column, count.rank)
        rows[key][count.value] += count.rows
        newest[key][count.value] = now
    found = (_kept(key, rows[key], newest[key], memory) for key in sorted(rows))
    return tuple(one for one in found if one.values)


def _kept(
    key: tuple[int, int, int], rows: dict[str, float], newest: dict[str, int], memory: Memory
) -> Tallied:
    ordered = sorted(rows.items(), key=lambda one: (-one[1], one[0]))[:MOST]
    kept = [
        (value, round(count, 3), newest[value])
        for value, count in ordered
        if not memory.is_over(count, newest[value])
    ]
    values, counts, last = zip(*kept, strict=True) if kept else ((), (), ())
    return Tallied(*key, values, counts, last)
