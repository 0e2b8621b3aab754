"""Streaming reader over rows that have numbers: offsets are row numbers, the pace is a wall clock.

Spark keeps only ``{"row": n}`` in its checkpoint. Pace is counted from the first offset asked for
in a run: a stream that was down for an hour continues where it stopped, at the same pace, and does
not hurry to catch up. Under the trigger ``availableNow`` there is no pace: all rows that the
source will ever have count as available, and are handed out ``rows_per_batch`` at a time.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxRows,
    SupportsTriggerAvailableNow,
)

from slackwater.errors import SourceError
from slackwater.units import SECOND

ROWS_PER_BATCH = 10_000
_ROWS_PER_TASK = 50_000  # below this a second task costs more than it saves


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast rows are handed out.

    ``speed`` is stream seconds per wall second, ``None`` as fast as possible; ``rows_per_batch``
    bounds a micro-batch, ``None`` leaves it open; ``tasks`` is the most Spark tasks per batch.
    """

    speed: float | None = 1.0
    rows_per_batch: int | None = None
    tasks: int = 1

    def problems(self) -> list[str]:
        """What is wrong with it, empty if nothing."""
        checks = (
            ("speed", self.speed, "a positive number, or None for as fast as possible"),
            ("rows_per_batch", self.rows_per_batch, "a positive number of rows, or None"),
            ("partitions", self.tasks, "a positive number"),
        )
        return [
            f"{name} is {value}; it must be {allowed}"
            for name, value, allowed in checks
            if value is not None and not 0 < value < float("inf")
        ]


class RowRange(InputPartition):
    """Rows number ``first`` to ``last - 1``."""

    def __init__(self, first: int, last: int) -> None:
        super().__init__((first, last))
        self.first = first
        self.last = last


class PacedReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Offsets, pace, admission control and partitions; subclasses know clock and rows."""

    def __init__(self, pace: Pace, total: int | None) -> None:
        self._pace = pace
        self._total = total
        self._anchor: tuple[int, float] | None = None
        self._available_now = False

    @abstractmethod
    def clock(self, row: int) -> int:
        """Stream time at which a row is due, microseconds."""

    @abstractmethod
    def due(self, until: int) -> int:
        """How many rows are due by that stream time, microseconds."""

    @abstractmethod
    def batches(self, first: int, last: int) -> Iterator[pa.RecordBatch]:
        """Rows ``first`` to ``last - 1`` as Arrow batches."""

    def initialOffset(self) -> dict[str, int]:
        return {"row": 0}

    def prepareForTriggerAvailableNow(self) -> None:
        if self._total is None:
            raise SourceError(
                "SOURCE_ENDLESS",
                "the trigger availableNow asks for all rows of a source that has no end",
                "give total_rows, or use another trigger",
            )
        self._available_now = True

    def getDefaultReadLimit(self) -> ReadLimit:
        unpaced = ROWS_PER_BATCH if self._pace.speed is None else None
        rows = self._pace.rows_per_batch or unpaced
        return ReadAllAvailable() if rows is None else ReadMaxRows(rows)

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, int]:
        row = int(start["row"])
        last = self._available(row)
        if isinstance(limit, ReadMaxRows):
            last = min(last, row + limit.max_rows)
        elif self._available_now:  # a paced source without a bound: not everything in one batch
            last = min(last, row + ROWS_PER_BATCH)
        return {"row": max(row, last)}

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[RowRange]:
        first, rows = int(start["row"]), int(end["row"]) - int(start["row"])
        if rows <= 0:
            return []
        tasks = min(self._pace.tasks, -(-rows // _ROWS_PER_TASK))
        cuts = [first + rows * part // tasks for part in range(tasks + 1)]
        return [RowRange(a, b) for a, b in pairwise(cuts)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        first, last = partition.value
        return self.batches(first, last)

    def _available(self, row: int) -> int:
        if self._available_now or self._pace.speed is None:
            free = row + (self._pace.rows_per_batch or ROWS_PER_BATCH)
            return free if self._total is None else self._total
        # The first offset of this run is due now; from here on stream time follows the wall.
        if self._anchor is None:
            self._anchor = (self._clock_or_end(row), time.monotonic())
        begin, wall = self._anchor
        due = self.due(begin + round((time.monotonic() - wall) * self._pace.speed * SECOND))
        return due if self._total is None else min(due, self._total)

    def _clock_or_end(self, row: int) -> int:
        done = self._total is not None and row >= self._total
        return self.clock(row - 1 if done and row > 0 else row)
