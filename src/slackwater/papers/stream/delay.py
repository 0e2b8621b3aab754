"""Delay: how far a stream had progressed beyond a tuple when the tuple arrived.

The local current time of a stream is the largest event time it has delivered. The delay of a
tuple is the local current time *after* the tuple has updated it, minus the tuple's own time; so
delay > 0 means out-of-order (late). No wall clock takes part. An out-of-order tuple whose
predecessor in the stream was out-of-order as well is *correlated* out-of-order.

Reference: Ji 2018, ch. 2.
"""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.errors import check_version

VERSION = 1


@dataclass(frozen=True, slots=True)
class DelayState:
    """What is known about the disorder of one stream (or one partition of it)."""

    version: int = VERSION
    time: int | None = None
    seen: int = 0
    late: int = 0
    correlated: int = 0
    max_delay: int = 0
    is_last_late: bool = False

    @property
    def share_late(self) -> float | None:
        """Share of out-of-order tuples, ``None`` while nothing has arrived."""
        return self.late / self.seen if self.seen else None


@dataclass(frozen=True, slots=True)
class Lateness:
    """The verdict on one tuple."""

    delay: int
    is_correlated: bool

    @property
    def is_late(self) -> bool:
        return self.delay > 0


class DelayTracker:
    """Local current time, delays and disorder counters of one stream.

    It has no parameters, so two types instead of three.

    Examples
    --------
    >>> tracker = DelayTracker.start()
    >>> [tracker.update(ts).delay for ts in (1, 4, 3, 2, 5)]
    [0, 0, 1, 2, 0]
    >>> tracker.get().late, tracker.get().correlated, tracker.get().max_delay
    (2, 1, 2)
    """

    def __init__(self, state: DelayState) -> None:
        self._state = state

    @classmethod
    def start(cls, state: DelayState | None = None) -> DelayTracker:
        check_version("delay statistics", state, VERSION)
        return cls(state or DelayState())

    def snapshot(self) -> DelayState:
        return self._state

    def get(self) -> DelayState:
        return self._state

    def update(self, ts: int) -> Lateness:
        """Observe the next tuple of the stream, in arrival order."""
        old = self._state
        time = ts if old.time is None else max(old.time, ts)
        found = Lateness(time - ts, time > ts and old.is_last_late)
        self._state = DelayState(
            time=time,
            seen=old.seen + 1,
            late=old.late + found.is_late,
            correlated=old.correlated + found.is_correlated,
            max_delay=max(old.max_delay, found.delay),
            is_last_late=found.is_late,
        )
        return found

    def merge(self, other: DelayTracker) -> DelayTracker:
        """Both partitions of a stream as one: counters add up, times and maxima combine.

        Each partition measured delays against its own progress; the order in which tuples of
        different partitions arrived is unknown, so no tuple is reclassified and the next one has
        no late predecessor.
        """
        mine, theirs = self._state, other._state
        times = [time for time in (mine.time, theirs.time) if time is not None]
        return DelayTracker(
            DelayState(
                time=max(times, default=None),
                seen=mine.seen + theirs.seen,
                late=mine.late + theirs.late,
                correlated=mine.correlated + theirs.correlated,
                max_delay=max(mine.max_delay, theirs.max_delay),
            )
        )
