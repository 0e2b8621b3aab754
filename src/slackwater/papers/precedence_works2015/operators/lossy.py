"""Lossy counting, by which the source work keeps frequent values only (A18).

The engine uses a sketch of frequent items (`precede/frequent.py`), which promises the same.
"""

from __future__ import annotations

from collections.abc import Hashable
from math import ceil


class LossyTally:
    """A tally whose counts are too small by at most a share ``error`` of all rows."""

    def __init__(self, error: float) -> None:
        self._width, self._error = ceil(1 / error), error
        self._total = 0
        self.kept: dict[Hashable, tuple[int, int]] = {}

    @property
    def total(self) -> int:
        return self._total

    def update(self, value: Hashable) -> None:
        self._total += 1
        bucket = ceil(self._total / self._width)
        count, missed = self.kept.get(value, (0, bucket - 1))
        self.kept[value] = (count + 1, missed)
        if self._total % self._width == 0:
            self.kept = {v: (f, d) for v, (f, d) in self.kept.items() if f + d > bucket}

    def get(self, least: float) -> dict[Hashable, int]:
        """Counts of all values with ``least`` rows or more, and perhaps of some with fewer."""
        bound = least - self._error * self._total
        return {value: count for value, (count, _) in self.kept.items() if count >= bound}
