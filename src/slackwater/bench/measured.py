"""What a run of one engine left behind: batch times and results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from pyspark.sql.streaming.query import StreamingQuery


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds of each batch (warm-up and sentinel included) and where the results lie."""

    engine: str
    seconds: tuple[float, ...]
    results: Path
    parts: tuple[dict[str, float], ...] = ()
    extra: dict[str, Any] = field(default_factory=dict)

    def steady(self, warmup: int, batches: int) -> tuple[float, ...]:
        """The batches that count: after warm-up, before the sentinel."""
        return self.seconds[warmup:batches]


class AgainstSpark:
    """A case measured in both engines; plain Spark has the faster of its state stores."""

    __slots__ = ()
    stores: dict[str, float]
    slackwater_s: float

    @property
    def store(self) -> str:
        return min(self.stores, key=lambda name: self.stores[name])

    @property
    def native_s(self) -> float:
        return self.stores[self.store]

    @property
    def ratio(self) -> float:
        """How many times faster Slackwater is."""
        return self.native_s / self.slackwater_s


def batch_times(query: StreamingQuery) -> tuple[tuple[float, ...], tuple[dict[str, float], ...]]:
    """Seconds of every batch that had input rows, whole and in Spark's parts."""
    seconds, parts = [], []
    for progress in query.recentProgress:
        if progress["numInputRows"] > 0:
            spent = progress["durationMs"]
            seconds.append(spent["triggerExecution"] / 1000)
            parts.append({name: ms / 1000 for name, ms in spent.items()})
    return tuple(seconds), tuple(parts)


def median_of(runs: Sequence[Measured], warmup: int, batches: int) -> float:
    """Median batch over all runs of one engine, in seconds."""
    return median(s for run in runs for s in run.steady(warmup, batches))
