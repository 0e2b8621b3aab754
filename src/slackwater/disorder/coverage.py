"""Expected coverage of a window as a function of the slack K, and the search for the smallest K.

The analytical model: a row of delay ``d`` that lies ``u`` before the end of its window is missing
if ``d > K + u``. Splitting the window into basic windows of length ``b``, the expected coverage is
a moving average of the cumulative delay distribution, so that one prefix sum answers for every K.

Reference: ``spec/qddh.md`` §7.3, §7.4 (eq. 3.4 to 3.6), §14.1 (AM-adt, eq. 4.2).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from slackwater.errors import SlackwaterError
from slackwater.stats.histogram import DelayHistogram, Shares


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
        cumulative = delays.cumulative()
        count = -(-self.window // self._step)
        shift = k // self.granularity
        inside = 0.0
        for number in range(1, count + 1):
            length = self._step if number < count else self.window - (count - 1) * self._step
            reach = shift + (number - 1) * self._step // self.granularity
            inside += length * cumulative[min(reach, cumulative.size - 1)]
        return float(inside / self.window)

    def curve(self, delays: DelayHistogram) -> Shares:
        """``cov(K)`` for K = 0, g, 2g … one step beyond the largest delay, all at once."""
        cumulative = delays.cumulative()
        count = -(-self.window // self._step)
        lengths = np.full(count, self._step, dtype=np.float64)
        lengths[-1] = self.window - (count - 1) * self._step
        reach = np.arange(count, dtype=np.int64) * self._step // self.granularity
        beyond = reach >= cumulative.size
        weights = np.bincount(reach[~beyond], lengths[~beyond], minlength=1) / self.window
        rest = float(lengths[beyond].sum() / self.window)
        padded = np.concatenate([cumulative, np.ones(weights.size)])
        moving = np.correlate(padded, weights, mode="valid")[: cumulative.size + 1]
        return np.minimum(moving + rest, 1.0)

    def smallest(self, delays: DelayHistogram, threshold: float) -> int:
        """The smallest K, a multiple of g, with ``cov(K) >= threshold``: AM-adt, vectorised."""
        enough = np.flatnonzero(self.curve(delays) >= threshold - ROUNDING)
        steps = int(enough[0]) if enough.size else delays.highest + 1
        return steps * self.granularity

    def smallest_literal(self, delays: DelayHistogram, threshold: float) -> int:
        """The same by trial: K = 0, g, 2g … while the coverage is too low (§14.1)."""
        k = 0
        while (
            k <= delays.highest * self.granularity
            and self.expected(delays, k) < threshold - ROUNDING
        ):
            k += self.granularity
        return k


ROUNDING = 1e-12  # sums in another order differ in the last digits only
