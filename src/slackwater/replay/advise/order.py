"""Whether a recording is in the order of arrival, and where it is not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt

from slackwater.errors import SourceError
from slackwater.replay.advise.columns import quote
from slackwater.replay.advise.files import Files
from slackwater.stats.arrival import Instants


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """The arrival column; ``place`` has the row numbers in the files, ``None`` for all rows."""

    name: str
    values: npt.NDArray[Any]
    place: Instants | None = None

    @property
    def _back(self) -> Instants:
        return np.flatnonzero(self.values[1:] < self.values[:-1]) + 1

    @property
    def first_back(self) -> int | None:
        """The first row that arrived before the one in front of it."""
        back = self._back
        return int(back[0]) if back.size else None

    @property
    def times_back(self) -> int:
        return int(self._back.size)

    def sorted(self) -> Instants:
        """Row numbers by arrival; rows of one arrival stay as they are."""
        return np.argsort(self.values, kind="stable")


def refuse_unordered(connection: duckdb.DuckDBPyConnection, files: Files, order: Order) -> None:
    at = order.first_back
    assert at is not None
    places = order.place if order.place is not None else np.arange(order.values.size)
    rows = [int(places[at - 1]), int(places[at])]
    one, two = (_show(connection, files, order.name, row) for row in rows)
    path, row = _locate(connection, files, rows[1])
    raise SourceError(
        "ARRIVAL_UNORDERED",
        f"the arrival column {order.name!r} goes back at row {row:,} of {path}: "
        f"{two} after {one}; it goes back {order.times_back:,} times in all",
        "add --sort to sort by it, or give the column that orders the rows",
    )


def _show(connection: duckdb.DuckDBPyConnection, files: Files, name: str, row: int) -> str:
    sql = f"SELECT CAST({quote(name)} AS VARCHAR) FROM {files.relation} LIMIT 1 OFFSET {row}"
    return str(connection.execute(sql).fetchall()[0][0])


def _locate(connection: duckdb.DuckDBPyConnection, files: Files, row: int) -> tuple[str, int]:
    """The file of a row, and its number there, from 1."""
    for path in files.paths:
        counted = connection.execute(f"SELECT count(*) FROM {files.relation_of([path])}").fetchall()
        rows = int(counted[0][0])
        if row < rows:
            return path, row + 1
        row -= rows
    return files.paths[-1], row + 1
