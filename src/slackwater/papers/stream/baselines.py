"""Baselines that people use today: no waiting at all, or one fixed slack for the whole run.

Reference: Ji 2018, ch. 3 (notes), ch. 4.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from slackwater.errors import check_version
from slackwater.papers.stream.kslack import KSlack, KSlackParams
from slackwater.stats.arrival import Arrival, Delayed

P = TypeVar("P")

VERSION = 1


def fixed_slack(k: int) -> KSlack[Any]:
    """A K-slack buffer whose size nobody changes; ``k`` in microseconds of event time."""
    return KSlack.start(KSlackParams(size=k))


@dataclass(frozen=True)
class NoSlackState(Generic[P]):
    """Local current time, and what was pushed but not taken yet."""

    time: int | None = None
    pending: tuple[Delayed[P], ...] = ()
    version: int = VERSION


class NoSlack(Generic[P]):
    """No-K-slack: every tuple passes through at once, as late as it is.

    Not the same as K = 0: there a late tuple waits for the next advance of the local current time
    and leaves before the tuple that advances it.

    Examples
    --------
    >>> from slackwater.stats.arrival import arrivals
    >>> buffer = NoSlack.start()
    >>> [[(d.ts, d.delay) for d in buffer.update(a)] for a in arrivals([4, 3])]
    [[(4, 0)], [(3, 1)]]
    """

    def __init__(self, state: NoSlackState[P]) -> None:
        self._time = state.time
        self._queue = deque(state.pending)

    @classmethod
    def start(cls, state: NoSlackState[P] | None = None) -> NoSlack[P]:
        check_version("no slack", state, VERSION)
        return cls(state or NoSlackState())

    def snapshot(self) -> NoSlackState[P]:
        return NoSlackState(self._time, tuple(self._queue))

    @property
    def size(self) -> int:
        return 0

    @property
    def time(self) -> int | None:
        return self._time

    def update(self, arrival: Arrival[P]) -> list[Delayed[P]]:
        self.push(arrival)
        return self.flush()

    def advance_to(self, instant: int) -> list[Delayed[P]]:
        self.push_time(instant)
        return self.flush()

    def flush(self) -> list[Delayed[P]]:
        left = list(self._queue)
        self._queue.clear()
        return left

    def push(self, arrival: Arrival[P]) -> None:
        self.push_time(arrival.ts)
        assert self._time is not None
        self._queue.append(Delayed(arrival, self._time - arrival.ts))

    def push_time(self, instant: int) -> None:
        self._time = instant if self._time is None else max(self._time, instant)

    def pop(self) -> Delayed[P] | None:
        return self._queue.popleft() if self._queue else None
