"""Apply: advance the plan by one batch, as decided."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from slackwater.control.accuracy import Accuracy
from slackwater.control.clock import origin_of
from slackwater.control.join_plan import tree_of
from slackwater.control.orders import PeriodOrder
from slackwater.control.prods import ProdMemory, Progress
from slackwater.control.recall_slack import Recall, last_periods
from slackwater.control.records import ControlState, Decision, Measured
from slackwater.disorder.periods import Found
from slackwater.errors import Problem
from slackwater.plan.opening import paired
from slackwater.plan.stage import PipelinePlan, QueryPlan
from slackwater.spark.book import (
    BEGIN_OF_TIME,
    Book,
    backlog_state,
    estimates_state,
    was_kept_longer,
)
from slackwater.spark.converging import Sample
from slackwater.spark.engine import Delta, Engine, new_run
from slackwater.spark.estimating import Estimator
from slackwater.spark.intake import Intake, Observer
from slackwater.spark.join_shape import JoinShape
from slackwater.spark.joins import JoinRunner, Moment
from slackwater.spark.judging import compare, sample
from slackwater.spark.near import Near
from slackwater.spark.pairing import can_pair, pairs_of
from slackwater.spark.quality import (
    measured,
    measured_recall,
    recall_table,
    shown_errors,
)
from slackwater.spark.reading import Reading
from slackwater.spark.run import Run
from slackwater.spark.shape import Shapes
from slackwater.spark.side import SideMoment, join_side_rows, side_rows
from slackwater.spark.sinks.base import Results, Sink
from slackwater.spark.speaking import Speaker
from slackwater.spark.stages import Bounds, QueryRunner
from slackwater.spark.working import chosen_rows


@dataclass(frozen=True, slots=True)
class Outlets:
    """Where each query's results, late rows and measurements go."""

    sinks: dict[str, Sink]
    sides: dict[str, Sink]
    meters: dict[str, Sink]

    @property
    def all(self) -> list[tuple[str, str, Sink]]:
        """What goes out, of which query, and where."""
        outputs = {"results": self.sinks, "late rows": self.sides, "quality": self.meters}
        return [(what, query, sink) for what, to in outputs.items() for query, sink in to.items()]


@dataclass(frozen=True, slots=True)
class Layout:
    """What does not change while a pipeline runs: its plan, and the shapes of its relations.

    ``workers`` do the work of expensive queries.
    """

    plan: PipelinePlan
    intake: Intake
    shapes: Shapes
    joins: dict[str, JoinShape]
    readings: dict[str, Reading]
    workers: dict[str, Observer] = field(default_factory=dict)


@dataclass(slots=True)
class Applying:
    """One batch being applied in one engine.

    ``before`` is the state the batch began with, ``after`` what was decided to follow. ``found`` is
    what the joins of this batch computed, ``measured`` what was measured of promises, ``accuracy``
    what estimates were worth, by now. ``answered`` has the rows of estimates by prod, ``failed``
    what prods ran into.
    """

    layout: Layout
    outlets: Outlets
    engine: Engine[Any]
    near: Near
    session: SparkSession
    rows: DataFrame | None
    book: Book
    decision: Decision
    before: ControlState
    after: ControlState
    ended: bool
    found: dict[str, tuple[Found, ...]] = field(default_factory=dict)
    measured: dict[str, Measured] = field(default_factory=dict)
    accuracy: dict[str, Accuracy] = field(default_factory=dict)
    samples: dict[str, Sample] = field(default_factory=dict)
    answered: dict[str, int] = field(default_factory=dict)
    failed: dict[str, Problem] = field(default_factory=dict)
    fresh: dict[str, Run | None] = field(default_factory=dict)
    held: list[tuple[Engine[Any], Any]] = field(default_factory=list)

    def apply(self, deltas: dict[str, Delta[Any]]) -> dict[str, dict[str, int]]:
        """Keep what is new, close windows, join, write results; tell how many of each query."""
        streams = {state.identity: name for name, state in self.layout.plan.base_states}
        costly = [query for query in self.layout.plan.queries if query.costly is not None]
        waiting = {query.base.state.identity for query in costly}
        for identity, delta in deltas.items():
            if identity in waiting:
                self.book.add(delta.run)
                continue
            bound = self.decision.streams[streams[identity]].bound
            self.fresh[identity] = self.engine.absorb(delta, self.decision.batch, bound)
            self.book.add(self.fresh[identity])
        for query in costly:
            self.fresh[query.base.state.identity] = run = self._work(query)
            self.book.add(run)
        told: dict[str, dict[str, int]] = {}
        for query in self.layout.plan.queries:
            told[query.name] = self._emit(query) | {"aside": self._set_aside(query)}
            self._measure(query)
        return told

    def _work(self, query: QueryPlan) -> Run | None:
        """Work on those waiting rows of an expensive query that were chosen."""
        working = self.decision.queries[query.name].working
        if working is None or not working.taken:
            return None
        runs = self.book.of(backlog_state(query.name))
        schema = self.layout.intake.schemas[query.stream]
        rows = chosen_rows(self.session, self.engine.folder, runs, working.taken, schema)
        state, batch = query.base.state, self.decision.batch
        delta = self.engine.observe(
            self.layout.workers[query.name].partials(rows), state, batch, ()
        )
        return self.engine.absorb(delta, batch, None)

    # results ---------------------------------------------------------------------------------

    def _emit(self, query: QueryPlan) -> dict[str, int]:
        origin = min(self.decision.streams[name].origin or 0 for name in query.streams)
        labels = {"origin": origin, "emitted_at": self.decision.emitted_at}
        finals = self._finals(query, labels)
        if query.estimates is None:
            return {"emitted": self._write(query, self.engine, [finals])}
        engine = self._speaker(query)
        if finals is not None and engine is not self.engine:
            finals = self.engine.arrow(finals).cast(self._shown(query))
        finals = self._judge(query, engine, finals)
        before = len(self.failed)
        said, estimates = self._said(query, engine)
        written = self._write(query, engine, [finals, said])
        failed = len(self.failed) - before
        return {"emitted": written - estimates, "estimates": estimates, "failed": failed}

    def _write(self, query: QueryPlan, engine: Engine[Any], parts: list[Any | None]) -> int:
        """Write results, all at once."""
        shown = [part for part in parts if part is not None]
        written = 0
        if shown:
            together = shown[0] if len(shown) == 1 else engine.concat(shown)
            results = Results(self.session, together, self._shown(query))
            written = self.outlets.sinks[query.name].write(self.decision.batch, results)
        self._let_go()
        return written

    def _finals(self, query: QueryPlan, labels: dict[str, int]) -> Any | None:
        """Final answers and revisions as people see them."""
        schema = self._shown(query)
        if query.stages:
            runner = self._runner(query, Bounds.of(self.decision.queries[query.name]), labels)
            delta = runner.absorb(self._joined(query)) if query.join else self._delta(query)
            return runner.run(delta)
        if query.recall is None:
            return self._joining(query).shown(labels, schema)
        joined = self._joined(query)
        return None if joined is None else self._joining(query).present(joined, labels, schema)

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
        recall = Recall.of(query)
        if recall is None or joined is None:
            return joined
        joined = self._held(self.engine, joined)
        params, clock = recall.params, self.before.of(query.name).clock
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
            Moment(after, upto, was_kept_longer(query, mine)),
            self.fresh,
            tree_of(query.join, self.after.of(query.name)),
            late=query.late == "revise" or query.recall is not None,
        )

    def _let_go(self) -> None:
        for engine, relation in self.held:
            engine.let_go(relation)
        self.held = []

    # estimates -------------------------------------------------------------------------------

    def _speaker(self, query: QueryPlan) -> Engine[Any]:
        """Who reads what is open, and writes answers: the driver if they are few."""
        reading = self.layout.readings[query.name]
        states = (*reading.states, estimates_state(query.name))
        runs = [run for state in states for run in self.book.of(state)]
        return self.near.instead_of(self.engine, reading, runs)

    def _said(self, query: QueryPlan, engine: Engine[Any]) -> tuple[Any | None, int]:
        """What open windows would say now, to whoever asked, and how many rows that is."""
        prodding = self.decision.queries[query.name].prodding
        assert prodding is not None
        estimator = Estimator(
            engine,
            self.layout.readings[query.name],
            self.book,
            self._progress(query),
            self._accuracy(query),
        )
        before = self.before.of(query.name).find(ProdMemory) or ProdMemory()
        speaker = Speaker(
            estimator,
            prodding.calls,
            before,
            self.decision.emitted_at,
            lambda relation: self._held(engine, relation),
        )
        said, rows = speaker.speak()
        self.answered |= rows
        self.failed |= speaker.failed
        if said is None:
            return None, 0
        self._remember(query, engine, said)
        shown = engine.pick(said, self.layout.readings[query.name].shown)
        return shown, sum(rows.values())

    def _progress(self, query: QueryPlan) -> Progress:
        return Progress(
            self.before.of(query.name).clock,
            self.after.of(query.name).clock,
            self.decision.queries[query.name].upto,
            origin_of(query.streams, self.after.streams),
        )

    def _remember(self, query: QueryPlan, engine: Engine[Any], said: Any) -> None:
        """Keep estimates that are to be judged until their windows have a final answer."""
        run = new_run(estimates_state(query.name), self.decision.batch, "e")
        schema = self.layout.readings[query.name].kept
        kept = engine.pick(said, schema, "__keep")
        self.book.add(engine.save(kept, run, "__start"))

    def _judge(self, query: QueryPlan, engine: Engine[Any], finals: Any | None) -> Any | None:
        """Compare finals with what was estimated of them."""
        runs = self.book.of(estimates_state(query.name))
        assert query.estimates is not None
        if finals is None or not runs:
            return finals
        finals = self._held(engine, finals)
        reading = self.layout.readings[query.name]
        said = engine.load(runs, reading.kept)
        pairs = self._pairs(engine, reading, said, finals)
        if pairs.num_rows:
            found = self._accuracy(query).plus(compare(query.estimates, pairs))
            self.accuracy[query.name] = found
            if (shown := sample(pairs, self.decision.batch)) is not None:
                self.samples[query.name] = shown
        return finals

    def _accuracy(self, query: QueryPlan) -> Accuracy:
        """What estimates were worth so far, with those that met their finals in this batch."""
        before = self.before.of(query.name).find(ProdMemory) or ProdMemory()
        return self.accuracy.get(query.name, before.accuracy)

    @staticmethod
    def _pairs(engine: Engine[Any], reading: Reading, said: Any, finals: Any) -> pa.Table:
        """Each estimate beside its final."""
        if isinstance(said, pa.Table) and can_pair(said, reading):
            return pairs_of(said, finals, reading)
        text = paired(engine.writer, reading.keys, reading.columns, reading.stamp)
        return engine.arrow(engine.sql(text, reading.pairs, {}, said=said, finals=finals))

    def _held(self, engine: Engine[Any], relation: Any) -> Any:
        self.held.append((engine, engine.hold(relation)))
        return self.held[-1][1]

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
        recall = Recall.of(query)
        if recall is not None:
            self._measure_recall(query, recall)
        waiting = self.decision.queries[query.name].waiting
        if waiting is None:
            return
        errors = self._runner(query, Bounds.between(waiting.after, waiting.upto), {}).measure()
        if errors is None:
            self.measured[query.name] = Measured(unseen=waiting.unseen)
            return
        table = self.engine.arrow(errors)
        self._meter(query, shown_errors(table, query.base.state.stamp))
        self.measured[query.name] = replace(measured(table), unseen=waiting.unseen)

    def _measure_recall(self, query: QueryPlan, recall: Recall) -> None:
        """Write down the recall of periods that are complete by now; at the end of all of them."""
        order = self.decision.queries[query.name].finding or PeriodOrder(0, 0, ())
        periods, unseen = order.periods, order.unseen
        if self.ended:
            found = self.found.pop(query.name, ())
            last = last_periods(recall, self.after.of(query.name), found)
            periods, unseen = periods + last.periods, unseen + last.unseen
        table = recall_table(periods, recall.contract, recall.join.stamp)
        self.measured[query.name] = replace(measured_recall(table), unseen=unseen)
        if table.num_rows:
            self._meter(query, table)

    def _meter(self, query: QueryPlan, table: pa.Table) -> None:
        results = Results(self.session, table)
        self.outlets.meters[query.name].write(self.decision.batch, results)
