"""Time skew: how far the streams of one query are apart in event time.

``skew(S_i, S_j) = |T_i - T_j|`` with the local current times of both; the stream with the
smallest local current time is the slowest. Reference: Ji 2018, ch. 2; the lags behind the slowest
stream are the samples of ``K_i^sync`` of ch. 3.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from slackwater.errors import CheckpointError, SlackwaterError

VERSION = 1


@dataclass(frozen=True, slots=True)
class SkewState:
    """The local current time of every stream, ``None`` for one that has not delivered yet."""

    times: tuple[tuple[str, int | None], ...]
    version: int = VERSION

    def time_of(self, stream: str) -> int | None:
        return dict(self.times)[stream]

    @property
    def slowest(self) -> str | None:
        """The stream furthest behind, the first one of equals; ``None`` until all delivered."""
        times = self._known()
        return min(times, key=times.__getitem__) if times else None

    @property
    def leads(self) -> dict[str, int] | None:
        """How far each stream is ahead of the slowest; ``None`` until all delivered."""
        times = self._known()
        return {name: time - min(times.values()) for name, time in times.items()} or None

    def skew(self, one: str, other: str) -> int | None:
        """Time skew between two streams, ``None`` if one has not delivered yet."""
        mine, theirs = self.time_of(one), self.time_of(other)
        return None if mine is None or theirs is None else abs(mine - theirs)

    def _known(self) -> dict[str, int]:
        known = {name: time for name, time in self.times if time is not None}
        return known if len(known) == len(self.times) else {}


class SkewTracker:
    """Local current times of the streams of one query.

    Examples
    --------
    >>> tracker = SkewTracker.start(["orders", "payments"])
    >>> for stream, ts in (("orders", 100), ("payments", 80), ("orders", 90)):
    ...     tracker.update(stream, ts)
    >>> tracker.get().slowest, tracker.get().skew("orders", "payments")
    ('payments', 20)
    """

    def __init__(self, times: dict[str, int | None]) -> None:
        self._times = times

    @classmethod
    def start(cls, streams: Iterable[str], state: SkewState | None = None) -> SkewTracker:
        times: dict[str, int | None] = dict.fromkeys(streams)
        if state is None:
            return cls(times)
        if state.version != VERSION or {name for name, _ in state.times} != set(times):
            raise CheckpointError(
                "STATE_UNUSABLE",
                f"time skew: saved version {state.version} of {[n for n, _ in state.times]}, "
                f"wanted version {VERSION} of {list(times)}",
                "start without saved state, or with the streams it was saved for",
            )
        return cls(dict(state.times))

    def snapshot(self) -> SkewState:
        return SkewState(tuple(self._times.items()))

    def get(self) -> SkewState:
        return self.snapshot()

    def update(self, stream: str, ts: int) -> None:
        if stream not in self._times:
            raise SlackwaterError(
                "STREAM_UNKNOWN",
                f"time skew: {stream!r} is not one of {list(self._times)}",
                "name every stream of the query when the tracker is started",
            )
        time = self._times[stream]
        self._times[stream] = ts if time is None else max(time, ts)

    def merge(self, other: SkewTracker) -> SkewTracker:
        """What both have seen: per stream the later local current time."""
        merged = SkewTracker.start([*self._times, *other._times])
        for times in (self._times, other._times):
            for stream, time in times.items():
                if time is not None:
                    merged.update(stream, time)
        return merged
