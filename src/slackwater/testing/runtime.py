"""Rows given by hand instead of by Spark: Arrow tables, one pass over them by DuckDB."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from slackwater.arrow_types import arrow_type
from slackwater.control.orders import Piece
from slackwater.control.records import Policy, Tier
from slackwater.control.turn import Turn
from slackwater.errors import SlackwaterError
from slackwater.execute.backlog import places_of, read_part
from slackwater.execute.calls import Caller
from slackwater.execute.delta import Delta, distinct_values
from slackwater.execute.duck import DuckEngine
from slackwater.execute.hands import Asked, Seen
from slackwater.execute.place import Here, Place
from slackwater.execute.queues import queue_counts, queued, value_counts
from slackwater.execute.raw import RawReader, timed
from slackwater.execute.shape import JoinShape, Shapes
from slackwater.execute.sinks.sink import Results, TableResults
from slackwater.execute.spread.place import SpreadPlace
from slackwater.execute.spread.task import Site
from slackwater.plan.ranks import Ranking
from slackwater.plan.sql.statement import Statement
from slackwater.plan.stage import StreamPlan
from slackwater.plan.state import State
from slackwater.runs.files import write_file
from slackwater.runs.kept import Kept, forget
from slackwater.runs.run import Run, checksum, filled, new_run
from slackwater.stats.calls import LinkSeen
from slackwater.testing.spread import TakingTurns


@dataclass(frozen=True, slots=True)
class Micro:
    """A micro-batch: rows by stream, and the wall time of a heartbeat in it, microseconds."""

    tables: Mapping[str, pa.Table]
    beat: int | None = None


@dataclass(frozen=True, slots=True)
class Grown:
    """The rows of a batch with what functions made of them, and what these did."""

    rows: Micro
    tables: dict[str, pa.Table]
    called: dict[str, LinkSeen]


@dataclass(slots=True)
class ArrowRuntime:
    """Gives the loop what Spark would, from tables.

    In the spark tier ``tasks`` take turns, in this process, over state that is spread, with so much
    ``memory`` each. ``functions`` are those of Python, by the keys of links.
    """

    policy: Policy
    shapes: Shapes
    joins: dict[str, JoinShape]
    runs: Path
    tasks: int = 3
    memory: int | None = None
    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    driver: DuckEngine | None = None
    site: Site | None = None
    grown: Grown | None = None
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
        tables = self.tables(rows, asked)
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

    def tables(self, rows: Micro, asked: Asked) -> dict[str, pa.Table]:
        """The rows of each stream, with ``__ts`` and what functions made of them."""
        if self.grown is None or self.grown.rows is not rows:
            self.grown = self._grown(rows, asked)
        return self.grown.tables

    def _grown(self, rows: Micro, asked: Asked) -> Grown:
        tables, called = {}, dict[str, LinkSeen]()
        root = self.runs.parent
        forget(root, asked.batch)
        for number, stream in enumerate(self.policy.plan.streams):
            kept = Kept(root, asked.batch, str(number))
            orders = asked.wants.filters
            caller = Caller(stream.links, self.functions, self.policy.zone, orders, kept)
            tables[stream.name] = caller.add(_timed(rows.tables.get(stream.name), stream))
            called |= caller.seen
        return Grown(rows, tables, called)

    def admitted(self, seen: Seen, rows: Micro, asked: Asked) -> Seen:
        """With what is not looked at: rows that wait, and the heartbeat."""
        tables, deltas = self.tables(rows, asked), dict(seen.deltas)
        for name, state in self.policy.plan.base_states:
            waits = self.raw.waiting.get(state.identity)
            if waits is not None:
                run = new_run(waits, asked.batch, "d")
                ranking = asked.wants.ranked.get(state.identity)
                deltas[state.identity] = self._admit(tables[name], state, run, ranking)
        beating = {one: replace(delta, beat=rows.beat) for one, delta in deltas.items()}
        assert self.grown is not None
        return Seen(beating, seen.distinct, called=self.grown.called)

    def _admit(self, table: pa.Table, state: State, run: Run, ranking: Ranking | None) -> Delta:
        """Write rows down as they are, by queue; they are worked on when it is their turn."""
        table = queued(self._driver, table, state, ranking)
        counts, values = queue_counts(table, state), value_counts(table, ranking)
        lows = [count.low for count in counts if count.low is not None]
        highs = [count.high for count in counts if count.high is not None]
        if not lows:
            return Delta(state, None, None, counts, values=values)
        buffer = pa.BufferOutputStream()
        pq.write_table(table, buffer)
        data = buffer.getvalue().to_pybytes()
        write_file(self.runs / run.path, data)
        parts: dict[str, tuple[int, int | None]] = {"": (len(data), checksum(data))}
        written = filled(run, table.num_rows, min(lows), max(highs), parts)
        return Delta(state, None, written, counts, values=values)

    def work(self, turn: Turn, number: int, runs: Sequence[Run], pieces: Sequence[Piece]) -> Delta:
        """Rows that waited, worked on."""
        stream, state = turn.query.fed[number]
        files = {run.batch: self.runs / run.path for run in runs}
        names = [*self._stream(stream).columns, "__ts"]
        parts = [read_part(files[b], first, end, names) for b, first, end in places_of(pieces)]
        return self.raw.read(self._driver, pa.concat_tables(parts), state, Asked(turn.batch))

    def late(self, rows: Micro, turn: Turn) -> Results:
        """The rows that a query could not use, and why: as Spark's, but for the row of a join."""
        tables = self.tables(rows, Asked(turn.batch))
        found = [
            self._late(tables[name], state, turn, number)
            for number, (name, state) in enumerate(turn.query.fed)
        ]
        return TableResults(pa.concat_tables(found))

    def _late(self, table: pa.Table, state: State, turn: Turn, number: int) -> pa.Table:
        writer, query = self._driver.writer, turn.query
        stream = query.fed[number][0]
        bound, clock = turn.bounds[stream], turn.clocks[stream]
        where = None if query.costly is not None else state.own_where
        passes = "true" if where is None else writer.render(where, state.input)
        pane = "__ts" if query.join is not None else writer.pane_of("__ts", state)
        reasons = ["WHEN __ts IS NULL THEN 'null_time'"]
        if bound is not None:
            reasons.append(f"WHEN {pane} > {bound} THEN 'far_future'")
        reasons += _late_reasons(turn, number, pane, writer.modulo)
        delay = "CAST(NULL AS BIGINT)" if clock is None else f"{clock} - __ts"
        columns = [writer.name(name) for name in self._stream(stream).columns]
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

    def malformed(self) -> dict[str, Results]:
        return {}

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
