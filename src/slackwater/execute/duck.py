"""DuckDB in the driver over Arrow tables: milliseconds per batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from slackwater.errors import MachineError
from slackwater.execute import sketch
from slackwater.execute.engine import Wanted
from slackwater.execute.shape import fitted
from slackwater.execute.slices import mapped, taken
from slackwater.plan.sql.statement import Statement
from slackwater.plan.sql.windows import Writer
from slackwater.query.macros import teach
from slackwater.query.typed import UnsupportedError
from slackwater.runs.files import write_file
from slackwater.runs.run import Run, checksum, filled, verify
from slackwater.zones import duckdb_setting

DISKS = 4  # files flushed at the same time cost hardly more than one
# Values that cannot be computed; files that cannot be read are other errors.
FAULTS = (
    duckdb.Error,
    pa.ArrowException,
    UnicodeError,
    OverflowError,
    RecursionError,
    UnsupportedError,
)


class DuckReader:
    """Runs statements over runs and tables; writes nothing."""

    def __init__(
        self, folder: Path, duck: duckdb.DuckDBPyConnection, tables: dict[str, pa.Table]
    ) -> None:
        self.folder = folder
        self.writer = Writer()
        self._duck = duck
        self._tables = tables

    def run(
        self,
        statement: Statement,
        schema: pa.Schema,
        parameters: Mapping[str, int],
        relations: Mapping[str, pa.Table | Wanted],
    ) -> pa.Table:
        result = self.ask(statement, relations, parameters)
        return fitted(result.select(schema.names), schema)

    def ask(
        self,
        statement: Statement,
        relations: Mapping[str, pa.Table | Wanted],
        parameters: Mapping[str, int] | None = None,
    ) -> pa.Table:
        """Run a statement; the result has the types that DuckDB gives it."""
        taken = {name: (parameters or {})[name] for name in statement.parameters}
        for name in statement.reads:
            one = relations[name]
            self._duck.register(name, self.load(one) if isinstance(one, Wanted) else one)
        try:
            return self._duck.sql(statement.text, params=taken or None).to_arrow_table()
        finally:
            for name in statement.reads:
                self._duck.unregister(name)

    def load(self, wanted: Wanted) -> pa.Table:
        if not wanted.runs:
            return wanted.schema.empty_table()
        return pa.concat_tables([self._table(run, wanted.schema) for run in wanted.runs])

    def _table(self, run: Run, schema: pa.Schema) -> pa.Table:
        known = self._tables.get(run.path)
        if known is None or not set(schema.names) <= set(known.column_names):
            self._check(run)
            self._tables[run.path] = usable(run, self._file(run), schema.names)
        return fitted(self._tables[run.path].select(schema.names), schema)

    def _check(self, run: Run) -> None:
        """Raise unless a run is what was written."""
        verify(run, self.folder)

    def _file(self, run: Run) -> Path:
        """Where a run is read."""
        return self.folder / run.path


class DuckEngine(DuckReader):
    """A reader that also writes: live runs are kept in memory and, for restart, on disk."""

    def __init__(
        self,
        folder: Path,
        *,
        sketches: bool = True,
        zone: str = "UTC",
        duck: duckdb.DuckDBPyConnection | None = None,
    ) -> None:
        super().__init__(folder, duck or connected(zone, sketches=sketches), {})
        self._disk = ThreadPoolExecutor(DISKS, thread_name_prefix="slackwater-runs")
        self._writing: list[Future[None]] = []

    def save(self, relation: pa.Table, run: Run, time: str) -> Run | None:
        if relation.num_rows == 0:
            return None
        buffer = pa.BufferOutputStream()
        pq.write_table(relation, buffer, compression="snappy", use_dictionary=False)
        return self._saved(relation, timed(run, relation, time), memoryview(buffer.getvalue()))

    def hold(self, relation: pa.Table, run: Run, time: str) -> Run | None:
        """A run that this batch alone reads."""
        if relation.num_rows == 0:
            return None
        self._tables[run.path] = relation
        return replace(timed(run, relation, time), rows=relation.num_rows)

    def _saved(self, relation: pa.Table, run: Run, data: memoryview) -> Run:
        """A run that is on its way to the disk, and in memory already."""
        self._writing.append(self._disk.submit(write_file, self.folder / run.path, data))
        parts: dict[str, tuple[int, int | None]] = {"": (data.nbytes, checksum(data))}
        saved = filled(run, relation.num_rows, run.low, run.high, parts)
        self._tables[saved.path] = relation
        return saved

    def settle(self) -> None:
        """Wait until every run is whole on disk; raise what went wrong."""
        writing, self._writing = self._writing, []
        for run in writing:
            run.result()

    @contextmanager
    def beside(self) -> Iterator[DuckReader]:
        """A reader of the same runs, for another thread."""
        cursor = self._duck.cursor()
        try:
            yield DuckReader(self.folder, cursor, dict(self._tables))
        finally:
            cursor.close()

    def keep_only(self, runs: Sequence[Run]) -> None:
        """Drop every table from memory that is not one of these runs."""
        live = {run.path for run in runs}
        self._tables = {path: table for path, table in self._tables.items() if path in live}

    def close(self) -> None:
        """Give memory back; nothing is written any more after this."""
        self._disk.shutdown(cancel_futures=True)
        self._tables.clear()
        self._duck.close()
        del self._duck  # Spark keeps the loop alive; DuckDB complains of what lives at exit


def timed(run: Run, relation: pa.Table, time: str) -> Run:
    """A run with the times that its rows span."""
    bounds = pc.min_max(relation[time])
    return replace(run, low=bounds["min"].as_py(), high=bounds["max"].as_py())


def usable(run: Run, path: Path, names: list[str] | None = None) -> pa.Table:
    """The rows of a run that belong to its state, from where it lies."""
    if run.slices is not None:
        return taken(mapped(path), run.slices)
    table = pq.read_table(path, columns=names)
    if run.upper is not None:
        table = table.filter(pc.less_equal(table["pane"], run.upper))
    if "pane" in table.column_names:
        table = table.filter(pc.is_valid(table["pane"]))
    return table


def connected(zone: str, *, sketches: bool) -> duckdb.DuckDBPyConnection:
    """A connection in which statements mean what they mean in the session's zone."""
    duck = duckdb.connect(":memory:")
    _put_into(duck, zone)
    teach(duck)
    # joins are run as written: DuckDB would start with pairs that only time connects (note 5)
    duck.execute("SET disabled_optimizers = 'join_order'")
    duck.execute("SET enable_progress_bar = false")
    if sketches:
        sketch.register(duck)
    return duck


def _put_into(duck: duckdb.DuckDBPyConnection, zone: str) -> None:
    """Let hours and days be those of the session's zone, for cursors of this connection too."""
    try:
        duck.execute(duckdb_setting(zone))
    except duckdb.Error as error:
        raise MachineError(
            "ZONE_UNKNOWN",
            f"DuckDB does not know the time zone {zone!r} of the session",
            "set spark.sql.session.timeZone to a region (Europe/Berlin) or an offset (+05:30)",
        ) from error
