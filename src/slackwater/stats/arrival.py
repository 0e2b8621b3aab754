"""One arriving tuple, and the columns of many.

Arrival order is a first-class notion: ``seq`` numbers the tuples of a recording in the order in
which they reached the engine; ``ts`` is the event time, in integer microseconds like every
instant of the engine (any integer unit works, as long as it is the same one everywhere).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from slackwater.errors import SlackwaterError

P = TypeVar("P")

Instants = npt.NDArray[np.int64]

# Generic records have no slots: with them, Python 3.11 cannot build an `Arrival[int](...)`.


@dataclass(frozen=True)
class Arrival(Generic[P]):
    """A tuple as it reached the engine: ``e_{i,j}`` of the source work."""

    stream: str
    seq: int
    ts: int
    payload: P


@dataclass(frozen=True)
class Delayed(Generic[P]):
    """An arrival with the delay it had: how far its stream had already progressed beyond it."""

    arrival: Arrival[P]
    delay: int

    @property
    def ts(self) -> int:
        return self.arrival.ts


def arrivals(ts: Iterable[int], *, stream: str = "s") -> list[Arrival[None]]:
    """Arrivals without payload from event times in arrival order.

    >>> [(a.seq, a.ts) for a in arrivals([1, 4, 3])]
    [(0, 1), (1, 4), (2, 3)]
    """
    return [Arrival(stream, seq, instant, None) for seq, instant in enumerate(ts)]


def arrivals_with(
    ts: Sequence[int], payloads: Sequence[P], *, stream: str = "s"
) -> list[Arrival[P]]:
    """Arrivals from two columns of one length, in arrival order."""
    pairs = zip(ts, payloads, strict=True)
    return [Arrival(stream, seq, instant, payload) for seq, (instant, payload) in enumerate(pairs)]


def instants(values: npt.ArrayLike, *, what: str = "ts") -> Instants:
    """A column of instants as 64-bit integers; anything but whole numbers is refused."""
    column: npt.NDArray[Any] = np.asarray(values)
    if column.size == 0:
        column = column.astype(np.int64)
    if column.ndim != 1 or column.dtype.kind not in "iu":
        raise SlackwaterError(
            "INSTANTS_INVALID",
            f"{what} must be one column of integers, got {column.ndim}-d {column.dtype}",
            "convert timestamps to integer microseconds since the epoch",
        )
    return column.astype(np.int64)
