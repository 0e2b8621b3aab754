"""Rows given by hand instead of by Spark: Arrow tables, one pass over them by DuckDB."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from slackwater.arrow_types import arrow_type
from slackwater.control.orders import Piece
from slackwater.control.records import Policy, Tier
from slackwater.control.turn import Turn
from slackwater.errors import SlackwaterError
from slackwater.execute.backlog import places_of, read_part
from slackwater.execute.delta import Delta, distinct_values, pane_counts
from slackwater.execute.duck import DuckEngine
from slackwater.execute.hands import Asked, Seen
from slackwater.execute.place import Here, Place
from slackwater.execute.raw import RawReader, timed
from slackwater.execute.shape import JoinShape, Shapes
from slackwater.execute.sinks.sink import Results, TableResults
from slackwater.execute.spread.place import SpreadPlace
from slackwater.execute.spread.task import Site
from slackwater.plan.sql.statement import Statement
from slackwater.plan.stage import StreamPlan
from slackwater.plan.state import State
from slackwater.runs.catalog import backlog_state
from slackwater.runs.files import write_file
from slackwater.runs.run import Run, checksum, filled, new_run
from slackwater.testing.spread import TakingTurns


@dataclass(frozen=True, slots=True)
class Micro:
    """A micro-batch: rows by stream, and the wall time of a heartbeat in it, microseconds."""

    tables: Mapping[str, pa.Table]
    beat: int | None = None


@dataclass(slots=True)
class ArrowRuntime:
    """Gives the loop what Spark would, from tables.

    In the spark tier ``tasks`` take turns, in this process, over state that is spread, with so much
    ``memory`` each.
    """

    policy: Policy
    shapes: Shapes
    joins: dict[str, JoinShape]
    runs: Path
    tasks: int = 3
    memory: int | None = None
    driver: DuckEngine | None = None
    site: Site | None = None
    raw: RawReader = field(init=False)

    def __post_init__(self) -> None:
        self.raw = RawReader.of(self.policy.plan, self.shapes, self.joins)

    def place(self, tier: Tier, here: Here[Micro], rows: Micro | None) -> Place[Micro]:
        self.driver = here.engine
        if tier == "columnar":
            return here
        if self.site is None:
            self.site = Site.of(here, self.runs, self.policy, self.memory)
        return SpreadPlace(self.site, TakingTurns(self, self.tasks))

    def observe(self, rows: Micro, asked: Asked) -> Seen:
        tables = self.tables(rows)
        deltas = {
            state.identity: self.raw.read(self._driver, tables[name], state, asked)
            for name, state in self.policy.plan.base_states
            if state.identity not in self.raw.waiting
        }
        distinct = {
            identity: distinct_values(table.select(columns))
            for identity, columns in asked.wants.distinct.items()
            if identity in deltas and (table := deltas[identity].table) is not None
        }
        return self.admitted(Seen(deltas, distinct), rows, asked)

    def tables(self, rows: Micro) -> dict[str, pa.Table]:
        """The rows of each stream, with ``__ts``."""
        streams = self.policy.plan.streams
        return {stream.name: _timed(rows.tables.get(stream.name), stream) for stream in streams}

    def admitted(self, seen: Seen, rows: Micro, asked: Asked) -> Seen:
        """With what is not looked at: rows that wait, and the heartbeat."""
        tables, deltas = self.tables(rows), dict(seen.deltas)
        for name, state in self.policy.plan.base_states:
            query = self.raw.waiting.get(state.identity)
            if query is not None:
                run = new_run(backlog_state(query), asked.batch, "d")
                deltas[state.identity] = self._admit(tables[name], state, run)
        beating = {one: replace(delta, beat=rows.beat) for one, delta in deltas.items()}
        return Seen(beating, seen.distinct)

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

    def work(self, turn: Turn, runs: Sequence[Run], pieces: Sequence[Piece]) -> Delta:
        """Rows that waited, worked on."""
        files = {run.batch: self.runs / run.path for run in runs}
        names = [*self._stream(turn.query.stream).columns, "__ts"]
        parts = [read_part(files[b], first, end, names) for b, first, end in places_of(pieces)]
        return self.raw.partials(self._driver, pa.concat_tables(parts), turn.query.base.state)

    def late(self, rows: Micro, turn: Turn) -> Results:
        """The rows that a query could not use, and why: as Spark's, but for the row of a join."""
        found = []
        for number, (name, state) in enumerate(turn.query.fed):
            table = _timed(rows.tables.get(name), self._stream(name))
            found.append(self._late(table, state, turn, number))
        return TableResults(pa.concat_tables(found))

    def _late(self, table: pa.Table, state: State, turn: Turn, number: int) -> pa.Table:
        writer, query = self._driver.writer, turn.query
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
        return _in_utc(self._driver.ask(Statement(text, ("input",)), {"input": table}))

    def _stream(self, name: str) -> StreamPlan:
        return next(stream for stream in self.policy.plan.streams if stream.name == name)

    @property
    def _driver(self) -> DuckEngine:
        assert self.driver is not None
        return self.driver

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
    return timed(table, stream)


def _in_utc(table: pa.Table) -> pa.Table:
    """Instants as Spark hands them over, whatever the zone of the session."""
    fields = [
        field.with_type(pa.timestamp("us", "UTC"))
        if pa.types.is_timestamp(field.type) and field.type.tz is not None
        else field
        for field in table.schema
    ]
    return table.cast(pa.schema(fields))
