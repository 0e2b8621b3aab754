"""How the rows of a micro-batch spread over panes: the one statistic every decision reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

UNRANKED = 2**31 - 1  # behind all ranks


@dataclass(frozen=True, slots=True, order=True)
class Queue:
    """Where rows wait, if they do: all of a queue are worth and cost the same.

    ``promising`` rows have their rank because they will meet critical ones; ``weight`` is how much
    work a row is expected to be; ``unlucky`` ones were drawn to be shed.
    """

    unlucky: bool = False
    rank: int = UNRANKED
    promising: bool = False
    weight: int = 1


@dataclass(frozen=True, slots=True)
class ValueCount:
    """Rows of a batch with a value in a join column (by number), by the rank they have alone."""

    column: int
    rank: int
    value: str
    rows: int


@dataclass(frozen=True, slots=True)
class PaneCount:
    """Rows of one batch in one pane, with their smallest and largest event time.

    ``pane`` is ``None`` for rows without event time, and for rows that failed the query's filter
    (``passes`` tells which); the latter move the clock but belong to no window.
    """

    pane: int | None
    passes: bool
    rows: int
    low: int | None
    high: int | None
    queue: Queue = Queue()

    def is_beyond(self, bound: int | None) -> bool:
        """Whether these rows lie after the newest event time to believe."""
        at = self.pane if self.pane is not None else self.low
        return bound is not None and at is not None and at > bound


def median_time(counts: Sequence[PaneCount]) -> int | None:
    """A pane time with half of the rows on either side: where the batch is, strays ignored."""
    placed = sorted((c.low, c.rows) for c in counts if c.low is not None)
    half = sum(rows for _, rows in placed) / 2
    seen = 0
    for time, rows in placed:
        seen += rows
        if seen >= half:
            return time
    return None


def largest_delay(counts: Iterable[PaneCount], clock: int | None) -> int:
    """How far the oldest row lies behind a clock."""
    lows = [count.low for count in counts if count.low is not None]
    return 0 if clock is None or not lows else max(0, clock - min(lows))


def total(counts: Iterable[PaneCount]) -> int:
    return sum(count.rows for count in counts)
