"""Delay histogram: rows by coarse delay, at one granularity for a whole stream.

The coarse delay of a tuple is 0 if it came in order, else ``ceil(delay / g)`` for the granularity
``g``: bucket ``d`` stands for delays in ``((d-1)·g, d·g]``. Histograms of partitions, batches and
spans of time add up. Reference: Ji 2018, ch. 3.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from slackwater.stats.panes import PaneCount

Shares = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]


def coarse(delay: int, granularity: int) -> int:
    """The bucket of a delay; what came early counts as in order."""
    return -(-delay // granularity) if delay > 0 else 0


@dataclass(frozen=True, slots=True)
class DelayHistogram:
    """Rows by coarse delay.

    Examples
    --------
    >>> h = DelayHistogram.of({0: 6, 1: 2}).merge(DelayHistogram.of({2: 1, 3: 1}))
    >>> h.rows, h.highest, h.cumulative().tolist()
    (10, 3, [0.6, 0.8, 0.9, 1.0])
    """

    counts: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of(cls, counts: Mapping[int, int]) -> DelayHistogram:
        return cls(tuple(sorted((d, n) for d, n in counts.items() if n)))

    @classmethod
    def of_delays(cls, delays: Iterable[int], granularity: int) -> DelayHistogram:
        found: dict[int, int] = {}
        for delay in delays:
            bucket = coarse(delay, granularity)
            found[bucket] = found.get(bucket, 0) + 1
        return cls.of(found)

    @classmethod
    def of_panes(
        cls, counts: Iterable[PaneCount], clock: int | None, granularity: int
    ) -> DelayHistogram:
        """Delays of a micro-batch against the clock at its start, from its pane histogram.

        Rows of a pane are taken to be spread evenly between its smallest and its largest event
        time; where a window is concerned nothing is lost, because windows are made of panes.
        """
        found: dict[int, int] = {}
        for count in counts:
            if count.low is None or count.high is None or count.pane is None:
                continue
            newest = 0 if clock is None else coarse(clock - count.high, granularity)
            oldest = 0 if clock is None else coarse(clock - count.low, granularity)
            for bucket, rows in _spread(count.rows, newest, oldest):
                found[bucket] = found.get(bucket, 0) + rows
        return cls.of(found)

    @classmethod
    def from_json(cls, counts: Iterable[Iterable[int]]) -> DelayHistogram:
        return cls(tuple((bucket, rows) for bucket, rows in counts))

    def merge(self, other: DelayHistogram) -> DelayHistogram:
        found = dict(self.counts)
        for bucket, rows in other.counts:
            found[bucket] = found.get(bucket, 0) + rows
        return DelayHistogram.of(found)

    @property
    def rows(self) -> int:
        return sum(rows for _, rows in self.counts)

    @property
    def highest(self) -> int:
        """The largest coarse delay, 0 if all is in order (``MaxD^R / g``)."""
        return self.counts[-1][0] if self.counts else 0

    @property
    def level(self) -> float:
        """The mean delay on a scale from 0 to 1 that is fine for short and for long delays."""
        total = sum(rows * math.log2(1 + bucket) for bucket, rows in self.counts)
        return min(1.0, total / max(1, self.rows) / 32)

    def only_late(self) -> DelayHistogram:
        """The rows that are behind at all."""
        return DelayHistogram(tuple((d, n) for d, n in self.counts if d > 0))

    def dense(self) -> Counts:
        """Rows by coarse delay 0 … highest, zeros included."""
        rows = np.zeros(self.highest + 1, dtype=np.int64)
        for bucket, count in self.counts:
            rows[bucket] = count
        return rows

    def cumulative(self) -> Shares:
        """``F(d)`` for d = 0 … highest: the share of rows with a coarse delay of at most d."""
        rows = self.dense()
        total = rows.sum()
        return np.ones(1) if total == 0 else np.cumsum(rows) / total

    def late_quantile(self, share: float) -> int:
        """The smallest coarse delay that ``share`` of the out-of-order rows do not exceed."""
        late = [(bucket, rows) for bucket, rows in self.counts if bucket > 0]
        wanted = share * sum(rows for _, rows in late)
        seen = 0
        for bucket, rows in late:
            seen += rows
            if seen >= wanted:
                return bucket
        return 0

    def exceeded_by(self, share: float) -> int:
        """The largest coarse delay that more than ``share`` of the rows have, or exceed.

        >>> DelayHistogram.of({0: 90, 1: 8, 7: 2}).exceeded_by(0.05)
        1
        """
        beyond, allowed = 0, share * self.rows
        for bucket, rows in reversed(self.counts):
            beyond += rows
            if beyond > allowed:
                return bucket
        return 0


class RunningCounts:
    """The sum of histograms that come and go, as one array: no merge where only it is asked for.

    Examples
    --------
    >>> running = RunningCounts()
    >>> running.add(DelayHistogram.of({0: 6, 3: 2}))
    >>> running.add(DelayHistogram.of({0: 1, 1: 1}))
    >>> running.remove(DelayHistogram.of({0: 6, 3: 2}))
    >>> running.get().tolist()
    [1, 1]
    """

    def __init__(self) -> None:
        self._rows = np.zeros(64, dtype=np.int64)
        self._size = 1

    def get(self) -> Counts:
        """Rows by coarse delay up to the highest there is; a view, to be read at once."""
        return self._rows[: self._size]

    def add(self, delays: DelayHistogram) -> None:
        if delays.highest >= self._rows.size:
            self._rows = np.concatenate([self._rows, np.zeros(2 * delays.highest, dtype=np.int64)])
        if delays.counts:
            buckets, rows = np.array(delays.counts, dtype=np.int64).T
            self._rows[buckets] += rows
        self._size = max(self._size, delays.highest + 1)

    def remove(self, delays: DelayHistogram) -> None:
        for bucket, rows in delays.counts:
            self._rows[bucket] -= rows
        filled = np.flatnonzero(self._rows[: self._size])
        self._size = int(filled[-1]) + 1 if filled.size else 1


def _spread(rows: int, newest: int, oldest: int) -> Iterable[tuple[int, int]]:
    """Whole rows, evenly over the buckets from ``newest`` to ``oldest``."""
    width = oldest - newest + 1
    if width > rows:
        return ((newest + (2 * n + 1) * width // (2 * rows), 1) for n in range(rows))
    return ((newest + n, (n + 1) * rows // width - n * rows // width) for n in range(width))
