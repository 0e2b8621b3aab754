"""Synchronisation buffer: merges the inputs of one operator by event time.

A tuple waits until every other input has delivered something at least as new; so the buffer holds
no more than the skew between the fastest and the slowest input. Inputs may themselves still be
disordered: what lies at or before the progress ``T_sync`` of the merged output passes through at
once. For every input but the slowest the buffer acts like additional slack, ``K_i^sync``.

Reference: Ji 2018, ch. 3. Progress is unknown (``None``) before the first tuple has left, where the
source work starts at 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from typing import Generic, Protocol, TypeVar

from slackwater.errors import CheckpointError, SlackwaterError

VERSION = 1


class Timed(Protocol):
    """Anything with an event time."""

    @property
    def ts(self) -> int: ...


T = TypeVar("T", bound=Timed)


@dataclass(frozen=True, slots=True)
class SyncParams:
    """Names of the inputs that are merged."""

    inputs: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.inputs or len(set(self.inputs)) != len(self.inputs):
            raise SlackwaterError(
                "SYNC_INPUTS_INVALID",
                f"synchronisation buffer: inputs are {list(self.inputs)}",
                "name one input or more, each once",
            )


@dataclass(frozen=True)
class SyncState(Generic[T]):
    """Progress of the output, local current times of the inputs, and what waits, in order."""

    time: int | None = None
    times: tuple[tuple[str, int], ...] = ()
    pending: tuple[tuple[str, T], ...] = ()
    version: int = VERSION


class SyncBuffer(Generic[T]):
    """The buffer in front of an operator with several inputs.

    Examples
    --------
    >>> from slackwater.stats.arrival import Arrival
    >>> buffer = SyncBuffer.start(SyncParams(("a", "b")))
    >>> for stream, ts in (("a", 1), ("a", 3), ("b", 2), ("b", 4)):
    ...     print([item.ts for _, item in buffer.update(stream, Arrival(stream, 0, ts, None))])
    []
    []
    [1, 2]
    [3]
    """

    def __init__(self, params: SyncParams, state: SyncState[T]) -> None:
        self._time = state.time
        self._times = dict(state.times)
        self._waiting = dict.fromkeys(params.inputs, 0)
        self._ties = count()
        self._heap: list[tuple[int, int, str, T]] = []
        for name, item in state.pending:
            self._hold(name, item)

    @classmethod
    def start(cls, params: SyncParams, state: SyncState[T] | None = None) -> SyncBuffer[T]:
        if state is None:
            return cls(params, SyncState())
        named = {name for name, _ in (*state.times, *state.pending)}
        if state.version != VERSION or not named <= set(params.inputs):
            raise CheckpointError(
                "STATE_UNUSABLE",
                f"synchronisation buffer: saved version {state.version} of {sorted(named)}, "
                f"wanted version {VERSION} of {list(params.inputs)}",
                "start without saved state, or with the inputs it was saved for",
            )
        return cls(params, state)

    def snapshot(self) -> SyncState[T]:
        pending = tuple((name, item) for _, _, name, item in sorted(self._heap))
        return SyncState(self._time, tuple(self._times.items()), pending)

    @property
    def time(self) -> int | None:
        """``T_sync``: the largest event time that has left."""
        return self._time

    @property
    def sizes(self) -> dict[str, int] | None:
        """``K_i^sync`` of every input: its local current time beyond ``T_sync``.

        ``None`` until something has left.
        """
        if self._time is None:
            return None
        return {name: max(0, time - self._time) for name, time in self._times.items()}

    def __len__(self) -> int:
        return len(self._heap)

    def update(self, name: str, item: T) -> list[tuple[str, T]]:
        """Take in a tuple of an input; give what leaves with the input it came from."""
        known = self._times.get(name)
        self._times[name] = item.ts if known is None else max(known, item.ts)
        if self._time is not None and item.ts <= self._time:
            return [(name, item)]
        self._hold(name, item)
        return list(self._complete())

    def flush(self) -> list[tuple[str, T]]:
        """End of all inputs: everything left, in event-time order."""
        return list(self._leave(len(self._heap)))

    def _complete(self) -> Iterator[tuple[str, T]]:
        while all(self._waiting.values()):
            oldest = self._heap[0][0]
            while self._heap and self._heap[0][0] == oldest:
                yield from self._leave(1)

    def _leave(self, items: int) -> Iterator[tuple[str, T]]:
        for _ in range(items):
            ts, _, name, item = heappop(self._heap)
            self._time = ts
            self._waiting[name] -= 1
            yield name, item

    def _hold(self, name: str, item: T) -> None:
        self._waiting[name] += 1
        heappush(self._heap, (item.ts, next(self._ties), name, item))
