"""Expected coverage of a window as a function of the slack K, and the search for the smallest K.

The analytical model: a row of delay ``d`` that lies ``u`` before the end of its window is missing
if ``d > K + u``. Splitting the window into basic windows of length ``b``, the expected coverage is
a moving average of the cumulative delay distribution, so that one prefix sum answers for every K.

Reference: Ji 2018, ch. 3 (eq. 3.4 to 3.6), ch. 4 (AM-adt, eq. 4.2).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from slackwater.errors import SlackwaterError
from slackwater.stats.histogram import Counts, DelayHistogram, Shares


@dataclass(frozen=True, slots=True)
class CoverageModel:
    """Expected coverage of windows of one size.

    Parameters
    ----------
    window
        Size ``W`` of the window, microseconds.
    granularity
        Granularity ``g`` of the histogram and of the search for K.
    basic
        Length ``b`` of a basic window; a larger one is more conservative. ``g`` by default.
    """

    window: int
    granularity: int
    basic: int | None = None

    def __post_init__(self) -> None:
        if (
            self.window <= 0
            or self.granularity <= 0
            or (self.basic is not None and self.basic <= 0)
        ):
            raise SlackwaterError(
                "COVERAGE_INVALID",
                f"coverage model: window {self.window}, granularity {self.granularity} and basic "
                f"window {self.basic} must be above 0",
            )

    @property
    def _step(self) -> int:
        return self.basic or self.granularity

    def expected(self, delays: DelayHistogram, k: int) -> float:
        """``cov(K)``, literally by eq. (3.5): one basic window after the other."""
        return self.expected_of(delays.dense(), k)

    def expected_of(self, rows: Counts, k: int) -> float:
        """The same from rows by coarse delay."""
        return self._expected(np.cumsum(rows).tolist(), k)

    def _expected(self, cumulative: list[int], k: int) -> float:
        total, highest = cumulative[-1], len(cumulative) - 1
        if total == 0:
            return 1.0
        count = -(-self.window // self._step)
        shift = k // self.granularity
        inside = 0
        for number in range(1, count + 1):
            length = self._step if number < count else self.window - (count - 1) * self._step
            reach = shift + (number - 1) * self._step // self.granularity
            inside += length * cumulative[min(reach, highest)]
        return inside / (self.window * total)

    def curve(self, delays: DelayHistogram) -> Shares:
        """``cov(K)`` for K = 0, g, 2g … one step beyond the largest delay, all at once."""
        return self.curve_of(delays.dense())

    def curve_of(self, rows: Counts) -> Shares:
        """The curve from rows by coarse delay, as the statistics of a window keep them.

        All sums are whole numbers: their order does not matter.
        """
        cumulative = np.cumsum(rows)
        total = int(cumulative[-1])
        if total == 0:
            return np.ones(cumulative.size + 1)
        count = -(-self.window // self._step)
        last = self.window - (count - 1) * self._step
        sum_up = self._weighted if self._step % self.granularity else self._moving
        shares: Shares = sum_up(cumulative, count, last) / (self.window * total)
        return shares

    def _moving(self, cumulative: Counts, count: int, last: int) -> Counts:
        """Where b is a multiple of g: a moving sum in strides, from one prefix sum."""
        steps, stride = cumulative.size + 1, self._step // self.granularity
        rows = -(-steps // stride) + count
        padded = np.full(rows * stride, cumulative[-1])
        padded[: cumulative.size] = cumulative
        prefix = np.zeros((rows + 1, stride), dtype=np.int64)
        np.cumsum(padded.reshape(rows, stride), axis=0, out=prefix[1:])
        before = prefix.reshape(-1)
        reach = (count - 1) * stride
        full = before[reach : reach + steps] - before[:steps]
        inside: Counts = self._step * full + last * padded[reach : reach + steps]
        return inside

    def _weighted(self, cumulative: Counts, count: int, last: int) -> Counts:
        """Any b: several basic windows may reach equally far, or some distances none."""
        reach = np.arange(count, dtype=np.int64) * self._step // self.granularity
        lengths = np.full(count, self._step, dtype=np.int64)
        lengths[-1] = last
        beyond = reach >= cumulative.size
        weights = np.zeros(max(1, int(reach[~beyond].max(initial=0)) + 1), dtype=np.int64)
        np.add.at(weights, reach[~beyond], lengths[~beyond])
        padded = np.concatenate([cumulative, np.full(weights.size, cumulative[-1])])
        moving = np.correlate(padded, weights, mode="valid")[: cumulative.size + 1]
        inside: Counts = moving + lengths[beyond].sum() * cumulative[-1]
        return inside

    def smallest(self, delays: DelayHistogram, threshold: float) -> int:
        """The smallest K, a multiple of g, with ``cov(K) >= threshold``: AM-adt, vectorised."""
        return self.smallest_of(delays.dense(), threshold)

    def smallest_of(self, rows: Counts, threshold: float) -> int:
        """The same from rows by coarse delay."""
        return self.first_enough(self.curve_of(rows), threshold)

    def first_enough(self, curve: Shares, threshold: float) -> int:
        """Where a curve reaches a threshold; its last K if it never does."""
        steps = int(np.searchsorted(curve, threshold - ROUNDING))  # it never falls
        return min(steps, curve.size - 1) * self.granularity

    def smallest_literal(self, delays: DelayHistogram, threshold: float) -> int:
        """The same by trial: K = 0, g, 2g … while the coverage is too low."""
        return self.smallest_literal_of(delays.dense(), threshold)

    def smallest_literal_of(self, rows: Counts, threshold: float) -> int:
        """Trial, from rows by coarse delay."""
        cumulative: list[int] = np.cumsum(rows).tolist()
        largest = (len(cumulative) - 1) * self.granularity
        k = 0
        while k <= largest and self._expected(cumulative, k) < threshold - ROUNDING:
            k += self.granularity
        return k


ROUNDING = 1e-12  # sums in another order differ in the last digits only
