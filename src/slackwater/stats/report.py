"""Disorder report: how late a recorded stream is, in one vectorised pass.

Reference: Ji 2018, ch. 2 (delay), ch. 3 (coarse delay).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from slackwater.errors import SlackwaterError
from slackwater.stats.arrival import Instants, instants
from slackwater.units import MILLISECOND, SECOND


@dataclass(frozen=True, slots=True)
class DelayInterval:
    """The delays of the tuples that arrived in one interval of time."""

    start: int
    rows: int
    max_delay: int
    mean_delay: float


@dataclass(frozen=True, slots=True)
class DisorderReport:
    """The disorder of a stream. What is unknown for an empty stream is ``None``.

    ``histogram`` lists (d, rows) by coarse delay d, non-empty ones only: d = 0 is in order, d ≥ 1
    stands for a delay in ((d-1)·granularity, d·granularity].
    """

    rows: int
    late: int
    correlated: int
    max_delay: int | None
    mean_delay: float | None
    granularity: int
    histogram: tuple[tuple[int, int], ...]
    interval: int
    over_time: tuple[DelayInterval, ...]

    @property
    def share_late(self) -> float | None:
        return self.late / self.rows if self.rows else None

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "share_late": self.share_late}


def disorder_report(
    ts: npt.ArrayLike,
    *,
    arrived: npt.ArrayLike | None = None,
    granularity: int = 10 * MILLISECOND,
    interval: int = SECOND,
) -> DisorderReport:
    """How late the tuples of a recorded stream are.

    Parameters
    ----------
    ts
        Event times in arrival order, integer microseconds.
    arrived
        Arrival times, if recorded; they only say which interval a tuple is counted in. Without
        them the intervals are of the stream's own progress (its local current time).
    granularity
        Width of a histogram bucket in microseconds (``g``).
    interval
        Width of one point of the delay-over-time curve in microseconds.

    Examples
    --------
    >>> report = disorder_report([1, 4, 3, 5, 7, 8, 6], granularity=1, interval=5)
    >>> report.late, report.max_delay, report.histogram
    (2, 2, ((0, 5), (1, 1), (2, 1)))
    """
    _check_positive(granularity=granularity, interval=interval)
    times = instants(ts)
    progress = np.maximum.accumulate(times) if times.size else times
    axis = progress if arrived is None else instants(arrived, what="arrived")
    if axis.size != times.size:
        raise SlackwaterError(
            "COLUMNS_DIFFER", f"disorder report: {times.size} ts, {axis.size} arrived"
        )
    delays = progress - times
    is_late = delays > 0
    return DisorderReport(
        rows=int(times.size),
        late=int(is_late.sum()),
        correlated=int((is_late[1:] & is_late[:-1]).sum()),
        max_delay=int(delays.max()) if delays.size else None,
        mean_delay=float(delays.mean()) if delays.size else None,
        granularity=granularity,
        histogram=_histogram(coarse_delay(delays, granularity)),
        interval=interval,
        over_time=_over_time(axis, delays, interval),
    )


def coarse_delay(delays: Instants, granularity: int) -> Instants:
    """The discretised delay ``D = ceil(delay / g)``: 0 only for a tuple that is in order."""
    coarse: Instants = -(-delays // granularity)
    return coarse


def _histogram(coarse: Instants) -> tuple[tuple[int, int], ...]:
    buckets, rows = np.unique(coarse, return_counts=True)
    return tuple(zip(buckets.tolist(), rows.tolist(), strict=True))


def _over_time(axis: Instants, delays: Instants, interval: int) -> tuple[DelayInterval, ...]:
    slots, where, rows = np.unique(axis // interval, return_inverse=True, return_counts=True)
    largest = np.zeros(slots.size, dtype=np.int64)
    np.maximum.at(largest, where, delays)
    means = np.bincount(where, weights=delays, minlength=slots.size) / rows
    columns = (slots * interval, rows, largest, means)
    by_slot = zip(*(column.tolist() for column in columns), strict=True)
    return tuple(DelayInterval(*row) for row in by_slot)


def _check_positive(**widths: int) -> None:
    for name, width in widths.items():
        if width <= 0:
            raise SlackwaterError(
                "DURATION_INVALID", f"disorder report: {name} is {width}, it must be above 0"
            )
