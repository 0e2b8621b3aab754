"""Execute: advance the plan by one batch, as decided. What comes of it is not delivered yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import pyarrow as pa

from slackwater.balance.cost import Spent
from slackwater.control.clock import later
from slackwater.control.orders import Proposal
from slackwater.control.recall_slack import Recall
from slackwater.control.records import Decision
from slackwater.control.turn import Turn
from slackwater.disorder.periods import Found
from slackwater.errors import Problem
from slackwater.execute.complete import completed, is_told, with_field
from slackwater.execute.delta import Delta, absorb
from slackwater.execute.duck import DuckEngine
from slackwater.execute.engine import Wanted
from slackwater.execute.estimates.reading import Reading
from slackwater.execute.estimates.turn import EstimateTurn
from slackwater.execute.gate import whole as whole_of
from slackwater.execute.hands import Deliverer, Seen, Side
from slackwater.execute.joins import JoinRunner, Watermarks, grouped
from slackwater.execute.meter import Errors
from slackwater.execute.shape import JoinShape, Shapes
from slackwater.execute.sinks.sink import Results
from slackwater.execute.survey import sampled
from slackwater.execute.tracks import TrackRunner
from slackwater.execute.unmatched import UnmatchedRunner
from slackwater.execute.windows import Closing, WindowRunner
from slackwater.migrate.match import match
from slackwater.optimize.facts import Sample
from slackwater.plan.spread import Leg, whole
from slackwater.plan.stage import PipelinePlan, QueryPlan
from slackwater.runs.catalog import Catalog
from slackwater.runs.retention import was_kept_longer
from slackwater.runs.run import Run, new_run
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
            return with_field(query, self.shapes[query.name, query.top.level].shown)
        return with_field(query, self.joins[query.name].shown)


@dataclass(frozen=True, slots=True)
class Passed:
    """What a leg of a query hands on: results of its highest level, and what that level would say
    of open windows, if estimates are wanted.
    """

    results: Any | None = None
    opened: Any | None = None


@dataclass(slots=True)
class Outcome:
    """What a batch came to: by query results, late rows, errors that are known by now.

    ``estimates`` counts rows among the results; ``answered`` counts them by prod, ``failed`` has
    what prods ran into; ``found`` is what joins computed, ``pairs`` are estimates beside their
    finals; ``spent`` is how long each task took, where there are several; ``joined`` what there is
    to learn about the plans of joins.
    """

    results: dict[str, Results] = field(default_factory=dict)
    late: dict[str, Results] = field(default_factory=dict)
    errors: dict[str, Errors] = field(default_factory=dict)
    found: dict[str, tuple[Found, ...]] = field(default_factory=dict)
    pairs: dict[str, pa.Table] = field(default_factory=dict)
    estimates: dict[str, int] = field(default_factory=dict)
    answered: dict[str, int] = field(default_factory=dict)
    failed: dict[str, Problem] = field(default_factory=dict)
    failures: dict[str, int] = field(default_factory=dict)
    passed: dict[str, Passed] = field(default_factory=dict)
    joined: dict[str, Sample] = field(default_factory=dict)
    spent: tuple[Spent, ...] = ()


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch that was decided: ``rows`` as they came, what was ``seen`` of them, the ``catalog``
    of what there is, which executing it changes. Prods that are ``skipped`` get no answer.
    """

    rows: Any | None
    seen: Seen
    decision: Decision
    turns: dict[str, Turn]
    catalog: Catalog
    skipped: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Execution:
    """One batch in one engine: all of it, or a leg of each query.

    ``came`` is, by query, what the leg before passed on.
    """

    layout: Layout
    engine: DuckEngine
    hands: Deliverer[Any]
    batch: Batch
    legs: Mapping[str, Leg] | None = None
    came: Mapping[str, Passed] = field(default_factory=dict)

    def run(self, deltas: Mapping[str, Delta | None]) -> Outcome:
        """Keep what is new, close windows, join, estimate, measure."""
        fresh = self._absorb(deltas)
        outcome = Outcome()
        for query in self.layout.plan.queries:
            turn = self.batch.turns[query.name]
            leg = whole(query) if self.legs is None else self.legs.get(query.name)
            if leg is not None:
                self._answer(turn, leg, fresh, outcome)
                set_aside(self.hands, self.batch.rows, turn, outcome)
                self._measure(turn, leg, outcome)
        return outcome

    def _absorb(self, deltas: Mapping[str, Delta | None]) -> dict[str, Run | None]:
        """New rows as runs, by state; those that were worked on have been believed before."""
        streams = {state.identity: name for name, state in self.layout.plan.base_states}
        costly = self.layout.plan.waiting
        kept = {state for turn in self.batch.turns.values() for state in turn.fed}
        number, fresh = self.batch.decision.batch, dict[str, Run | None]()
        for identity, delta in deltas.items():
            if delta is None:
                continue
            bound = self.batch.decision.streams[streams[identity]].bound
            bound = None if identity in costly else bound
            is_kept = identity in kept
            fresh[identity] = absorb(self.engine, delta, number, bound, is_kept=is_kept)
            self.batch.catalog.add(fresh[identity])
        return fresh

    # results ---------------------------------------------------------------------------------

    def _answer(self, turn: Turn, leg: Leg, fresh: dict[str, Run | None], outcome: Outcome) -> None:
        query, schema = turn.query, self.layout.shown(turn.query)
        shown = self._finals(turn, leg, fresh, outcome)
        if leg.last < len(query.stages):
            opened = None if query.estimates is None else self._estimates(turn, leg).below()
            outcome.passed[query.name] = Passed(shown, opened)
            return
        shown = None if shown is None else whole_of(shown, turn)
        if query.estimates is not None:
            estimates = self._estimates(turn, leg)
            said = estimates.run(shown)
            shown = said.rows
            if said.pairs is not None:
                outcome.pairs[query.name] = said.pairs
            outcome.estimates[query.name] = said.estimates
            outcome.failures[query.name] = len(said.failed)
            outcome.answered |= said.answered
            outcome.failed |= said.failed
        if shown is None:
            return
        work = turn.decision.work
        if work is not None and is_told(query):
            shown = completed(shown, query, work)
        outcome.results[query.name] = self.hands.results(shown, schema)

    def _estimates(self, turn: Turn, leg: Leg) -> EstimateTurn:
        came = self.came.get(turn.query.name)
        opened = None if came is None else came.opened
        reading, catalog = self.layout.readings[turn.query.name], self.batch.catalog
        skipped = self.batch.skipped
        return EstimateTurn(self.engine, reading, catalog, turn, leg, opened, skipped)

    def _finals(
        self, turn: Turn, leg: Leg, fresh: dict[str, Run | None], outcome: Outcome
    ) -> Any | None:
        """Final answers and revisions as people see them, or of the highest level of the leg."""
        query, came = turn.query, self.came.get(turn.query.name)
        below = None if came is None else came.results
        if leg.first == 0:
            below = self._watched(turn, self._joins(turn, fresh), outcome)
            if not query.stages:
                return below
            if leg.last == 0:
                return below
        windows = self._windows(turn)
        if leg.first > 1:
            risen = windows.rise(below, leg.first, leg.last)
            return windows.shown(risen) if leg.last == query.top.level else risen
        if query.join is None:
            delta = fresh.get(query.base.state.identity)
        else:
            delta = windows.absorb(below, is_grouped=turn.is_grouped)
        if leg.last == query.top.level:
            return windows.run(delta)
        return windows.rise(windows.base(delta), 2, leg.last)

    def _watched(self, turn: Turn, joins: JoinRunner, outcome: Outcome) -> Any | None:
        """New results of a join, and what they say of its plan, if that is open."""
        began = perf_counter()
        run = self._joined if turn.query.stages else self._paired
        found = run(turn, joins, outcome)
        asked = turn.decision.find(Proposal)
        if asked is not None and turn.track is None:  # two trees say nothing of one
            rows, seconds = 0 if found is None else found.num_rows, perf_counter() - began
            outcome.joined[turn.query.name] = sampled(joins, rows, seconds, asked.survey)
        return found

    def _paired(self, turn: Turn, joins: JoinRunner, outcome: Outcome) -> Any | None:
        """Results of a join, of which nothing else is asked."""
        schema = self.layout.joins[turn.query.name].shown
        assert turn.query.join is not None
        assert schema is not None
        if not turn.query.join.is_measured and not turn.query.join.is_outer:
            return joins.shown(turn.labels, schema)
        joined = self._joined(turn, joins, outcome)
        return None if joined is None else joins.present(joined, turn.labels, schema)

    def _windows(self, turn: Turn, closing: Closing | None = None) -> WindowRunner:
        return WindowRunner(
            self.engine,
            turn.query,
            self.layout.shapes,
            self.batch.catalog,
            turn.batch,
            closing or Closing.of(turn.decision),
            turn.labels,
        )

    def _joined(self, turn: Turn, joins: JoinRunner, outcome: Outcome) -> Any | None:
        """New results of the join of a query, counted if its recall is measured."""
        joined, query = self._with_lacking(turn, joins), turn.query
        recall = Recall.of(query)
        if recall is None or joined is None:
            return joined
        params, clock = recall.params, turn.progress.before
        began = BEGIN_OF_TIME if clock is None else clock
        outcome.found[query.name] = joins.found(joined, params.bucket, params.granularity, began)
        return joined if query.late == "revise" else joins.given(joined)

    def _with_lacking(self, turn: Turn, joins: JoinRunner) -> Any | None:
        """New results of a join, also those that lack an optional input."""
        found, join = joins.run(), turn.query.join
        if join is None or not join.is_outer:
            return found
        revises = turn.query.late == "revise"
        place = (joins.engine, joins.rows, joins.catalog, joins.batch, joins.marks, joins.fresh)
        lacking = UnmatchedRunner(*place, revises).run()
        both = [some for some in (found, lacking) if some is not None and some.num_rows]
        return pa.concat_tables(both) if both else None

    def _joins(self, turn: Turn, fresh: dict[str, Run | None]) -> JoinRunner:
        query, mine = turn.query, turn.decision
        after, upto = (BEGIN_OF_TIME if t is None else t for t in (mine.after, mine.upto))
        assert query.join is not None
        assert turn.tree is not None
        runner = JoinRunner(
            self.engine,
            self.layout.joins[query.name],
            self.batch.catalog,
            turn.batch,
            Watermarks(after, upto, was_kept_longer(query, mine)),
            fresh | self._groups(turn, fresh) if turn.is_grouped else fresh,
            turn.tree,
            late=query.late == "revise" or query.join.is_measured,
            missing=match(query.join, turn.was, turn.tree).made,
        )
        return runner if turn.track is None else TrackRunner.of(runner, turn.track)

    def _groups(self, turn: Turn, fresh: dict[str, Run | None]) -> dict[str, Run | None]:
        """New rows of a join as the groups that it keeps of them."""
        rows = self.layout.joins[turn.query.name]
        shape, found = rows.grouped, dict[str, Run | None]()
        assert shape is not None
        for one in shape.plan.inputs:
            assert one.rows is not None
            run = fresh.get(one.rows.identity)
            if run is not None:
                wanted = Wanted([run], rows.input(one.name))
                named = new_run(one.state.identity, turn.batch, "g")
                found[one.state.identity] = grouped(self.engine, shape, one, wanted, named)
                self.batch.catalog.add(found[one.state.identity])
        return found

    def _measure(self, turn: Turn, leg: Leg, outcome: Outcome) -> None:
        """Measure the errors of answers whose stragglers are in by now."""
        waiting = turn.decision.window_order
        if waiting is None or not leg.first <= 1 <= leg.last:
            return
        closing = Closing.between(later(waiting.after, turn.decision.whole_after), waiting.upto)
        errors = self._windows(turn, closing).measure()
        if errors is not None:
            base = turn.query.base
            outcome.errors[turn.query.name] = Errors.of(errors, base.keys, base.state.stamp)


def order_of(query: QueryPlan) -> tuple[str, ...]:
    """The columns by which the results of a query come sorted."""
    ordered = query.join is not None and query.join.is_ordered and not query.stages
    return ("event_time",) if ordered else ()


def set_aside(side: Side[Any], rows: Any | None, turn: Turn, outcome: Outcome) -> None:
    """Rows that a query cannot use, for the side output: a second read, if there are any."""
    mine = turn.decision
    late = mine.dropped if turn.query.late == "side" else 0
    if rows is not None and late + mine.rejected:
        outcome.late[turn.query.name] = side.late(rows, turn)
