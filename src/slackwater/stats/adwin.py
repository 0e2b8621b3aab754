"""ADWIN: a window over recent history that shrinks when the stream changes.

Items are kept in buckets of 2^k updates, at most ``per_level`` of each size. Whenever two parts of
the window have means that differ by more than chance allows, the oldest bucket is dropped, and
with it what it carries: here the delay histogram of its rows, so that the statistics always cover
exactly the window.

Reference: A. Bifet, R. Gavaldà: Learning from Time-Changing Data with Adaptive Windowing, SDM 2007;
Ji 2018, ch. 3. One update may stand for many rows (a micro-batch; design note 3).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from slackwater.errors import check_version
from slackwater.stats.histogram import Counts, DelayHistogram, RunningCounts

VERSION = 1
SHORTEST = 5  # no verdict on parts with fewer items


@dataclass(frozen=True, slots=True)
class AdwinParams:
    """How sure a change must be.

    Parameters
    ----------
    delta
        Probability of a false alarm, δ of the source work.
    per_level
        Buckets of one size before two are merged.
    longest
        The window never holds more items than this.
    """

    delta: float = 0.002
    per_level: int = 5
    longest: int = 1_000_000


@dataclass(frozen=True, slots=True)
class Bucket:
    """Some consecutive items: how many, their mean, squared deviations, and their delays."""

    items: int
    mean: float
    deviation: float
    delays: DelayHistogram

    def merge(self, other: Bucket) -> Bucket:
        items = self.items + other.items
        apart = self.mean - other.mean
        mean = (self.mean * self.items + other.mean * other.items) / items
        between = apart * apart * self.items * other.items / items
        deviation = self.deviation + other.deviation + between
        return Bucket(items, mean, deviation, self.delays.merge(other.delays))


@dataclass(frozen=True, slots=True)
class AdwinState:
    """The window: ``levels[k]`` has buckets of 2^k updates, oldest first."""

    levels: tuple[tuple[Bucket, ...], ...] = ()
    dropped: int = 0
    version: int = VERSION

    def to_json(self) -> dict[str, Any]:
        """Plain lists: this is written with every batch."""
        levels = [
            [[b.items, b.mean, b.deviation, b.delays.counts] for b in level]
            for level in self.levels
        ]
        return {"levels": levels, "dropped": self.dropped, "version": self.version}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> AdwinState:
        levels = tuple(
            tuple(_bucket_from_json(bucket) for bucket in level) for level in value["levels"]
        )
        return cls(levels, value["dropped"], value["version"])


def _bucket_from_json(value: list[Any]) -> Bucket:
    items, mean, deviation, counts = value
    return Bucket(items, mean, deviation, DelayHistogram.from_json(counts))


class Adwin:
    """The adaptive window ``R^stat`` over the delays of one stream.

    Examples
    --------
    >>> window = Adwin.start(AdwinParams())
    >>> for value in [0.1] * 200 + [0.9] * 200:
    ...     dropped = window.update(value, DelayHistogram.of({0: 1}))
    >>> window.items, round(window.mean, 6)
    (200, 0.9)
    """

    def __init__(self, params: AdwinParams, state: AdwinState) -> None:
        self._params = params
        self._levels = [list(level) for level in state.levels]
        self._dropped = state.dropped
        self._items = sum(bucket.items for bucket in self._oldest_first())
        self._counts = RunningCounts()
        for bucket in self._oldest_first():
            self._counts.add(bucket.delays)

    @classmethod
    def start(cls, params: AdwinParams, state: AdwinState | None = None) -> Adwin:
        check_version("ADWIN", state, VERSION)
        return cls(params, state or AdwinState())

    def snapshot(self) -> AdwinState:
        return AdwinState(tuple(tuple(level) for level in self._levels), self._dropped)

    @property
    def items(self) -> int:
        return self._items

    @property
    def dropped(self) -> int:
        """Items that left the window since the start."""
        return self._dropped

    @property
    def mean(self) -> float:
        return self._whole()[0]

    @property
    def counts(self) -> Counts:
        """Rows inside the window by coarse delay, kept up to date at no cost."""
        return self._counts.get()

    def get(self) -> DelayHistogram:
        """The delays of the rows inside the window."""
        rows = self.counts
        at = np.flatnonzero(rows)
        return DelayHistogram(tuple(zip(at.tolist(), rows[at].tolist(), strict=True)))

    def update(
        self, value: float, delays: DelayHistogram, *, items: int = 1, deviation: float = 0.0
    ) -> int:
        """Add one value in [0, 1] that stands for ``items`` items; give how many items left."""
        if not self._levels:
            self._levels.append([])
        self._levels[0].append(Bucket(items, value, deviation, delays))
        self._items += items
        self._counts.add(delays)
        self._compress()
        before = self._dropped
        while self._has_changed() or self._items > self._params.longest:
            self._drop_oldest()
        return self._dropped - before

    def _oldest_first(self) -> Iterator[Bucket]:
        for level in reversed(self._levels):
            yield from level

    def _whole(self) -> tuple[float, float]:
        """Mean and squared deviations of all items, without the cost of merging histograms."""
        items, mean, deviation = 0, 0.0, 0.0
        for bucket in self._oldest_first():
            apart = bucket.mean - mean
            both = items + bucket.items
            deviation += bucket.deviation + apart * apart * items * bucket.items / both
            mean += apart * bucket.items / both
            items = both
        return mean, deviation

    def _compress(self) -> None:
        for number, level in enumerate(self._levels):
            if len(level) <= self._params.per_level:
                return
            if number + 1 == len(self._levels):
                self._levels.append([])
            self._levels[number + 1].append(level[0].merge(level[1]))
            del level[:2]

    def _has_changed(self) -> bool:
        """Whether any cut into an older and a newer part shows two different means."""
        items = self._items
        if items < 2 * SHORTEST:
            return False
        mean, deviation = self._whole()
        doubt = math.log(2 * math.log(items) / self._params.delta)
        noise = 2 * deviation / items * doubt
        older, total = 0, 0.0
        for bucket in self._oldest_first():
            older += bucket.items
            total += bucket.mean * bucket.items
            newer = items - older
            if newer < SHORTEST:
                return False
            if older < SHORTEST:
                continue
            apart = abs(total / older - (mean * items - total) / newer)
            inverse = 1 / older + 1 / newer
            if apart >= math.sqrt(inverse * noise) + 2 / 3 * inverse * doubt:
                return True
        return False

    def _drop_oldest(self) -> None:
        while not self._levels[-1]:
            self._levels.pop()
        oldest = self._levels[-1].pop(0)
        self._dropped += oldest.items
        self._items -= oldest.items
        self._counts.remove(oldest.delays)
        while len(self._levels) > 1 and not self._levels[-1]:
            self._levels.pop()
