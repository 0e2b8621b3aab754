"""The columnar tier: DuckDB in the driver over Arrow tables, milliseconds per batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import DataFrame

from slackwater.control.records import Tier
from slackwater.errors import MachineError
from slackwater.plan.state import State
from slackwater.plan.statement import Writer
from slackwater.query.macros import teach
from slackwater.spark import sketch
from slackwater.spark.checkpoint import write_file
from slackwater.spark.engine import Delta, Marks, Wanted, filled, new_run
from slackwater.spark.inputs import InputReader, row_counts
from slackwater.spark.run import Run, checksum, verify
from slackwater.spark.schemas import fitted
from slackwater.stats.panes import PaneCount
from slackwater.zones import duckdb_setting

DISKS = 4  # files flushed at the same time cost hardly more than one
_STATISTICS = ("__passes", "__hour", "__low", "__high", "__beat")


class ColumnarEngine:
    """Runs statements in DuckDB; keeps live runs in memory and, for restart, on disk."""

    def __init__(self, folder: Path, *, sketches: bool = True, zone: str = "UTC") -> None:
        self.folder = folder
        self.writer = Writer("duckdb")
        self._tables: dict[str, pa.Table] = {}
        self._disk = ThreadPoolExecutor(DISKS, thread_name_prefix="slackwater-runs")
        self._writing: list[Future[None]] = []
        self._duck = duckdb.connect(":memory:")
        _put_into(self._duck, zone)
        teach(self._duck)
        # joins are run as written: DuckDB would start with pairs that only time connects
        self._duck.execute("SET disabled_optimizers = 'join_order'")
        if sketches:
            sketch.register(self._duck)

    @property
    def tier(self) -> Tier:
        return "columnar"

    def observe(
        self, partials: DataFrame, state: State, batch: int, sums: Sequence[str]
    ) -> Delta[pa.Table]:
        table = partials.toArrow()
        counts, beat = histogram(table)
        return Delta(state, table, None, counts, beat, totals(table, sums))

    def read_inputs(
        self, reader: InputReader, rows: DataFrame, batch: int, marks: Marks
    ) -> list[Delta[pa.Table]]:
        frame, beside = reader.rows(rows)
        parts = reader.take_apart(frame.toArrow())
        found = []
        for number, (one, table) in enumerate(zip(reader.inputs, parts, strict=True)):
            identity = one.state.identity
            counts = row_counts(table["pane"], one.state.pane, marks.cuts.get(identity, ()))
            counts += reader.failed(beside, number)
            if identity in marks.at:
                at = pa.repeat(pa.scalar(marks.at[identity], pa.int64()), table.num_rows)
                table = table.append_column("__at", at)
            found.append(Delta(one.state, table, None, counts, reader.beat(beside), {}))
        return found

    def distinct(self, delta: Delta[pa.Table], columns: Sequence[str]) -> dict[str, float]:
        assert delta.relation is not None
        return distinct_values(delta.relation.select(columns))

    def absorb(self, delta: Delta[pa.Table], batch: int, bound: int | None) -> Run | None:
        table = delta.relation
        assert table is not None
        keep = pc.is_valid(table["pane"])
        if bound is not None:
            keep = pc.and_kleene(keep, pc.less_equal(table["pane"], bound))
        beside = [name for name in _STATISTICS if name in table.column_names]
        usable = table.filter(keep).drop_columns(beside)
        return self.save(usable, new_run(delta.state.identity, batch, "d"), "pane")

    def sql(
        self, text: str, schema: pa.Schema, parameters: dict[str, int], **relations: pa.Table
    ) -> pa.Table:
        used = {name: parameters[name] for name in _parameters(text)}
        for name, table in relations.items():
            self._duck.register(name, table)
        try:
            result = self._duck.sql(text, params=used or None).to_arrow_table()
        finally:
            for name in relations:
                self._duck.unregister(name)
        return fitted(result.select(schema.names), schema)

    def save(self, relation: pa.Table, run: Run, time: str) -> Run | None:
        if relation.num_rows == 0:
            return None
        bounds = pc.min_max(relation[time])
        buffer = pa.BufferOutputStream()
        pq.write_table(relation, buffer, compression="snappy", use_dictionary=False)
        data = buffer.getvalue().to_pybytes()
        self._writing.append(self._disk.submit(write_file, self.folder / run.path, data))
        parts: dict[str, tuple[int, int | None]] = {"": (len(data), checksum(data))}
        low, high = bounds["min"].as_py(), bounds["max"].as_py()
        saved = filled(run, relation.num_rows, low, high, parts)
        self._tables[saved.path] = relation
        return saved

    def settle(self) -> None:
        """Wait until every run is whole on disk; raise what went wrong."""
        writing, self._writing = self._writing, []
        for run in writing:
            run.result()

    def load(self, runs: Sequence[Run], schema: pa.Schema, by: str | None = None) -> pa.Table:
        if not runs:
            return schema.empty_table()
        return pa.concat_tables([self._table(run, schema) for run in runs])

    def load_all(self, wanted: Mapping[str, Wanted]) -> dict[str, pa.Table]:
        return {name: self.load(*one) for name, one in wanted.items()}

    def _table(self, run: Run, schema: pa.Schema) -> pa.Table:
        known = self._tables.get(run.path)
        if known is None or not set(schema.names) <= set(known.column_names):
            verify(run, self.folder)
            table = pq.read_table(self.folder / run.path, columns=schema.names)
            if run.upper is not None:
                table = table.filter(pc.less_equal(table["pane"], run.upper))
            if "pane" in schema.names:
                table = table.filter(pc.is_valid(table["pane"]))
            self._tables[run.path] = table
        return fitted(self._tables[run.path].select(schema.names), schema)

    def hold(self, relation: pa.Table) -> pa.Table:
        return relation

    def let_go(self, relation: pa.Table) -> None:
        pass

    def detach(self, relation: pa.Table) -> pa.Table:
        return relation

    def gather(self, relation: pa.Table) -> pa.Table:
        return relation

    def concat(self, parts: Sequence[pa.Table]) -> pa.Table:
        return pa.concat_tables(parts)

    def arrow(self, relation: pa.Table) -> pa.Table:
        return relation

    def pick(self, relation: pa.Table, schema: pa.Schema, marked: str | None = None) -> pa.Table:
        rows = relation if marked is None else relation.filter(relation[marked])
        return rows.select(schema.names)

    def lift(self, table: pa.Table) -> pa.Table:
        return table

    def tally(self, relation: pa.Table, column: str) -> dict[int, int]:
        counts = pc.value_counts(relation[column])
        return {count["values"]: count["counts"] for count in counts.to_pylist()}

    @contextmanager
    def beside(self) -> Iterator[ColumnarEngine]:
        """A second engine over the same runs, for a reader in another thread."""
        other = ColumnarEngine.__new__(ColumnarEngine)
        other.folder, other.writer = self.folder, self.writer
        other._tables, other._duck = dict(self._tables), self._duck.cursor()
        try:
            yield other
        finally:
            other._duck.close()

    def is_empty(self, relation: pa.Table) -> bool:
        return bool(relation.num_rows == 0)

    def forget(self, runs: Sequence[Run]) -> None:
        for run in runs:
            self._tables.pop(run.path, None)

    def close(self) -> None:
        """Give memory back; nothing is written any more after this."""
        self._disk.shutdown(cancel_futures=True)
        self._tables.clear()
        self._duck.close()
        del self._duck  # Spark keeps the loop alive; DuckDB complains of what lives at exit

    def keep_only(self, runs: Sequence[Run]) -> None:
        """Drop every table from memory that is not one of these runs."""
        live = {run.path for run in runs}
        self._tables = {path: table for path, table in self._tables.items() if path in live}


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


@lru_cache(maxsize=1024)
def _parameters(text: str) -> frozenset[str]:
    """The parameters of a statement, as DuckDB sees them; a person's text may look like one."""
    return frozenset(duckdb.extract_statements(text)[0].named_parameters)


def histogram(delta: pa.Table) -> tuple[tuple[PaneCount, ...], int | None]:
    """Rows per pane of a delta (per hour if they fail its filter), and its newest heartbeat."""
    groups = delta.group_by(["pane", "__passes", "__hour"]).aggregate(
        [("__rows", "sum"), ("__low", "min"), ("__high", "max"), ("__beat", "max")]
    )
    counts = tuple(
        PaneCount(
            group["pane"],
            group["__passes"],
            group["__rows_sum"],
            group["__low_min"],
            group["__high_max"],
        )
        for group in groups.to_pylist()
        if group["__rows_sum"]
    )
    return counts, pc.max(groups["__beat_max"]).as_py()


def distinct_values(table: pa.Table) -> dict[str, float]:
    """Distinct values of each column."""
    return {name: float(_distinct(table[name])) for name in table.column_names}


def _distinct(values: pa.ChunkedArray) -> int:
    if not pa.types.is_nested(values.type):
        return int(pc.count_distinct(values).as_py())
    with duckdb.connect(":memory:") as duck:  # Arrow tells no two structs or lists apart
        duck.register("rows", pa.table({"value": values}))
        [found] = duck.sql("SELECT count(DISTINCT value) FROM rows").fetchall()
    return int(found[0])


def totals(delta: pa.Table, names: Sequence[str]) -> dict[str, float]:
    """Totals of partials over the rows that have a pane."""
    if not names:
        return {}
    placed = delta.filter(pc.is_valid(delta["pane"]))
    return {name: float(pc.sum(placed[name]).as_py() or 0) for name in names}
