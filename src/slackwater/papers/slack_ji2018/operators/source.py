"""Replay source: recorded tuples in their original arrival order, at the pace you like.

Reference: Ji 2018.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from slackwater.errors import SlackwaterError
from slackwater.stats.arrival import Arrival
from slackwater.units import SECOND

P = TypeVar("P")


@dataclass(frozen=True)
class Recorded(Generic[P]):
    """An arrival with the instant of its arrival, in microseconds of the recorder's clock."""

    arrived: int
    arrival: Arrival[P]


def monotonic_micros() -> int:
    return time.monotonic_ns() // 1_000


def sleep_micros(micros: int) -> None:
    time.sleep(micros / SECOND)


def replay(
    recording: Iterable[Recorded[P]],
    *,
    speed: float | None = 1.0,
    clock: Callable[[], int] = monotonic_micros,
    sleep: Callable[[int], None] = sleep_micros,
) -> Iterator[Arrival[P]]:
    """Give the tuples of a recording as they once arrived.

    Tuples come in the order of the recording, never sorted. Each is held until its distance to
    the first one has passed; a tuple that is overdue (the consumer was slow, or the recorder's
    clock went back) comes at once and later ones keep to the original schedule.

    Parameters
    ----------
    recording
        Tuples with arrival times, in arrival order.
    speed
        2 replays twice as fast as recorded; ``None`` without any waiting.
    clock, sleep
        The clock to follow and how to wait, both in microseconds.

    Examples
    --------
    >>> from slackwater.stats.arrival import arrivals
    >>> [arrival.ts for arrival in replay(at_rate(arrivals([1, 4, 3]), 1000), speed=None)]
    [1, 4, 3]
    """
    if speed is not None and not speed > 0:
        raise SlackwaterError(
            "SPEED_INVALID",
            f"replay: speed is {speed}, it must be above 0",
            "give a factor such as 2.0, or None to replay without waiting",
        )
    return _paced(recording, speed, clock, sleep)


def _paced(
    recording: Iterable[Recorded[P]],
    speed: float | None,
    clock: Callable[[], int],
    sleep: Callable[[int], None],
) -> Iterator[Arrival[P]]:
    begun: tuple[int, int] | None = None
    for recorded in recording:
        if speed is not None:
            begun = begun or (clock(), recorded.arrived)
            due = begun[0] + round((recorded.arrived - begun[1]) / speed)
            while (wait := due - clock()) > 0:
                sleep(wait)
        yield recorded.arrival


def at_rate(arrivals: Iterable[Arrival[P]], per_second: float) -> Iterator[Recorded[P]]:
    """A recording with tuples evenly spaced, for streams recorded without arrival times."""
    if not per_second > 0:
        raise SlackwaterError(
            "RATE_INVALID", f"replay: {per_second} tuples per second, it must be above 0"
        )
    return (
        Recorded(round(number * SECOND / per_second), arrival)
        for number, arrival in enumerate(arrivals)
    )
