"""Tables that rows look something up in: read from where they are, kept as runs, one per version.

The batch that reads a table again does so last, and its manifest names the version: so the next
batch, and every repetition of it, sees that one. Before the first manifest the record of what was
decided names it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import dataset

from slackwater.arrow_types import arrow_type, sql_type
from slackwater.control.records import Decision
from slackwater.control.refresh import Refresh
from slackwater.errors import SourceError
from slackwater.plan.lookup import TablePlan
from slackwater.plan.sql.windows import Writer
from slackwater.query.schema import Column, Schema
from slackwater.query.table import TableDef
from slackwater.runs.catalog import Catalog, table_state
from slackwater.runs.files import write_file
from slackwater.runs.run import Run, checksum, filled, new_run
from slackwater.units import DurationLike

TableSource: TypeAlias = Any  # a path, an Arrow table, a DataFrame, or a function that gives one
READERS: dict[str, Callable[[Path], pa.Table]] = {
    ".parquet": lambda path: dataset.dataset(path, format="parquet").to_table(),
    ".csv": lambda path: dataset.dataset(path, format="csv").to_table(),
}


def table(
    name: str,
    source: TableSource,
    *,
    refresh: DurationLike | None = None,
    schema: Mapping[str, str] | None = None,
) -> TableDef:
    """A table that rows of a stream look something up in: ``stream.lookup(table, on=...)``.

    It is read when the pipeline starts, and kept in the checkpoint as it was then; it should be
    small, for every task has all of it.

    Parameters
    ----------
    name
        Names the table in expressions, plans and notices.
    source
        A Parquet or CSV file (or a folder of such files that are called so), an Arrow table, a
        pandas or Spark DataFrame, or a function without arguments that gives one of these.
    refresh
        How long a version is used, by the clock of the query: ``"1 hour"``; 0 is one batch. Without
        it the table is read once.
    schema
        Columns and their SQL types, as which they are read; by default what the source has.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table("countries", pa.table({"code": ["de"], "name": ["Germany"]})).schema.names
    ('code', 'name')
    """
    if schema is not None:
        return TableDef(name, Schema.of(**schema), refresh, source)
    found = _read(name, source)
    columns = []
    for one in found.schema:
        kind = sql_type(one.type)
        if kind is None:
            hint = (
                f'leave it out with schema={{...}}, or say its type: schema={{"{one.name}": ...}}'
            )
            raise SourceError("TABLE_TYPE", f"table {name!r}: {one.name} is {one.type}", hint)
        columns.append(Column(one.name, kind))
    return TableDef(name, Schema(tuple(columns)), refresh, source)


def _read(name: str, source: TableSource) -> pa.Table:
    """All rows of a table, from wherever they are."""
    if callable(source):
        source = _called(name, source)
    if isinstance(source, pa.Table):
        return source
    if isinstance(source, str | Path):
        return _read_file(name, Path(source))
    if hasattr(source, "toArrow"):  # a DataFrame of Spark's
        return source.toArrow()
    if hasattr(source, "__dataframe__") or hasattr(source, "__arrow_c_stream__"):
        return pa.table(source) if hasattr(source, "__arrow_c_stream__") else _of_frame(source)
    hint = "a Parquet or CSV file, an Arrow table, a DataFrame, or a function that gives one"
    raise SourceError("TABLE_SOURCE", f"table {name!r}: {type(source).__name__} is no table", hint)


def _called(name: str, source: Callable[[], TableSource]) -> TableSource:
    try:
        return source()
    except Exception as error:  # whatever people's code does
        text = f"table {name!r}: its function failed: {type(error).__name__}: {error}"
        raise SourceError("TABLE_UNREADABLE", text) from error


def _of_frame(source: Any) -> pa.Table:
    return pa.Table.from_pandas(source, preserve_index=False)


def _read_file(name: str, path: Path) -> pa.Table:
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        text = f"table {name!r}: {path} is called neither .parquet nor .csv"
        raise SourceError("TABLE_SOURCE", text, "read it yourself: source=lambda: ...")
    try:
        return reader(path)
    except (OSError, pa.ArrowException) as error:
        reason = (
            "is missing" if isinstance(error, FileNotFoundError) else f"cannot be read: {error}"
        )
        raise SourceError("TABLE_UNREADABLE", f"table {name!r}: {path} {reason}") from error


def read_version(plan: TablePlan, source: TableSource) -> pa.Table:
    """The rows of a table now, in the columns of the plan; raises if they are not what it takes."""
    found = _read(plan.name, source)
    missing = [name for name in plan.schema.names if name not in found.column_names]
    if missing:
        text = f"table {plan.name!r} has no column {', '.join(missing)}"
        raise SourceError("TABLE_COLUMNS", text, f"columns there: {', '.join(found.column_names)}")
    wanted = version_schema(plan)
    try:
        rows = found.select(plan.schema.names).rename_columns(wanted.names).cast(wanted)
    except pa.ArrowException as error:
        raise SourceError("TABLE_COLUMNS", f"table {plan.name!r}: {error}") from error
    for keys in plan.keys:
        _check_unique(plan, rows, keys)
    return rows


def version_schema(plan: TablePlan) -> pa.Schema:
    """The columns of a version: as the rows of streams call them."""
    return pa.schema([(f"{plan.name}_{c.name}", arrow_type(c.type)) for c in plan.schema.columns])


def _check_unique(plan: TablePlan, rows: pa.Table, keys: Sequence[str]) -> None:
    names = [Writer().name(f"{plan.name}_{key}") for key in keys]
    some = " AND ".join(f"{name} IS NOT NULL" for name in names)
    text = f"SELECT {', '.join(names)}, count(*) FROM rows WHERE {some} GROUP BY ALL"
    with duckdb.connect(":memory:") as duck:
        duck.register("rows", rows)
        found = duck.sql(f"{text} HAVING count(*) > 1 ORDER BY ALL LIMIT 1").fetchall()
    for twice in found:
        shown = ", ".join(f"{key} = {value!r}" for key, value in zip(keys, twice, strict=False))
        text = f"table {plan.name!r} has {twice[-1]} rows with {shown}"
        hint = "a row of a stream belongs to one: make them unique, or look up by more columns"
        raise SourceError("TABLE_KEYS", text, hint)


@dataclass(slots=True)
class Tables:
    """The tables of a pipeline: where they are read, and the versions in force."""

    plans: tuple[TablePlan, ...]
    sources: dict[str, TableSource]
    folder: Path
    known: dict[str, Run] = field(default_factory=dict)

    def begin(self, catalog: Catalog, begun: Sequence[Run]) -> None:
        """Go on with the versions there are; what is new is read now."""
        for run in begun:
            if not catalog.at(run.state):
                catalog.add(run)
        for plan in self.plans:
            if not catalog.at(table_state(plan.name)):
                rows = read_version(plan, self.sources[plan.name])
                catalog.add(self._written(plan, rows, 0))

    def in_force(self, catalog: Catalog) -> dict[str, Run]:
        """By table, the version that the rows of a batch meet."""
        return {plan.name: catalog.at(table_state(plan.name))[0] for plan in self.plans}

    def renew(self, decision: Decision, catalog: Catalog) -> Iterator[str]:
        """Read again what is due; tells what became of it. Where that cannot be done the version in
        force stays.
        """
        orders = [query.find(Refresh) for query in decision.queries.values()]
        due = {name for order in orders if order is not None for name in order.tables}
        for plan in self.plans:
            if plan.name not in due:
                continue
            was = catalog.at(table_state(plan.name))[0]
            try:
                rows = read_version(plan, self.sources[plan.name])
            except SourceError as error:
                yield f"{error.message}: the version of batch {was.batch} goes on"
                continue
            run = self._written(plan, rows, decision.batch + 1, was)
            if run is not was:
                catalog.drop(table_state(plan.name))
                catalog.add(run)
                yield f"table {plan.name!r} was read again: {rows.num_rows:,} rows"

    def _written(self, plan: TablePlan, rows: pa.Table, batch: int, was: Run | None = None) -> Run:
        """A version as a run, flushed; the one before if nothing changed."""
        buffer = pa.BufferOutputStream()
        pq.write_table(rows, buffer, compression="snappy")
        data = memoryview(buffer.getvalue())
        parts: dict[str, tuple[int, int | None]] = {"": (data.nbytes, checksum(data))}
        if was is not None and was.parts == parts:
            return was
        run = new_run(table_state(plan.name), batch, "t")
        write_file(self.folder / run.path, data)
        return filled(run, rows.num_rows, 0, 0, parts)
