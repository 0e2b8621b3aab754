"""A recorded stream as columns, and what does not depend on the slack, worked out once.

Delays, recent history, largest delay, late quantile and rate are properties of the raw stream
alone: many runs over one recording share them. Reference: Ji 2018, ch. 4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from slackwater.papers.stream.statistics import Statistics, StatisticsParams
from slackwater.papers.stream.windows import TimeWindow
from slackwater.stats.arrival import Instants, instants
from slackwater.stats.histogram import Counts

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Recording:
    """Event times and values in arrival order, with the progress of the stream."""

    ts: Instants
    values: Floats
    time: Instants
    delay: Instants
    max_delay: Instants
    order: Instants

    @classmethod
    def of(cls, ts: npt.ArrayLike, values: npt.ArrayLike) -> Recording:
        """Columns of one length; ``order`` sorts them by event time, then arrival."""
        known = instants(ts)
        time = np.maximum.accumulate(known)
        delay = time - known
        largest = np.maximum.accumulate(delay)
        order = np.argsort(known, kind="stable")
        return cls(known, np.asarray(values, dtype=np.float64), time, delay, largest, order)

    @property
    def size(self) -> int:
        return int(self.ts.size)


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """The statistics after every arrival: start of ``R^stat`` (by arrival), rate, late quantile."""

    params: StatisticsParams
    start: Instants
    rate: Floats
    late: Instants

    @classmethod
    def of(cls, recording: Recording, params: StatisticsParams) -> Trace:
        """Run the statistics over the recording, tuple by tuple, once."""
        statistics = Statistics.start(params)
        size = recording.size
        start, late = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
        rate = np.full(size, np.nan)
        for number, ts in enumerate(recording.ts.tolist()):
            statistics.update(ts)
            start[number] = statistics.window.dropped
            late[number] = statistics.late
            rate[number] = statistics.rate or np.nan
        return cls(params, start, rate, late)

    def full(self, arrival: int) -> int:
        """Arrivals in full chunks when an arrival has been observed."""
        return (arrival + 1) // self.params.chunk * self.params.chunk


class RecentCounts:
    """``ℋ`` at one arrival after the other, by what enters and what leaves in between."""

    def __init__(self, recording: Recording, trace: Trace) -> None:
        self._trace = trace
        self._buckets = -(-recording.delay // trace.params.granularity)
        self._rows = np.zeros(int(self._buckets.max(initial=0)) + 1, dtype=np.int64)
        self._first, self._last = 0, 0

    def at(self, arrival: int) -> Counts:
        first, last = int(self._trace.start[arrival]), self._trace.full(arrival)
        if last > self._last or first > self._first:
            self._rows += self._count(self._last, last)
            self._rows -= self._count(self._first, first)
            self._first, self._last = first, last
        filled = np.flatnonzero(self._rows)
        return self._rows[: int(filled[-1]) + 1 if filled.size else 1]

    def _count(self, begin: int, end: int) -> Counts:
        counted = np.bincount(self._buckets[begin:end], minlength=self._rows.size)
        return counted.astype(np.int64, copy=False)


class PaneIndex:
    """Counts and sums of the tuples of any window among the first arrivals."""

    def __init__(self, recording: Recording, window: TimeWindow) -> None:
        self._window = window
        self._size = recording.size
        panes = -(-(recording.ts + (window.closed == "left")) // window.pane)
        self._lowest = int(panes.min(initial=0))
        keys = (panes - self._lowest) * self._size + np.arange(self._size)
        order = np.argsort(keys)
        self._keys = keys[order]
        values = recording.values[order]
        self._sums = np.concatenate([[0.0], np.cumsum(values)])
        self._squares = np.concatenate([[0.0], np.cumsum(values * values)])

    def rows(self, end: int, arrival: int) -> int:
        """Tuples of a window that arrived up to an arrival."""
        begin, until = self._bounds(end, arrival)
        return int((until - begin).sum())

    def sums(self, end: int, arrival: int) -> tuple[int, float, float]:
        """Their number, sum and sum of squares."""
        begin, until = self._bounds(end, arrival)
        total = (self._sums[until] - self._sums[begin]).sum()
        squares = (self._squares[until] - self._squares[begin]).sum()
        return int((until - begin).sum()), float(total), float(squares)

    def _bounds(self, end: int, arrival: int) -> tuple[Counts, Counts]:
        covered = self._window.panes_of(end)
        base = (np.arange(covered.start, covered.stop) - self._lowest) * self._size
        begin = np.searchsorted(self._keys, base)
        until = np.searchsorted(self._keys, base + arrival, side="right")
        return begin, until
