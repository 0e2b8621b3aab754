"""A recorded stream, read from Parquet, CSV or JSON files into columns in arrival order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from slackwater.errors import SourceError
from slackwater.query.macros import teach
from slackwater.query.schema import Column, Schema
from slackwater.replay.advise.columns import Unit, arrival_sql, check_columns, quote, time_sql
from slackwater.replay.advise.files import Files, find_files
from slackwater.replay.advise.measure import Measure, measure
from slackwater.replay.advise.order import Order, refuse_unordered
from slackwater.replay.advise.timeline import Timeline
from slackwater.stats.arrival import Instants

BATCH = 500_000

Tell = Callable[[str, int, int | None], None]


def tell_nothing(_step: str, _done: int, _total: int | None) -> None:
    """For those who do not want to know how far it is."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns say what.

    Parameters
    ----------
    time
        Event time: a timestamp, or a number with ``unit``.
    aggregate
        Such as ``sum(v)``.
    arrival
        What orders the rows; file order if left out.
    by
        Key columns of the groups.
    unit
        What one is, if time is a number.
    sort
        Sort by arrival, if the recording is not.
    """

    time: str
    aggregate: str
    arrival: str | None = None
    by: tuple[str, ...] = ()
    unit: Unit | None = None
    sort: bool = False


@dataclass(frozen=True, slots=True)
class Described:
    """What was read: files, rows, keys, and rows set aside because time or arrival is null."""

    files: tuple[str, ...]
    rows: int
    keys: int
    set_aside: int


@dataclass(frozen=True, slots=True, eq=False)
class Recording:
    """Columns of a recording, and the rows set aside because time or arrival is null."""

    files: Files
    timeline: Timeline
    measure: Measure
    set_aside: int

    def described(self) -> Described:
        """All that is to be told of it, without its rows."""
        rows, keys = self.timeline.rows, self.timeline.key_count
        return Described(tuple(self.files.paths), rows, keys, self.set_aside)


def check_recording(patterns: Sequence[str], columns: Columns) -> None:
    """Name every problem with files, columns and aggregate that can be seen without the rows."""
    files = find_files(patterns)
    with duckdb.connect() as connection:
        schema = _schema(connection, files)
        check_columns(schema, columns.time, columns.arrival, columns.by)
        measure(columns.aggregate, _spark_names(schema))


def read_recording(
    patterns: Sequence[str], columns: Columns, tell: Tell = tell_nothing
) -> Recording:
    """Read what is needed of a recording; every problem is named."""
    files = find_files(patterns)
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        teach(connection)
        schema = _schema(connection, files)
        check_columns(schema, columns.time, columns.arrival, columns.by)
        found = measure(columns.aggregate, _spark_names(schema))
        table = _read(connection, files, _select(connection, files, schema, columns, found), tell)
        return _recording(connection, files, table, columns, found)


def _schema(connection: duckdb.DuckDBPyConnection, files: Files) -> Schema:
    try:
        rows = connection.execute(f"DESCRIBE FROM {files.relation}").fetchall()
    except duckdb.Error as error:
        raise _unreadable(files, error) from error
    return Schema(tuple(Column(str(row[0]), str(row[1])) for row in rows))


def _unreadable(files: Files, error: duckdb.Error) -> SourceError:
    reason = str(error).strip().splitlines()[0]
    first = files.paths[0] if len(files.paths) == 1 else f"{len(files.paths)} files"
    return SourceError("SOURCE_UNREADABLE", f"cannot read {first}: {reason}")


_NAMES = {"varchar": "string", "hugeint": "decimal(38,0)", "uinteger": "bigint", "real": "float"}


def _spark_names(schema: Schema) -> Schema:
    """DuckDB's types in Spark's spelling, as far as expressions need them."""
    plain = ((c.name, c.type.lower()) for c in schema.columns)
    return Schema(tuple(Column(name, _spark_name(kind)) for name, kind in plain))


def _spark_name(kind: str) -> str:
    if kind in ("ubigint", "usmallint", "utinyint"):
        return "bigint"
    return "timestamp" if kind.startswith("timestamp") else _NAMES.get(kind, kind)


def _select(
    connection: duckdb.DuckDBPyConnection,
    files: Files,
    schema: Schema,
    columns: Columns,
    found: Measure,
) -> str:
    time = time_sql(connection, files, schema, columns.time, columns.unit)
    wanted = [f"{time} AS t"]
    if columns.arrival is not None:
        arrival = arrival_sql(connection, files, schema, columns.arrival)
        wanted.append(f"{arrival} AS a")
    if found.argument is not None:
        is_count = found.kind == "count"
        flag = f"CASE WHEN ({found.argument}) IS NOT NULL THEN 1.0::DOUBLE END"
        wanted.append(f"{flag if is_count else f'CAST({found.argument} AS DOUBLE)'} AS v")
    wanted += [f"{quote(name)} AS k{number}" for number, name in enumerate(columns.by)]
    return f"SELECT {', '.join(wanted)} FROM {files.relation}"


def _read(connection: duckdb.DuckDBPyConnection, files: Files, sql: str, tell: Tell) -> pa.Table:
    """All rows, telling how far it is."""
    total = None
    try:
        if files.reader == "read_parquet":
            counted = connection.execute(f"SELECT count(*) FROM {files.relation}").fetchall()
            total = int(counted[0][0])
        reader: pa.RecordBatchReader = connection.sql(sql).to_arrow_reader(BATCH)
        batches, done = [], 0
        for batch in reader:
            batches.append(batch)
            done += batch.num_rows
            tell("read", done, total)
        return pa.Table.from_batches(batches, schema=reader.schema)
    except duckdb.Error as error:
        raise _unreadable(files, error) from error


def _recording(
    connection: duckdb.DuckDBPyConnection,
    files: Files,
    table: pa.Table,
    columns: Columns,
    found: Measure,
) -> Recording:
    rows = table.num_rows
    usable = table.column("t").is_valid()
    if columns.arrival is not None:
        usable = pc.and_(usable, table.column("a").is_valid())
    place = None
    if table.column("t").null_count or (columns.arrival and table.column("a").null_count):
        place = np.flatnonzero(usable.to_numpy())
        table = table.filter(usable)
    if not table.num_rows:
        raise _without_rows(files, columns, rows)
    if columns.arrival is not None:
        order = Order(columns.arrival, table.column("a").to_numpy(), place)
        if order.first_back is not None and not columns.sort:
            refuse_unordered(connection, files, order)
        if order.first_back is not None:
            table = table.take(pa.array(order.sorted()))
    return Recording(files, _timeline(table, columns), found, rows - table.num_rows)


def _without_rows(files: Files, columns: Columns, rows: int) -> SourceError:
    if not rows:
        return SourceError("SOURCE_EMPTY", f"there are no rows in {', '.join(files.paths[:3])}")
    names = columns.time if columns.arrival is None else f"{columns.time} or {columns.arrival}"
    return SourceError("TIME_NULL", f"{names} is null in all {rows:,} rows")


def _timeline(table: pa.Table, columns: Columns) -> Timeline:
    times = table.column("t").to_numpy()
    if times.min() == times.max():
        raise SourceError(
            "TIME_CONSTANT",
            f"{columns.time} is the same in all {times.size:,} rows: time does not pass",
            "give the column that says when things happened",
        )
    keys, count = _keys([table.column(f"k{n}") for n in range(len(columns.by))])
    has_values = "v" in table.column_names
    values = table.column("v").to_numpy() if has_values else None
    return Timeline.of(times, keys, values, key_count=count)


def _keys(parts: list[Any]) -> tuple[Instants | None, int | None]:
    """Dense numbers of the key combinations that occur."""
    if not parts:
        return None, None
    code: Instants | None = None
    for part in parts:
        encoded = pc.dictionary_encode(part, null_encoding="encode").combine_chunks()
        encoded = encoded.combine_chunks() if isinstance(encoded, pa.ChunkedArray) else encoded
        indices = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        width = len(encoded.dictionary)
        code = (
            indices if code is None else np.unique(code * width + indices, return_inverse=True)[1]
        )
    assert code is not None
    return code, int(code.max()) + 1
