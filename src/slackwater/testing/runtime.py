"""Rows given by hand instead of by Spark: Arrow tables, one pass over them by DuckDB."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from slackwater.control.orders import Piece
from slackwater.control.records import Policy, Tier
from slackwater.control.turn import Turn
from slackwater.errors import SlackwaterError
from slackwater.execute.backlog import places_of, read_part
from slackwater.execute.delta import Delta, distinct_values, pane_counts, row_counts, totals
from slackwater.execute.duck import DuckEngine
from slackwater.execute.engine import Engine
from slackwater.execute.runtime import Asked, Seen
from slackwater.execute.shape import JoinShape, Shapes
from slackwater.execute.sinks.sink import Results, TableResults
from slackwater.plan.sql.statement import Statement
from slackwater.plan.stage import StreamPlan
from slackwater.plan.state import State
from slackwater.replay.types import arrow_type
from slackwater.runs.catalog import backlog_state
from slackwater.runs.files import write_file
from slackwater.runs.run import Run, checksum, filled, new_run
from slackwater.stats.panes import PaneCount
from slackwater.units import HOUR


@dataclass(frozen=True, slots=True)
class Micro:
    """A micro-batch: rows by stream, and the wall time of a heartbeat in it, microseconds."""

    tables: Mapping[str, pa.Table]
    beat: int | None = None


@dataclass(slots=True)
class ArrowRuntime:
    """Gives the loop what Spark would, from tables; state is always in the driver."""

    policy: Policy
    shapes: Shapes
    joins: dict[str, JoinShape]
    runs: Path
    driver: DuckEngine | None = None
    panes: dict[str, pa.Schema] = field(init=False)
    inputs: dict[str, pa.Schema] = field(init=False)

    def __post_init__(self) -> None:
        self.panes = {
            stage.state.identity: self.shapes[query.name, stage.level].panes
            for query in self.policy.plan.queries
            for stage in query.stages
        }
        self.inputs = {
            one.state.identity: shape.input(one.name)
            for shape in self.joins.values()
            for one in shape.plan.inputs
        }

    def engine(self, tier: Tier, driver: DuckEngine, rows: Micro | None) -> Engine[Any]:
        if tier != "columnar":
            raise SlackwaterError("TIER_UNKNOWN", "without Spark there is no spark tier")
        self.driver = driver
        return driver

    def observe(self, engine: Engine[Any], rows: Micro, asked: Asked) -> Seen:
        streams = {stream.name: stream for stream in self.policy.plan.streams}
        waiting = {q.base.state.identity: q.name for q in self.policy.plan.queries if q.costly}
        deltas: dict[str, Delta] = {}
        for name, state in self.policy.plan.base_states:
            table = _timed(rows.tables.get(name), streams[name])
            if state.identity in waiting:
                run = new_run(backlog_state(waiting[state.identity]), asked.batch, "d")
                delta = self._admit(table, state, run)
            elif state.kind == "input":
                delta = self._input(engine, table, state, asked)
            else:
                delta = self._partials(engine, table, state)
            deltas[state.identity] = replace(delta, beat=rows.beat)
        distinct = {
            identity: distinct_values(table.select(columns))
            for identity, columns in asked.wants.distinct.items()
            if identity in deltas and (table := deltas[identity].table) is not None
        }
        return Seen(deltas, distinct)

    def _partials(self, engine: Engine[Any], table: pa.Table, state: State) -> Delta:
        """Pane partials of the rows that pass; of the others only how many there are, by hour."""
        partial = engine.writer.partial(state, joined=True)
        partials = engine.run(partial, self.panes[state.identity], {}, {"input": table})
        counts = tuple(self._counts(engine, table, state))
        sums = totals(partials, self.policy.plan.value_sums.get(state.identity, ()))
        return Delta(state, partials, None, counts, sums=sums)

    def _counts(self, engine: Engine[Any], table: pa.Table, state: State) -> list[PaneCount]:
        writer = engine.writer
        where = "true" if state.where is None else writer.render(state.where, state.input)
        pane = writer.pane_of("__ts", state)
        hour = writer.quotient("__ts", HOUR)
        text = (
            f"SELECT CASE WHEN p THEN {pane} END AS pane, p, CASE WHEN NOT p THEN {hour} END AS h, "
            "count(*) AS n, min(__ts) AS low, max(__ts) AS high "
            f"FROM (SELECT __ts, coalesce({where}, false) AS p FROM input) GROUP BY 1, 2, 3"
        )
        found = self._run(Statement(text, ("input",)), {"input": table}).to_pylist()
        return [PaneCount(r["pane"], r["p"], r["n"], r["low"], r["high"]) for r in found]

    def _input(self, engine: Engine[Any], table: pa.Table, state: State, asked: Asked) -> Delta:
        """Rows of an input of a join as they are kept."""
        writer, schema = engine.writer, self.inputs[state.identity]
        where = "true" if state.where is None else writer.render(state.where, state.input)
        columns = [
            f"{writer.render(value, state.input)} AS {writer.name(name)}"
            for name, value in state.keys
        ]
        kept = ", ".join(["__ts AS pane", *columns])
        text = f"SELECT {kept} FROM input WHERE coalesce({where}, false)"
        found = self._run(Statement(text, ("input",)), {"input": table})
        if "__at" in schema.names:
            instant = pa.scalar(asked.wants.instants.get(state.identity), pa.int64())
            found = found.append_column("__at", pa.repeat(instant, found.num_rows))
        found = found.cast(schema)
        counts = row_counts(found["pane"], state.pane, asked.wants.cuts.get(state.identity, ()))
        fails = [c for c in self._counts(engine, table, state) if not c.passes]
        return Delta(state, found, None, (*counts, *fails))

    def _admit(self, table: pa.Table, state: State, run: Run) -> Delta:
        """Write rows down as they are, by time; they are worked on when it is their turn."""
        order = pc.sort_indices(table, [("__ts", "ascending")])
        table = table.take(order)
        counts = pane_counts(table["__ts"], state)
        lows = [count.low for count in counts if count.low is not None]
        highs = [count.high for count in counts if count.high is not None]
        if not lows:
            return Delta(state, None, None, counts)
        buffer = pa.BufferOutputStream()
        pq.write_table(table, buffer)
        data = buffer.getvalue().to_pybytes()
        write_file(self.runs / run.path, data)
        parts: dict[str, tuple[int, int | None]] = {"": (len(data), checksum(data))}
        written = filled(run, table.num_rows, min(lows), max(highs), parts)
        return Delta(state, None, written, counts)

    def work(
        self, engine: Engine[Any], turn: Turn, runs: Sequence[Run], pieces: Sequence[Piece]
    ) -> Delta:
        files = {run.batch: self.runs / run.path for run in runs}
        names = [*self._stream(turn.query.stream).columns, "__ts"]
        parts = [read_part(files[b], first, end, names) for b, first, end in places_of(pieces)]
        return self._partials(engine, pa.concat_tables(parts), turn.query.base.state)

    def late(self, rows: Micro, turn: Turn) -> Results:
        """The rows that a query could not use, and why: as Spark's, but for the row of a join."""
        found = []
        for number, (name, state) in enumerate(turn.query.fed):
            table = _timed(rows.tables.get(name), self._stream(name))
            found.append(self._late(table, state, turn, number))
        return TableResults(pa.concat_tables(found))

    def _late(self, table: pa.Table, state: State, turn: Turn, number: int) -> pa.Table:
        assert self.driver is not None
        writer, query = self.driver.writer, turn.query
        stream = query.fed[number][0]
        bound, clock = turn.bounds[stream], turn.clocks[stream]
        where = None if query.costly is not None else state.where
        passes = "true" if where is None else writer.render(where, state.input)
        pane = "__ts" if query.join is not None else writer.pane_of("__ts", state)
        reasons = ["WHEN __ts IS NULL THEN 'null_time'"]
        if bound is not None:
            reasons.append(f"WHEN {pane} > {bound} THEN 'far_future'")
        reasons += _late_reasons(turn, number, pane, writer.modulo)
        delay = "CAST(NULL AS BIGINT)" if clock is None else f"{clock} - __ts"
        columns = [writer.name(name) for name in table.column_names if name != "__ts"]
        if query.join is not None:
            fields = ", ".join(f"{column} := {column}" for column in columns)
            row = f"CAST(to_json(struct_pack({fields})) AS VARCHAR)" if columns else "'{}'"
            columns = [f"{writer.text(query.join.inputs[number].name)} AS _input", f"{row} AS _row"]
        columns += [
            f"CASE {' '.join(reasons)} END AS _reason",
            f"{delay} AS _delay_us",
            f"{writer.micros('__ts', state.stamp)} AS _time",
        ]
        text = f"SELECT {', '.join(columns)} FROM input WHERE coalesce({passes}, false)"
        text = f"SELECT * FROM ({text}) WHERE _reason IS NOT NULL"
        return _in_utc(self._run(Statement(text, ("input",)), {"input": table}))

    def _stream(self, name: str) -> StreamPlan:
        return next(stream for stream in self.policy.plan.streams if stream.name == name)

    def _run(self, statement: Statement, relations: Mapping[str, pa.Table]) -> pa.Table:
        assert self.driver is not None
        return self.driver.ask(statement, relations)

    def results(self, relation: Any, schema: pa.Schema) -> Results:
        return TableResults(relation)

    def done(self, rows: Micro | None) -> None:
        """Tables are the caller's."""

    def keep_only(self, runs: Sequence[Run], tier: Tier) -> None:
        """The driver's engine holds them."""

    def notices(self, batch: int) -> list[str]:
        return []

    def failure(self, error: BaseException, batch: int) -> SlackwaterError | None:
        return None

    def close(self) -> None:
        """Nothing is held."""


def _late_reasons(turn: Turn, number: int, pane: str, modulo: Any) -> list[str]:
    query, decision = turn.query, turn.decision
    if query.late != "side" or not decision.dropped:
        return []
    if query.join is not None:
        if decision.after is None:
            return []
        patience = query.join.graph.patience(query.join.inputs[number].name)
        return [f"WHEN __ts < {decision.after - query.keep - patience} THEN 'late'"]
    if decision.horizon is None:
        return []
    window = query.base.window
    last = f"{pane} - {modulo(f'({pane}) - {window.offset}', window.slide)} + {window.size}"
    return [f"WHEN {last} <= {decision.horizon} THEN 'late'"]


def _timed(table: pa.Table | None, stream: StreamPlan) -> pa.Table:
    """The columns that are read, and the event time in microseconds as ``__ts``."""
    if table is None:
        from_plan = {c.name: arrow_type(c.type) for c in stream.schema.columns}
        table = pa.schema(from_plan).empty_table()
    times = table[stream.time].cast(pa.timestamp("us", table.schema.field(stream.time).type.tz))
    return table.select(stream.columns).append_column("__ts", times.cast(pa.int64()))


def _in_utc(table: pa.Table) -> pa.Table:
    """Instants as Spark hands them over, whatever the zone of the session."""
    fields = [
        field.with_type(pa.timestamp("us", "UTC"))
        if pa.types.is_timestamp(field.type) and field.type.tz is not None
        else field
        for field in table.schema
    ]
    return table.cast(pa.schema(fields))
