"""Adaptation intervals: each ends when a clock, of output or arrivals, crosses a multiple of it.

Reference: Ji 2018, ch. 4 (which clock).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IntervalEnd:
    """The end of an adaptation interval: progress of the output, slack from now on, and Γ'."""

    time: int
    slack: int
    required: float | None


class IntervalCounter:
    """Tells when a clock crosses a multiple of the interval; ``current`` is the one it is in."""

    def __init__(self, interval: int, current: int | None = None) -> None:
        self._interval = interval
        self.current = current

    def update(self, time: int) -> int:
        """How many intervals have ended since the last call; the first call starts the clock."""
        number = time // self._interval
        ended = 0 if self.current is None else max(0, number - self.current)
        self.current = number if self.current is None else max(self.current, number)
        return ended
