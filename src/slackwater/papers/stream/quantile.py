"""A running quantile of the delays of out-of-order tuples.

Delays are counted in buckets that grow geometrically, so that any delay is told to within 1 %
from a few hundred counters; the bucket of the wanted quantile is followed as counts arrive, which
makes asking free. Deterministic, unlike KLL. Reference: Ch. Masson, J. Rim, H. Lee: DDSketch,
VLDB 2019; Ji 2018, ch. 4 (the retrospect ``q``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from slackwater.errors import SlackwaterError, check_version

VERSION = 1


@dataclass(frozen=True, slots=True)
class LateQuantileParams:
    """Which quantile, and how exactly.

    Parameters
    ----------
    share
        ``q``, above 0 and below 1.
    precision
        Largest relative error of the answer, before it is rounded to microseconds.
    """

    share: float = 0.99
    precision: float = 0.01

    def __post_init__(self) -> None:
        if not 0 < self.share < 1 or not 0 < self.precision < 1:
            raise SlackwaterError(
                "QUANTILE_INVALID",
                f"late quantile: share {self.share} and precision {self.precision} must lie "
                "between 0 and 1",
            )


@dataclass(frozen=True, slots=True)
class LateQuantileState:
    """Late tuples by bucket."""

    counts: tuple[int, ...] = ()
    version: int = VERSION


class LateQuantile:
    """The ``q``-quantile of all late delays so far.

    Examples
    --------
    >>> sketch = LateQuantile.start(LateQuantileParams(share=0.5))
    >>> for delay in [0, 0, 0, 100, 200, 300]:
    ...     sketch.update(delay)
    >>> abs(sketch.get() - 200) <= 2
    True
    """

    def __init__(self, params: LateQuantileParams, state: LateQuantileState) -> None:
        self._share = params.share
        self._growth = (1 + params.precision) / (1 - params.precision)
        self._scale = 1 / math.log(self._growth)
        self._counts = list(state.counts)
        self._total = sum(self._counts)
        self._at, self._below = 0, 0  # the bucket of the quantile, and how many lie below it
        self._follow()

    @classmethod
    def start(
        cls, params: LateQuantileParams, state: LateQuantileState | None = None
    ) -> LateQuantile:
        check_version("late quantile", state, VERSION)
        return cls(params, state or LateQuantileState())

    def snapshot(self) -> LateQuantileState:
        return LateQuantileState(tuple(self._counts))

    def update(self, delay: int) -> None:
        """Count a delay in microseconds; what is in order does not count."""
        if delay <= 0:
            return
        bucket = math.ceil(math.log(delay) * self._scale)
        if bucket >= len(self._counts):
            self._counts.extend([0] * (bucket + 1 - len(self._counts)))
        self._counts[bucket] += 1
        self._total += 1
        if bucket < self._at:
            self._below += 1
        self._follow()

    def get(self) -> int | None:
        """The quantile in microseconds, ``None`` while nothing was late."""
        if self._total == 0:
            return None
        return round(2 * self._growth**self._at / (self._growth + 1))

    def _follow(self) -> None:
        wanted = self._share * self._total
        while self._below > 0 and self._below >= wanted:
            self._at -= 1
            self._below -= self._counts[self._at]
        while self._total > 0 and self._below + self._counts[self._at] < wanted:
            self._below += self._counts[self._at]
            self._at += 1
