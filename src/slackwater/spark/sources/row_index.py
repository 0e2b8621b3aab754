"""Where each row of a recording lies, and when it is due.

A recording is a sequence of Parquet row groups. The index holds, per group, the number of its first
row and the stream clock there; the clock inside a group is read from one column when needed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from slackwater.errors import SourceError

Ints = NDArray[np.int64]
_BEGINNING = np.iinfo(np.int64).min


@dataclass(frozen=True, slots=True)
class Group:
    """A row group: where it is, its first row number, the clock before it and at its first row."""

    path: str
    number: int
    rows: int
    first_row: int
    before: int
    first_clock: int


@dataclass(frozen=True, slots=True)
class RowIndex:
    """All row groups in replay order; ``clock`` names the column that paces."""

    clock: str
    groups: tuple[Group, ...]

    @property
    def rows(self) -> int:
        return self.groups[-1].first_row + self.groups[-1].rows if self.groups else 0

    def clock_at(self, row: int) -> int:
        """Stream clock at a row, microseconds: the largest value of the column so far."""
        if not self.groups:
            return 0
        group = self.groups[self._position(row)]
        return int(_clocks(group, self.clock)[min(row - group.first_row, group.rows - 1)])

    def due(self, until: int) -> int:
        """How many rows the clock has passed when it shows ``until``."""
        position = bisect_right(self.groups, until, key=lambda g: g.first_clock) - 1
        if position < 0:
            return 0
        group = self.groups[position]
        passed = np.searchsorted(_clocks(group, self.clock), until, side="right")
        return group.first_row + int(passed)

    def slices(self, first: int, last: int) -> Iterator[tuple[Group, int, int]]:
        """The groups that hold rows ``first`` to ``last - 1``, with the range inside each."""
        for group in self.groups[self._position(first) :] if first < last else ():
            if group.first_row >= last:
                return
            end = min(last - group.first_row, group.rows)
            yield group, max(first - group.first_row, 0), end

    def _position(self, row: int) -> int:
        return max(bisect_right(self.groups, row, key=lambda g: g.first_row) - 1, 0)


def build_index(files: Sequence[Path], clock: str) -> RowIndex:
    """Index Parquet files in the given order, by one pass over the clock column."""
    groups: list[Group] = []
    row, before = 0, int(_BEGINNING)
    for path in files:
        with pq.ParquetFile(path) as file:
            for number in range(file.num_row_groups):
                values = micros(file.read_row_group(number, columns=[clock]).column(clock))
                if len(values) == 0:
                    continue
                first = max(before, int(values[0]))
                groups.append(Group(str(path), number, len(values), row, before, first))
                row, before = row + len(values), max(before, int(values.max()))
    return RowIndex(clock, tuple(groups))


def by_first_arrival(files: Sequence[Path], arrival: str) -> list[Path]:
    """Files ordered by their first arrival; refuses empty arrivals and disorder inside."""
    spans = []
    for path in files:
        with pq.ParquetFile(path) as file:
            values = file.read(columns=[arrival]).column(arrival)
        if values.null_count:
            raise SourceError(
                "RECORDING_ARRIVAL",
                f"{values.null_count} rows of {path} have no {arrival!r}",
                "fill them, or leave arrival= out to replay in file order",
            )
        if len(values):
            numbers = micros(values)
            falls = np.flatnonzero(np.diff(numbers) < 0)
            if len(falls):
                _refuse_unsorted(f"row {int(falls[0]) + 1} of {path}", arrival)
            spans.append((int(numbers[0]), int(numbers[-1]), path))
    spans.sort(key=lambda span: span[:2])
    for (_, end, _), (start, _, path) in pairwise(spans):
        if start < end:
            _refuse_unsorted(f"the first row of {path}", arrival)
    return [path for *_, path in spans]


def micros(column: pa.ChunkedArray) -> Ints:
    """Instants as microseconds, other numbers as they are; a null is before everything."""
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.timestamp("us", column.type.tz), safe=False)
    numbers = column.cast(pa.int64(), safe=False)
    if numbers.null_count:
        numbers = numbers.fill_null(int(_BEGINNING))
    return np.asarray(numbers.to_numpy(), dtype=np.int64)


@lru_cache(maxsize=4)
def _clocks(group: Group, clock: str) -> Ints:
    with pq.ParquetFile(group.path) as file:
        values = micros(file.read_row_group(group.number, columns=[clock]).column(clock))
    return np.maximum.accumulate(np.maximum(values, group.before))


def _refuse_unsorted(where: str, arrival: str) -> None:
    raise SourceError(
        "RECORDING_UNSORTED",
        f"{where} has an earlier {arrival!r} than a row before it",
        "pass sort=True to sort the recording once into a cache folder",
    )
