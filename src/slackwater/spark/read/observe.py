"""Observe: one pass over the new rows, partial work and statistics together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame

from slackwater.control.records import Policy
from slackwater.execute.delta import Delta, distinct_values, histogram, row_counts, totals
from slackwater.execute.engine import Engine
from slackwater.execute.runtime import Asked, Seen
from slackwater.execute.shape import JoinShape
from slackwater.plan.state import State
from slackwater.runs.catalog import backlog_state
from slackwater.runs.run import new_run
from slackwater.spark.read import inputs
from slackwater.spark.read.backlog import admit
from slackwater.spark.read.inputs import InputReader
from slackwater.spark.read.partials import Observer
from slackwater.spark.read.streams import Intake
from slackwater.spark.tier.distributed import SparkEngine

_NARROW = ["pane", "__passes", "__hour", "__rows", "__low", "__high", "__beat"]


def observed(
    engine: Engine[Any], partials: DataFrame, state: State, batch: int, sums: Sequence[str]
) -> Delta:
    """Run the one job over new rows, and leave what it gives where the engine wants it."""
    if not isinstance(engine, SparkEngine):
        table = partials.toArrow()
        counts, beat = histogram(table)
        return Delta(state, table, None, counts, beat, totals(table, sums))
    run = engine.written(partials, new_run(state.identity, batch, "d"))
    # a few narrow columns of what was just written, read here without a job
    written = pq.read_table(engine.folder / run.path, columns=[*_NARROW, *sums])
    counts, beat = histogram(written)
    return Delta(state, None, run, counts, beat, totals(written, sums))


@dataclass(slots=True)
class Observing:
    """Turns micro-batches into deltas of base states; what it prepares is prepared once."""

    policy: Policy
    intake: Intake
    joins: dict[str, JoinShape]
    observers: dict[str, Observer] = field(default_factory=dict)
    readers: list[InputReader] | None = None

    def observe(self, engine: Engine[Any], rows: DataFrame, asked: Asked, *, small: bool) -> Seen:
        """One job over the new rows for each base state, one for all inputs of joins.

        The rows are read from their sources once. ``small``: there are few.
        """
        states = [(s, fed) for s, fed in self.policy.plan.base_states if fed.kind != "input"]
        if len(states) + len(self._readers()) > 1 or asked.again:
            rows.persist()  # every job would read the sources again
        deltas = {
            delta.state.identity: delta
            for reader in self._readers()
            for delta in _read(engine, reader, rows, asked)
        }
        waiting = {q.base.state.identity: q.name for q in self.policy.plan.queries if q.costly}
        for stream, fed in states:
            if fed.identity in waiting:
                run = new_run(backlog_state(waiting[fed.identity]), asked.batch, "d")
                view = self.intake.rows_of(rows, stream)
                deltas[fed.identity] = admit(view, fed, run, engine.folder)
                continue
            view = self.intake.rows_of(rows, stream, small=small)
            partials = self._observer(fed).partials(view)
            sums = self.policy.plan.value_sums.get(fed.identity, ())
            deltas[fed.identity] = observed(engine, partials, fed, asked.batch, sums)
        return Seen(deltas, _distinct(engine, deltas, asked))

    def _readers(self) -> list[InputReader]:
        if self.readers is None:
            fed = [(s, state) for s, state in self.policy.plan.base_states if state.kind == "input"]
            schemas = {
                one.state.identity: shape.input(one.name)
                for shape in self.joins.values()
                for one in shape.plan.inputs
            }
            self.readers = inputs.readers(fed, schemas, self.intake)
        return self.readers

    def _observer(self, state: State) -> Observer:
        if state.identity not in self.observers:
            beats = self.intake.has_heartbeat
            self.observers[state.identity] = Observer.of(state, heartbeat=beats)
        return self.observers[state.identity]


def _read(engine: Engine[Any], reader: InputReader, rows: DataFrame, asked: Asked) -> list[Delta]:
    """Run the one job over new rows that are kept as they are, for joins."""
    if isinstance(engine, SparkEngine):
        return _written_apart(engine, reader, rows, asked)
    frame, beside = reader.rows(rows)
    found = []
    for number, table in enumerate(reader.take_apart(frame.toArrow())):
        state = reader.inputs[number].state
        counts = row_counts(table["pane"], state.pane, asked.wants.cuts.get(state.identity, ()))
        counts += reader.failed(beside, number)
        if state.identity in asked.wants.instants:
            instant = pa.scalar(asked.wants.instants[state.identity], pa.int64())
            table = table.append_column("__at", pa.repeat(instant, table.num_rows))
        found.append(Delta(state, table, None, counts, reader.beat(beside)))
    return found


def _written_apart(
    engine: SparkEngine, reader: InputReader, rows: DataFrame, asked: Asked
) -> list[Delta]:
    frame, beside = reader.rows(rows, wide=True)
    states = [one.state for one in reader.inputs]
    if any(state.identity in asked.wants.instants for state in states):
        at = {number: asked.wants.instants.get(one.identity) for number, one in enumerate(states)}
        frame = engine.with_instants(frame, at)
    runs = engine.write_apart(frame, [state.identity for state in states], asked.batch)
    found = []
    for number, (state, run) in enumerate(zip(states, runs, strict=True)):
        counts = reader.failed(beside, number)
        if run is not None:
            times = pq.read_table(engine.folder / run.path, columns=["pane"])["pane"]
            counts += row_counts(times, state.pane, asked.wants.cuts.get(state.identity, ()))
        found.append(Delta(state, None, run, counts, reader.beat(beside)))
    return found


def _distinct(
    engine: Engine[Any], deltas: dict[str, Delta], asked: Asked
) -> dict[str, dict[str, float]]:
    """Distinct values of join columns, as long as they are needed to choose an order."""
    found = {}
    for identity, columns in asked.wants.distinct.items():
        delta = deltas.get(identity)
        if delta is not None and delta.table is not None:
            found[identity] = distinct_values(delta.table.select(columns))
        elif delta is not None and delta.run is not None:
            table = pq.read_table(engine.folder / delta.run.path, columns=list(columns))
            found[identity] = distinct_values(table)
        elif delta is not None:
            found[identity] = {}
    return found
