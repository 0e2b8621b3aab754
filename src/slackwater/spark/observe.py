"""Observe: one pass over the new rows, partial work and statistics together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import DataFrame

from slackwater.control.join_plan import undecided
from slackwater.control.late import cuts
from slackwater.control.records import ControlState, Policy
from slackwater.plan.state import State
from slackwater.spark import inputs
from slackwater.spark.book import backlog_state
from slackwater.spark.engine import Delta, Engine, Marks, new_run
from slackwater.spark.inputs import InputReader
from slackwater.spark.intake import Intake, Observer
from slackwater.spark.join_shape import JoinShape
from slackwater.spark.working import admit


@dataclass(slots=True)
class Observing:
    """Turns micro-batches into deltas of base states; what it prepares is prepared once."""

    policy: Policy
    intake: Intake
    joins: dict[str, JoinShape]
    observers: dict[str, Observer] = field(default_factory=dict)
    readers: list[InputReader] | None = None

    def observe(
        self,
        engine: Engine[Any],
        rows: DataFrame,
        batch: int,
        state: ControlState,
        *,
        small: bool,
        again: bool,
    ) -> dict[str, Delta[Any]]:
        """One job over the new rows for each base state, one for all inputs of joins.

        The rows are read from their sources once. ``small``: there are few; ``again``: they will
        be read again after this.
        """
        states = [(s, fed) for s, fed in self.policy.plan.base_states if fed.kind != "input"]
        if len(states) + len(self._readers()) > 1 or again:
            rows.persist()
        marks = Marks(cuts(self.policy, state), self._instants(state))
        deltas: dict[str, Delta[Any]] = {}
        for reader in self._readers():
            for delta in engine.read_inputs(reader, rows, batch, marks):
                deltas[delta.state.identity] = delta
        waiting = {q.base.state.identity: q.name for q in self.policy.plan.queries if q.costly}
        for stream, fed in states:
            if fed.identity in waiting:
                run = new_run(backlog_state(waiting[fed.identity]), batch, "d")
                view = self.intake.rows_of(rows, stream)
                deltas[fed.identity] = admit(view, fed, run, engine.folder)
                continue
            view = self.intake.rows_of(rows, stream, small=small)
            partials = self._observer(fed).partials(view)
            sums = self.policy.plan.value_sums.get(fed.identity, ())
            deltas[fed.identity] = engine.observe(partials, fed, batch, sums)
        return deltas

    def distinct(
        self, engine: Engine[Any], deltas: dict[str, Delta[Any]], state: ControlState
    ) -> dict[str, dict[str, float]]:
        """Distinct values of join columns, as long as they are needed to choose an order."""
        wanted = undecided(self.policy.plan.queries, state)
        return {
            identity: engine.distinct(deltas[identity], columns)
            for identity, columns in wanted.items()
            if identity in deltas
        }

    def _instants(self, state: ControlState) -> dict[str, int | None]:
        """By input of a measured join: when the rows of this batch come, on the join's clock."""
        return {
            fed.identity: state.of(query.name).clock
            for query in self.policy.plan.queries
            if query.recall is not None
            for _, fed in query.fed
        }

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
