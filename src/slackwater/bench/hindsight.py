"""What a fixed slack, or Max-K, would have given on the same rows and micro-batches.

Exact, not estimated: the clock after each batch is known, so it is known which batch closes each
window, and which rows came after it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from slackwater.bench.regimes import Array, Rows
from slackwater.stats.relative_error import relative_errors
from slackwater.units import SECOND

Instants = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Given:
    """Errors of all results that should exist, and how long after its window's end each came.

    A result that was never given has an error of 1 and no latency (NaN).
    """

    ends: Instants
    errors: Array
    latency: Array

    def fulfilment(self, epsilon: float) -> float:
        return float((self.errors <= epsilon).mean())

    def short(self, epsilon: float, least: float, over: int) -> float:
        """The share of stretches of ``over`` results of which fewer than ``least`` keep the bound.

        There is none if there are no so many results.
        """
        kept = self._stretches(epsilon, over)
        return float((kept < least - 1e-9).mean()) if kept.size else 0.0

    def worst(self, epsilon: float, over: int) -> float:
        """The smallest share of a stretch of ``over`` results that keeps the bound."""
        kept = self._stretches(epsilon, over)
        return float(kept.min()) if kept.size else self.fulfilment(epsilon)

    def _stretches(self, epsilon: float, over: int) -> Array:
        broken = np.cumsum(np.r_[0, self.errors > epsilon])
        return np.asarray(1 - (broken[over:] - broken[:-over]) / over)

    @property
    def mean_latency(self) -> float:
        """Seconds of event time."""
        return float(np.nanmean(self.latency) / SECOND)


class Hindsight:
    """Sums by window and batch; any sequence of watermarks can be judged by them."""

    def __init__(self, rows: Rows, size: int, slide: int) -> None:
        batches = rows.cuts.size - 1
        highs = np.maximum.reduceat(rows.ts, rows.cuts[:-1])
        self.clocks: Instants = np.maximum.accumulate(highs)
        first = int(rows.ts.min() // slide * slide + slide)
        last = int(self.clocks[-1] - size)  # windows after it may not close before the end
        self.ends: Instants = np.arange(first, last, slide, dtype=np.int64)
        batch = np.repeat(np.arange(batches), np.diff(rows.cuts))
        sums = np.zeros((self.ends.size, batches))
        newest = rows.ts // slide * slide + slide
        for n in range(size // slide):
            at = (newest + n * slide - first) // slide
            inside = (at >= 0) & (at < self.ends.size)
            np.add.at(sums, (at[inside], batch[inside]), rows.values[inside])
        self._by_batch: Array = np.cumsum(sums, axis=1)
        lows = np.minimum.reduceat(rows.ts, rows.cuts[:-1])
        delays = np.r_[0, np.maximum(0, self.clocks[:-1] - lows[1:])]
        self.max_delays: Instants = np.maximum.accumulate(delays)

    @property
    def exact(self) -> Array:
        """The true sum of each window."""
        return np.asarray(self._by_batch[:, -1])

    def judge(self, watermarks: Instants) -> Given:
        """The results under these watermarks, one after each batch; the end closes what is open."""
        closing = np.searchsorted(np.maximum.accumulate(watermarks), self.ends, side="left")
        closing = np.minimum(closing, watermarks.size - 1)
        said = self._by_batch[np.arange(self.ends.size), closing]
        latency = (self.clocks[closing] - self.ends).astype(np.float64)
        return Given(self.ends, relative_errors(self.exact, said), latency)

    def errors(self, watermarks: Instants, first: int, last: int) -> Array:
        """Errors of some windows that were answered, by the rows there are after so many batches.

        ``watermarks`` are those after each batch so far.
        """
        closing = np.searchsorted(watermarks, self.ends[first:last], side="left")
        said = self._by_batch[np.arange(first, last), closing]
        return relative_errors(self._by_batch[first:last, watermarks.size - 1], said)

    def fixed(self, slack: int) -> Given:
        return self.judge(self.clocks - slack)

    def max_k(self) -> Given:
        return self.judge(self.clocks - self.max_delays)

    def best_fixed(self, epsilon: float, confidence: float) -> int:
        """The smallest fixed slack that would have kept the promise, to a millisecond."""
        low, high = -1, int(self.max_delays[-1])
        while high - low > 1000:
            middle = (low + high) // 2
            kept = self.fixed(middle).fulfilment(epsilon) >= confidence
            low, high = (low, middle) if kept else (middle, high)
        return high
