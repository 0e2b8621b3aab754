"""A recorded stream in arrival order, its clock and its delays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from slackwater.replay.advise.measure import Floats
from slackwater.stats.arrival import Instants

BEFORE_ALL = -(1 << 62)  # a clock that no row has moved yet


@dataclass(frozen=True, slots=True, eq=False)
class Timeline:
    """Columns of one length, in arrival order.

    Parameters
    ----------
    times
        Event times, microseconds.
    keys
        Dense numbers of the group keys, all 0 without a key.
    key_count
        How many keys there are.
    values
        The aggregated values, NaN for null; ``None`` if only rows are counted.
    """

    times: Instants
    keys: Instants
    key_count: int
    values: Floats | None
    progress: Instants  # the clock after each row

    @classmethod
    def of(
        cls,
        times: Instants,
        keys: Instants | None = None,
        values: Floats | None = None,
        *,
        key_count: int | None = None,
    ) -> Timeline:
        if keys is None:
            keys, key_count = np.zeros(times.size, dtype=np.int64), 1
        if key_count is None:
            key_count = int(keys.max(initial=0)) + 1
        return cls(times, keys, key_count, values, np.maximum.accumulate(times))

    @property
    def rows(self) -> int:
        return int(self.times.size)

    def clock(self) -> Instants:
        """The clock before each row: the largest event time of the rows before it."""
        return np.concatenate([[BEFORE_ALL], self.progress[:-1]])

    def delays(self) -> Instants:
        """How far the clock was beyond each row when it came, 0 if not at all."""
        return self.progress - self.times
