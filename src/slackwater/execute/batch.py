"""Execute: advance the plan by one batch, as decided. What comes of it is not delivered yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from slackwater.control.accuracy import Accuracy
from slackwater.control.recall_slack import Recall
from slackwater.control.records import Decision
from slackwater.control.turn import Turn
from slackwater.disorder.periods import Found
from slackwater.errors import Problem
from slackwater.execute.delta import Delta, absorb
from slackwater.execute.engine import Engine
from slackwater.execute.estimates.in_driver import Near
from slackwater.execute.estimates.reading import Reading
from slackwater.execute.estimates.sample import Sample
from slackwater.execute.estimates.turn import EstimateTurn
from slackwater.execute.joins import JoinRunner, Watermarks
from slackwater.execute.runtime import Runtime
from slackwater.execute.shape import JoinShape, Shapes
from slackwater.execute.sinks.sink import Results
from slackwater.execute.windows import Closing, WindowRunner
from slackwater.plan.stage import PipelinePlan, QueryPlan
from slackwater.runs.catalog import Catalog, backlog_state
from slackwater.runs.retention import was_kept_longer
from slackwater.runs.run import Run
from slackwater.units import BEGIN_OF_TIME


@dataclass(frozen=True, slots=True)
class Layout:
    """What does not change while a pipeline runs: its plan, and the shapes of its relations."""

    plan: PipelinePlan
    shapes: Shapes
    joins: dict[str, JoinShape]
    readings: dict[str, Reading]

    def shown(self, query: QueryPlan) -> pa.Schema:
        """The columns that people see of a query's results."""
        if query.stages:
            return self.shapes[query.name, query.top.level].shown
        return self.joins[query.name].shown


@dataclass(slots=True)
class Outcome:
    """What a batch came to: by query results, late rows, errors that are known by now.

    ``estimates`` counts rows among the results; ``answered`` counts them by prod, ``failed`` has
    what prods ran into; ``found`` is what joins computed, ``accuracy`` what estimates were worth.
    """

    results: dict[str, Results] = field(default_factory=dict)
    late: dict[str, Results] = field(default_factory=dict)
    errors: dict[str, pa.Table] = field(default_factory=dict)
    found: dict[str, tuple[Found, ...]] = field(default_factory=dict)
    accuracy: dict[str, Accuracy] = field(default_factory=dict)
    samples: dict[str, Sample] = field(default_factory=dict)
    estimates: dict[str, int] = field(default_factory=dict)
    answered: dict[str, int] = field(default_factory=dict)
    failed: dict[str, Problem] = field(default_factory=dict)
    failures: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Execution:
    """One batch in one engine."""

    layout: Layout
    engine: Engine[Any]
    near: Near
    runtime: Runtime[Any]
    rows: Any | None
    catalog: Catalog
    decision: Decision
    turns: dict[str, Turn]

    def run(self, deltas: dict[str, Delta]) -> Outcome:
        """Keep what is new, close windows, join, estimate, measure."""
        fresh = self._absorb(deltas)
        outcome = Outcome()
        for query in self.layout.plan.queries:
            turn = self.turns[query.name]
            self._answer(turn, fresh, outcome)
            self._set_aside(turn, outcome)
            self._measure(turn, outcome)
        return outcome

    def _absorb(self, deltas: dict[str, Delta]) -> dict[str, Run | None]:
        """New rows as runs, by state; those of expensive queries wait, and some are worked on."""
        streams = {state.identity: name for name, state in self.layout.plan.base_states}
        costly = {q.base.state.identity: q for q in self.layout.plan.queries if q.costly}
        fresh: dict[str, Run | None] = {}
        for identity, delta in deltas.items():
            if identity in costly:
                self.catalog.add(delta.run)
                continue
            bound = self.decision.streams[streams[identity]].bound
            fresh[identity] = absorb(self.engine, delta, self.decision.batch, bound)
        for identity, query in costly.items():
            fresh[identity] = self._work(self.turns[query.name])
        for run in fresh.values():
            self.catalog.add(run)
        return fresh

    def _work(self, turn: Turn) -> Run | None:
        """Work on those waiting rows of an expensive query that were chosen."""
        working = turn.decision.work
        if working is None or not working.taken:
            return None
        runs = self.catalog.at(backlog_state(turn.query.name))
        delta = self.runtime.work(self.engine, turn, runs, working.taken)
        return absorb(self.engine, delta, turn.batch, None)

    # results ---------------------------------------------------------------------------------

    def _answer(self, turn: Turn, fresh: dict[str, Run | None], outcome: Outcome) -> None:
        query, schema = turn.query, self.layout.shown(turn.query)
        shown = self._finals(turn, fresh, outcome)
        if query.estimates is not None:
            reading = self.layout.readings[query.name]
            estimates = EstimateTurn(
                self.engine, self.near, reading, query.estimates, self.catalog, turn
            )
            said = estimates.run(shown, schema)
            shown = said.rows
            outcome.accuracy[query.name] = said.accuracy
            if said.sample is not None:
                outcome.samples[query.name] = said.sample
            outcome.estimates[query.name] = said.estimates
            outcome.failures[query.name] = len(said.failed)
            outcome.answered |= said.answered
            outcome.failed |= said.failed
        if shown is not None:
            outcome.results[query.name] = self.runtime.results(shown, schema)

    def _finals(self, turn: Turn, fresh: dict[str, Run | None], outcome: Outcome) -> Any | None:
        """Final answers and revisions as people see them."""
        query, schema = turn.query, self.layout.shown(turn.query)
        if query.join is None:
            return self._windows(turn).run(fresh.get(query.base.state.identity))
        joins = self._joins(turn, fresh)
        if query.stages:
            windows = self._windows(turn)
            return windows.run(windows.absorb(self._joined(turn, joins, outcome)))
        if not query.join.is_measured:
            return joins.shown(turn.labels, schema)
        joined = self._joined(turn, joins, outcome)
        return None if joined is None else joins.present(joined, turn.labels, schema)

    def _windows(self, turn: Turn, closing: Closing | None = None) -> WindowRunner[Any]:
        return WindowRunner(
            self.engine,
            turn.query,
            self.layout.shapes,
            self.catalog,
            turn.batch,
            closing or Closing.of(turn.decision),
            turn.labels,
        )

    def _joined(self, turn: Turn, joins: JoinRunner[Any], outcome: Outcome) -> Any | None:
        """New results of the join of a query, counted if its recall is measured."""
        joined, query = joins.run(), turn.query
        recall = Recall.of(query)
        if recall is None or joined is None:
            return joined
        joined = self.engine.hold(joined)
        params, clock = recall.params, turn.progress.before
        began = BEGIN_OF_TIME if clock is None else clock
        outcome.found[query.name] = joins.found(joined, params.bucket, params.granularity, began)
        return joined if query.late == "revise" else joins.given(joined)

    def _joins(self, turn: Turn, fresh: dict[str, Run | None]) -> JoinRunner[Any]:
        query, mine = turn.query, turn.decision
        after, upto = (BEGIN_OF_TIME if t is None else t for t in (mine.after, mine.upto))
        assert query.join is not None
        assert turn.tree is not None
        return JoinRunner(
            self.engine,
            query.join,
            self.layout.joins[query.name],
            self.catalog,
            turn.batch,
            Watermarks(after, upto, was_kept_longer(query, mine)),
            fresh,
            turn.tree,
            late=query.late == "revise" or query.join.is_measured,
        )

    # late rows and measurements --------------------------------------------------------------

    def _set_aside(self, turn: Turn, outcome: Outcome) -> None:
        """Rows that cannot be used, for the side output: a second read, if there are any."""
        mine = turn.decision
        late = mine.dropped if turn.query.late == "side" else 0
        if self.rows is not None and late + mine.rejected:
            outcome.late[turn.query.name] = self.runtime.late(self.rows, turn)

    def _measure(self, turn: Turn, outcome: Outcome) -> None:
        """Measure the errors of answers whose stragglers are in by now."""
        waiting = turn.decision.window_order
        if waiting is None:
            return
        closing = Closing.between(waiting.after, waiting.upto)
        errors = self._windows(turn, closing).measure()
        if errors is not None:
            outcome.errors[turn.query.name] = self.engine.to_arrow(errors)
