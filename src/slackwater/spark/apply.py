"""Apply: advance the plan by one batch, as decided."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from slackwater.control.finding import finding_params, last_periods
from slackwater.control.ordering import tree_of
from slackwater.control.records import ControlState, Decision, Measured
from slackwater.disorder.finding import Found
from slackwater.plan.stage import PipelinePlan, QueryPlan
from slackwater.spark.book import BEGIN_OF_TIME, Book, kept_longer
from slackwater.spark.engine import Delta, Engine
from slackwater.spark.intake import Intake
from slackwater.spark.join_shape import JoinShape
from slackwater.spark.joins import JoinRunner, Moment
from slackwater.spark.quality import (
    Quality,
    measured,
    measured_recall,
    recall_table,
    shown_errors,
)
from slackwater.spark.run import Run
from slackwater.spark.shape import Shapes
from slackwater.spark.side import SideMoment, join_side_rows, side_rows
from slackwater.spark.sinks.base import Results, Sink
from slackwater.spark.stages import Bounds, QueryRunner


@dataclass(frozen=True, slots=True)
class Outlets:
    """Where each query's results, late rows and measurements go."""

    sinks: dict[str, Sink]
    sides: dict[str, Sink]
    meters: dict[str, Sink]

    @property
    def all(self) -> list[tuple[str, Sink]]:
        return [*self.sinks.items(), *self.sides.items(), *self.meters.items()]


@dataclass(frozen=True, slots=True)
class Layout:
    """What does not change while a pipeline runs: its plan, and the shapes of its relations."""

    plan: PipelinePlan
    intake: Intake
    shapes: Shapes
    joins: dict[str, JoinShape]


@dataclass(slots=True)
class Applying:
    """One batch being applied in one engine.

    ``before`` is the state the batch began with, ``after`` what was decided to follow. ``quality``
    goes on from batch to batch, ``found`` is what the joins of this batch computed.
    """

    layout: Layout
    outlets: Outlets
    engine: Engine[Any]
    session: SparkSession
    rows: DataFrame | None
    book: Book
    decision: Decision
    before: ControlState
    after: ControlState
    quality: dict[str, Quality]
    ended: bool
    found: dict[str, tuple[Found, ...]] = field(default_factory=dict)
    fresh: dict[str, Run | None] = field(default_factory=dict)
    held: list[Any] = field(default_factory=list)

    def apply(self, deltas: dict[str, Delta[Any]]) -> dict[str, dict[str, int]]:
        """Keep what is new, close windows, join, write results; tell how many of each query."""
        streams = {state.identity: name for name, state in self.layout.plan.base_states}
        for identity, delta in deltas.items():
            bound = self.decision.streams[streams[identity]].bound
            self.fresh[identity] = self.engine.absorb(delta, self.decision.batch, bound)
            self.book.add(self.fresh[identity])
        told: dict[str, dict[str, int]] = {}
        for query in self.layout.plan.queries:
            emitted = self._emit(query)
            told[query.name] = {"emitted": emitted, "aside": self._set_aside(query)}
            self._measure(query)
        return told

    # results ---------------------------------------------------------------------------------

    def _emit(self, query: QueryPlan) -> int:
        origin = min(self.decision.streams[name].origin or 0 for name in query.streams)
        labels = {"origin": origin, "emitted_at": self.decision.emitted_at}
        schema = self._shown(query)
        if query.stages:
            runner = self._runner(query, Bounds.of(self.decision.queries[query.name]), labels)
            delta = runner.absorb(self._joined(query)) if query.join else self._delta(query)
            shown = runner.run(delta)
        elif query.recall is None:
            shown = self._joining(query).shown(labels, schema)
        else:
            joined = self._joined(query)
            joining = self._joining(query)
            shown = None if joined is None else joining.present(joined, labels, schema)
        if shown is None:
            return 0
        results = Results(self.session, shown, schema)
        written = self.outlets.sinks[query.name].write(self.decision.batch, results)
        self._let_go()
        return written

    def _shown(self, query: QueryPlan) -> pa.Schema:
        """The columns that people see."""
        if query.stages:
            return self.layout.shapes[query.name, query.top.level].shown
        return self.layout.joins[query.name].shown

    def _delta(self, query: QueryPlan) -> Run | None:
        return self.fresh.get(query.base.state.identity)

    def _runner(self, query: QueryPlan, bounds: Bounds, labels: dict[str, int]) -> QueryRunner[Any]:
        batch = self.decision.batch
        return QueryRunner(self.engine, query, self.layout.shapes, self.book, batch, bounds, labels)

    def _joined(self, query: QueryPlan) -> Any | None:
        """New results of the join of a query, counted if its recall is measured."""
        joining = self._joining(query)
        joined = joining.run()
        if query.recall is None or joined is None:
            return joined
        joined = self.engine.hold(joined)
        self.held.append(joined)
        params, clock = finding_params(query), self.before.clocks.get(query.name)
        began = BEGIN_OF_TIME if clock is None else clock
        self.found[query.name] = joining.found(joined, params.bucket, params.granularity, began)
        return joined if query.late == "revise" else joining.given(joined)

    def _joining(self, query: QueryPlan) -> JoinRunner[Any]:
        mine = self.decision.queries[query.name]
        after, upto = (BEGIN_OF_TIME if t is None else t for t in (mine.after, mine.upto))
        assert query.join is not None
        return JoinRunner(
            self.engine,
            query.join,
            self.layout.joins[query.name],
            self.book,
            self.decision.batch,
            Moment(after, upto, kept_longer(query, mine)),
            self.fresh,
            tree_of(query, self.after),
            late=query.late == "revise" or query.recall is not None,
        )

    def _let_go(self) -> None:
        for relation in self.held:
            self.engine.let_go(relation)
        self.held = []

    # late rows -------------------------------------------------------------------------------

    def _set_aside(self, query: QueryPlan) -> int:
        """Write rows that cannot be used to the side output: a second read, if there are any."""
        mine = self.decision.queries[query.name]
        late = mine.dropped if query.late == "side" else 0
        if self.rows is None or late + mine.rejected == 0:
            return 0
        feeds = range(len(query.fed))
        aside = [self._side(query, number, self.rows, late=late > 0) for number in feeds]
        results = Results(self.session, reduce(DataFrame.unionByName, aside))
        return self.outlets.sides[query.name].write(self.decision.batch, results)

    def _side(self, query: QueryPlan, number: int, rows: DataFrame, *, late: bool) -> DataFrame:
        name = query.fed[number][0]
        view = self.layout.intake.rows_of(rows, name)
        clock, bound = self.before.streams[name].clock, self.decision.streams[name].bound
        mine = self.decision.queries[query.name]
        if query.join is not None:
            return join_side_rows(view, query, number, SideMoment(mine.after, bound, clock, late))
        return side_rows(view, query, mine, bound=bound, clock=clock, late=late)

    # measurements ----------------------------------------------------------------------------

    def _measure(self, query: QueryPlan) -> None:
        """Measure the errors, or the recall, of answers whose stragglers are in by now."""
        if query.recall is not None:
            self._measure_recall(query)
        waiting = self.decision.queries[query.name].waiting
        if waiting is None:
            return
        errors = self._runner(query, Bounds.between(waiting.after, waiting.upto), {}).measure()
        before = self.quality.get(query.name, Quality())
        if errors is None:
            self.quality[query.name] = before.plus(Measured())
            return
        table = self.engine.arrow(errors)
        self._meter(query, shown_errors(table))
        self.quality[query.name] = before.plus(measured(table))

    def _measure_recall(self, query: QueryPlan) -> None:
        """Write down the recall of periods that are complete by now; at the end of all of them."""
        finding = self.decision.queries[query.name].finding
        assert finding is not None
        assert query.recall is not None
        periods = finding.periods
        if self.ended:
            found, clock = self.found.pop(query.name, ()), self.after.clocks.get(query.name)
            periods += last_periods(query, self.after.findings[query.name], found, clock)
        table = recall_table(periods, query.recall)
        before = self.quality.get(query.name, Quality())
        self.quality[query.name] = before.plus(measured_recall(table))
        if table.num_rows:
            self._meter(query, table)

    def _meter(self, query: QueryPlan, table: pa.Table) -> None:
        results = Results(self.session, table)
        self.outlets.meters[query.name].write(self.decision.batch, results)
