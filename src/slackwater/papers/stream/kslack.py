"""K-slack: a sorting buffer that holds every tuple back for a slack of K.

*Slack* is how long, in event time, we wait for stragglers. A tuple leaves when the local current
time ``T`` of its stream has passed it by K (``ts + K <= T``), in event-time order; and only when
an arriving tuple advances ``T``. A tuple of delay ≤ K is put back in order; a later one leaves
still late, its delay smaller by K at least.

Reference: Ji 2018, ch. 3 (eq. 3.1).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from typing import Generic, Protocol, TypeVar

from slackwater.errors import SlackwaterError, check_version
from slackwater.stats.arrival import Arrival, Delayed

P = TypeVar("P")

VERSION = 1


class Buffer(Protocol[P]):
    """What an operator needs of the buffer in front of it: tuples in, tuples out one by one."""

    @property
    def time(self) -> int | None: ...
    @property
    def size(self) -> int: ...
    def push(self, arrival: Arrival[P]) -> None: ...
    def push_time(self, instant: int) -> None: ...
    def pop(self) -> Delayed[P] | None: ...
    def flush(self) -> list[Delayed[P]]: ...


@dataclass(frozen=True, slots=True)
class KSlackParams:
    """What a user or planner chooses.

    Parameters
    ----------
    size
        Initial slack ``K`` in microseconds of event time.
    release_on_shrink
        Whether a smaller K releases at once what is now due. Off is faithful to the source work:
        nothing leaves before the local current time advances again.
    """

    size: int = 0
    release_on_shrink: bool = False

    def __post_init__(self) -> None:
        _check_size(self.size)


@dataclass(frozen=True)
class KSlackState(Generic[P]):
    """Everything a buffer knows: ``pending`` is in release order."""

    size: int
    time: int | None = None
    is_due: bool = False
    pending: tuple[Delayed[P], ...] = ()
    version: int = VERSION


class KSlack(Generic[P]):
    """The buffer of one stream.

    ``update``, ``advance_to`` and ``flush`` give what they release. ``push``, ``push_time`` and
    ``pop`` do the same one tuple at a time, for an operator that changes K between two of them.

    Examples
    --------
    >>> from slackwater.stats.arrival import arrivals
    >>> buffer = KSlack.start(KSlackParams(size=1))
    >>> [[d.ts for d in buffer.update(a)] for a in arrivals([1, 4, 3, 5])]
    [[], [1], [], [3, 4]]
    """

    def __init__(self, params: KSlackParams, state: KSlackState[P]) -> None:
        self._params = params
        self._size = state.size
        self._time = state.time
        self._is_due = state.is_due
        self._ties = count()
        self._heap: list[tuple[int, int, int, Delayed[P]]] = []
        for delayed in state.pending:
            self._hold(delayed)

    @classmethod
    def start(cls, params: KSlackParams, state: KSlackState[P] | None = None) -> KSlack[P]:
        check_version("K-slack", state, VERSION)
        return cls(params, state or KSlackState(size=params.size))

    def snapshot(self) -> KSlackState[P]:
        pending = tuple(delayed for *_, delayed in sorted(self._heap))
        return KSlackState(self._size, self._time, self._is_due, pending)

    @property
    def size(self) -> int:
        """The slack K in force."""
        return self._size

    @property
    def time(self) -> int | None:
        """Local current time of the input stream, ``None`` before the first tuple."""
        return self._time

    def __len__(self) -> int:
        return len(self._heap)

    def update(self, arrival: Arrival[P]) -> list[Delayed[P]]:
        """Take a tuple in; give the tuples that leave, in event-time order."""
        self.push(arrival)
        return self.drain()

    def advance_to(self, instant: int) -> list[Delayed[P]]:
        """Move the local current time of an idle stream by a heartbeat; give what leaves.

        An instant that is not beyond the local current time changes nothing.
        """
        self.push_time(instant)
        return self.drain()

    def flush(self) -> list[Delayed[P]]:
        """End of stream: everything left, in event-time order."""
        left = [delayed for *_, delayed in sorted(self._heap)]
        self._heap.clear()
        self._is_due = False
        return left

    def set_size(self, size: int) -> None:
        """Change K; it counts from the next release test on.

        With ``release_on_shrink`` a smaller K makes tuples due at once: take them by ``drain``.
        """
        _check_size(size)
        if self._params.release_on_shrink and size < self._size:
            self._is_due = True
        self._size = size

    def push(self, arrival: Arrival[P]) -> None:
        """Take a tuple in; what it makes due is given by ``pop``."""
        self.push_time(arrival.ts)
        assert self._time is not None
        self._hold(Delayed(arrival, self._time - arrival.ts))

    def push_time(self, instant: int) -> None:
        """Move the local current time; what this makes due is given by ``pop``."""
        if self._time is None or instant > self._time:
            self._time = instant
            self._is_due = True

    def pop(self) -> Delayed[P] | None:
        """The next tuple that is due, ``None`` if there is none until the time advances."""
        if self._is_due and self._heap and self._has_passed(self._heap[0][0]):
            return heappop(self._heap)[-1]
        self._is_due = False
        return None

    def drain(self) -> list[Delayed[P]]:
        """All tuples that are due."""
        return list(self._due())

    def _due(self) -> Iterator[Delayed[P]]:
        while (delayed := self.pop()) is not None:
            yield delayed

    def _has_passed(self, ts: int) -> bool:
        return self._time is not None and ts + self._size <= self._time

    def _hold(self, delayed: Delayed[P]) -> None:
        # The running number decides between tuples of equal ts and seq; payloads never compare.
        heappush(self._heap, (delayed.ts, delayed.arrival.seq, next(self._ties), delayed))


def _check_size(size: int) -> None:
    if size < 0:
        raise SlackwaterError(
            "SLACK_INVALID",
            f"K-slack: size is {size}, it must be 0 or more",
            "give the slack as a duration of event time in microseconds",
        )
