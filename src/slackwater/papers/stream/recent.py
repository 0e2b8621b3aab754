"""A window of fixed length over recent history: the plain alternative to ADWIN.

Reference: Ji 2018 (``stat.window = fixed(ms)``).
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from slackwater.errors import check_version
from slackwater.stats.histogram import Counts, DelayHistogram, RunningCounts

VERSION = 1


@dataclass(frozen=True, slots=True)
class RecentParams:
    """``length`` of the window in microseconds of event time."""

    length: int


@dataclass(frozen=True, slots=True)
class RecentState:
    """What is inside, oldest first: time of the stream, items, delays."""

    chunks: tuple[tuple[int, int, DelayHistogram], ...] = ()
    dropped: int = 0
    version: int = VERSION


class Recent:
    """The delays of the rows that arrived while the stream progressed by ``length``.

    Examples
    --------
    >>> window = Recent.start(RecentParams(length=10))
    >>> for time in (1, 6, 12):
    ...     dropped = window.update(time, DelayHistogram.of({0: 1}))
    >>> window.items, dropped
    (2, 1)
    """

    def __init__(self, params: RecentParams, state: RecentState) -> None:
        self._length = params.length
        self._chunks = deque(state.chunks)
        self._dropped = state.dropped
        self._items = sum(items for _, items, _ in self._chunks)
        self._counts = RunningCounts()
        for _, _, delays in self._chunks:
            self._counts.add(delays)

    @classmethod
    def start(cls, params: RecentParams, state: RecentState | None = None) -> Recent:
        check_version("recent history", state, VERSION)
        return cls(params, state or RecentState())

    def snapshot(self) -> RecentState:
        return RecentState(tuple(self._chunks), self._dropped)

    @property
    def items(self) -> int:
        return self._items

    @property
    def dropped(self) -> int:
        """Items that left the window since the start."""
        return self._dropped

    @property
    def counts(self) -> Counts:
        """Rows inside the window by coarse delay."""
        return self._counts.get()

    def update(self, time: int, delays: DelayHistogram) -> int:
        """Add rows that arrived up to a time of the stream; give how many items left."""
        self._chunks.append((time, delays.rows, delays))
        self._counts.add(delays)
        self._items += delays.rows
        before = self._dropped
        while self._chunks[0][0] <= time - self._length:
            _, items, oldest = self._chunks.popleft()
            self._counts.remove(oldest)
            self._items -= items
            self._dropped += items
        return self._dropped - before
