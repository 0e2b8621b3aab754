"""Observe: one pass over the new rows, partial work and statistics together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame

from slackwater.control.records import Policy
from slackwater.execute.delta import Delta, distinct_values, histogram, row_counts, totals
from slackwater.execute.hands import Asked, Seen
from slackwater.execute.shape import JoinShape
from slackwater.plan.state import State
from slackwater.runs.catalog import backlog_state
from slackwater.runs.run import new_run
from slackwater.spark.read import inputs
from slackwater.spark.read.backlog import admit
from slackwater.spark.read.inputs import InputReader
from slackwater.spark.read.partials import Observer
from slackwater.spark.read.streams import Intake


def observed(partials: DataFrame, state: State, sums: Sequence[str]) -> Delta:
    """Run the one job over new rows; what it gives goes to the driver."""
    table = partials.toArrow()
    counts, beat = histogram(table)
    return Delta(state, table, None, counts, beat, totals(table, sums))


@dataclass(slots=True)
class Observing:
    """Turns micro-batches into deltas of base states; what it prepares is prepared once."""

    policy: Policy
    intake: Intake
    joins: dict[str, JoinShape]
    observers: dict[str, Observer] = field(default_factory=dict)
    readers: list[InputReader] | None = None

    def observe(self, rows: DataFrame, asked: Asked, runs: Path, *, small: bool) -> Seen:
        """One job over the new rows for each base state, one for all inputs of joins.

        The rows are read from their sources once. ``small``: there are few.
        """
        waiting = self.policy.plan.waiting
        states = [
            (stream, fed)
            for stream, fed in self.policy.plan.base_states
            if fed.kind != "input" or fed.identity in waiting
        ]
        if len(states) + len(self._readers()) > 1 or asked.again:
            rows.persist()  # every job would read the sources again
        deltas = {
            delta.state.identity: delta
            for reader in self._readers()
            for delta in _read(reader, rows, asked)
        }
        for stream, fed in states:
            if fed.identity in waiting:
                run = new_run(backlog_state(*waiting[fed.identity]), asked.batch, "d")
                view, ranking = self.intake.rows_of(rows, stream), asked.wants.ranked
                deltas[fed.identity] = admit(view, fed, run, runs, ranking.get(fed.identity))
                continue
            view = self.intake.rows_of(rows, stream, small=small)
            partials = self._observer(fed).partials(view)
            sums = self.policy.plan.value_sums.get(fed.identity, ())
            deltas[fed.identity] = observed(partials, fed, sums)
        return Seen(deltas, _distinct(deltas, asked))

    def _readers(self) -> list[InputReader]:
        if self.readers is None:
            fed = [
                (stream, state)
                for stream, state in self.policy.plan.base_states
                if state.kind == "input" and state.identity not in self.policy.plan.waiting
            ]
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


def _read(reader: InputReader, rows: DataFrame, asked: Asked) -> list[Delta]:
    """Run the one job over new rows that are kept as they are, for joins."""
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


def _distinct(deltas: dict[str, Delta], asked: Asked) -> dict[str, dict[str, float]]:
    """Distinct values of join columns, as long as they are needed to choose an order."""
    return {
        identity: distinct_values(table.select(columns))
        for identity, columns in asked.wants.distinct.items()
        if identity in deltas and (table := deltas[identity].table) is not None
    }
