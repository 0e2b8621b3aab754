"""A stage at work: absorb what is new, close windows, revise closed ones, hand results up.

Written once against :class:`~slackwater.spark.engine.Engine`, so both tiers do the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

import pyarrow as pa

from slackwater.control.records import QueryDecision
from slackwater.plan.stage import QueryPlan, Stage
from slackwater.plan.window import Window
from slackwater.spark.book import BEGIN_OF_TIME, Book, answers_state, told_state
from slackwater.spark.engine import Engine, R, new_run
from slackwater.spark.run import Run
from slackwater.spark.shape import Shape, Shapes


@dataclass(frozen=True, slots=True)
class Bounds:
    """Which windows close (end in ``(after, upto]``) and which may be revised."""

    after: int
    upto: int
    horizon: int

    @classmethod
    def of(cls, decision: QueryDecision) -> Bounds:
        return cls.between(decision.after, decision.upto, decision.horizon)

    @classmethod
    def between(cls, after: int | None, upto: int | None, horizon: int | None = None) -> Bounds:
        return cls(*(BEGIN_OF_TIME if t is None else t for t in (after, upto, horizon)))

    @property
    def parameters(self) -> dict[str, int]:
        return {"after": self.after, "upto": self.upto, "horizon": self.horizon}

    def closing(self, window: Window) -> tuple[int, int]:
        """Start of the first window that ends in ``(after, upto]``, and how many there are."""
        first = window.first_start(self.after)
        last = window.last_start(self.upto - window.size)
        return first, max(0, (last - first) // window.slide + 1)

    def closes(self, window: Window, runs: Sequence[Run]) -> bool:
        """Whether any window over these runs ends in ``(after, upto]``."""
        if not runs or self.upto <= self.after:
            return False
        newest = min(self.upto, window.last_start(max(run.high for run in runs)) + window.size)
        end = window.last_start(newest - window.size) + window.size
        oldest = min(window.first_start(run.low) for run in runs) + window.size
        return end > self.after and oldest <= self.upto


@dataclass(frozen=True, slots=True)
class QueryRunner(Generic[R]):
    """Runs one query for one batch in one engine."""

    engine: Engine[R]
    query: QueryPlan
    shapes: Shapes
    book: Book
    batch: int
    bounds: Bounds
    labels: dict[str, int]

    def run(self, delta: Run | None) -> R | None:
        """Results of the top stage as people see them, given the new run of the base state."""
        top, engine = self.query.top, self.engine
        plain = self.query.late != "revise" and self.query.promise is None
        if plain and top is self.query.base:
            return self._shown_at_once(top)
        results = self._base(delta)
        for stage in self.query.stages[1:]:
            results = self._above(stage, results)
        if results is None:
            return None
        text = engine.writer.present(top)
        return engine.sql(text, self._shape(top).shown, self.labels, results=results)

    def absorb(self, joined: R | None) -> Run | None:
        """Pane partials of new results of a join, kept as a run of the base state."""
        if joined is None:
            return None
        state = self.query.base.state
        text = self.engine.writer.partial(state, joined=True)
        panes = self.engine.sql(text, self._shape(self.query.base).panes, {}, input=joined)
        run = self.engine.save(panes, new_run(state.identity, self.batch, "d"), "pane")
        self.book.add(run)
        return run

    def _shown_at_once(self, stage: Stage) -> R | None:
        """The plainest query: closing and labelling in one statement, one round trip less."""
        runs = self.book.of(stage.state.identity)
        if not self.bounds.closes(stage.window, runs):
            return None
        text, parameters = self._closing(stage)
        text = self.engine.writer.present(stage, f"({text})")
        panes = self.engine.load(self._near(stage, runs), self._shape(stage).panes)
        shown = self._shape(stage).shown
        return self.engine.sql(text, shown, parameters | self.labels, panes=panes)

    def _shape(self, stage: Stage) -> Shape:
        return self.shapes[self.query.name, stage.level]

    def _base(self, delta: Run | None) -> R | None:
        stage = self.query.base
        runs = self.book.of(stage.state.identity)
        shape = self._shape(stage)
        parts: list[R] = []
        if self.bounds.closes(stage.window, runs):
            panes = self.engine.load(self._near(stage, runs), shape.panes)
            parts += self._remembered(self._close(stage, panes), shape.results)
        if self.query.late == "revise" and delta is not None:
            fresh = self.engine.load([delta], shape.panes)
            parts += self._revise(stage, self.engine.load(runs, shape.panes), fresh)
        return self.engine.concat(parts) if parts else None

    def _remembered(self, results: R, schema: pa.Schema) -> list[R]:
        """Answers to be measured later are kept until then."""
        if self.query.promise is None:
            return [results]
        run = new_run(answers_state(self.query), self.batch, "a")
        kept = self._kept(results, run, "__start", schema)
        return [] if kept is None else [kept]

    def measure(self) -> R | None:
        """Errors of the answers for windows that end in ``(after, upto]``, stragglers included."""
        stage, promise = self.query.base, self.query.promise
        runs = self.book.of(stage.state.identity)
        if promise is None or not self.bounds.closes(stage.window, runs):
            return None
        shape, engine = self._shape(stage), self.engine
        first, windows = self.bounds.closing(stage.window)
        text = engine.writer.measure(stage, promise.columns, windows)
        panes = engine.load(self._near(stage, runs), shape.panes)
        answers = engine.load(self.book.of(answers_state(self.query)), shape.results)
        parameters = {**self.bounds.parameters, "first": first}
        schema = shape.measured(stage.keys, tuple(promise.columns))
        return engine.sql(text, schema, parameters, panes=panes, answers=answers)

    def _near(self, stage: Stage, runs: Sequence[Run]) -> list[Run]:
        """The runs that windows closing now can read."""
        low = self.bounds.after - stage.window.size
        return [run for run in runs if run.high > low and run.low < self.bounds.upto]

    def _above(self, stage: Stage, below: R | None) -> R | None:
        state = stage.state
        tag = f"l{stage.level}"
        if state.kind == "rows":
            return self._above_rows(stage, below)
        if below is not None:
            shape = self._shape(stage)
            fresh = self.engine.sql(self.engine.writer.partial(state), shape.panes, {}, input=below)
            self.book.add(self.engine.save(fresh, new_run(state.identity, self.batch, tag), "pane"))
        runs = self.book.of(state.identity)
        if not self.bounds.closes(stage.window, runs):
            return None
        panes = self.engine.load(self._near(stage, runs), self._shape(stage).panes)
        return self._close(stage, panes)

    def _above_rows(self, stage: Stage, below: R | None) -> R | None:
        """A stage whose input may be revised: it keeps the rows and reads their newest versions."""
        state, engine, writer = stage.state, self.engine, self.engine.writer
        lower = self.query.stages[stage.level - 2]
        rows_shape = self._shape(lower).results
        panes_shape = self._shape(stage).panes
        if below is not None:
            run = new_run(state.identity, self.batch, f"l{stage.level}")
            below = self._kept(below, run, "__end", rows_shape)
        runs = self.book.of(state.identity)
        if not runs:
            return None
        rows = engine.load(runs, rows_shape)
        newest = engine.sql(writer.latest(lower), rows_shape, {}, rows=rows)
        panes = engine.sql(writer.partial(state), panes_shape, {}, input=newest)
        _, closing = self.bounds.closing(stage.window)
        parts = [self._close(stage, panes)] if closing else []
        if below is not None:
            touched = engine.sql(writer.versions(lower), rows_shape, {}, rows=rows, delta=below)
            delta = engine.sql(writer.partial(state), panes_shape, {}, input=touched)
            parts += self._revise(stage, panes, delta)
        return engine.concat(parts) if parts else None

    def _close(self, stage: Stage, panes: R) -> R:
        text, parameters = self._closing(stage)
        return self.engine.sql(text, self._shape(stage).results, parameters, panes=panes)

    def _closing(self, stage: Stage) -> tuple[str, dict[str, int]]:
        first, windows = self.bounds.closing(stage.window)
        return self.engine.writer.finals(stage, windows), {**self.bounds.parameters, "first": first}

    def _revise(self, stage: Stage, panes: R, delta: R) -> list[R]:
        """New versions of answers already given, if rows of ``delta`` reach into them."""
        if self.bounds.after == BEGIN_OF_TIME:
            return []
        engine, shape = self.engine, self._shape(stage)
        changed = engine.sql(
            engine.writer.changed(stage), shape.changed, self.bounds.parameters, delta=delta
        )
        if engine.is_empty(changed):
            return []
        state = told_state(self.query, stage)
        told = engine.load(self.book.of(state), shape.told)
        text = engine.writer.revise(stage)
        fresh = engine.sql(text, shape.results, {}, panes=panes, changed=changed, told=told)
        spoken = self._kept(fresh, new_run(state, self.batch, "t"), "__start", shape.results)
        return [] if spoken is None else [spoken]

    def _kept(self, relation: R, run: Run, time: str, schema: pa.Schema) -> R | None:
        """Save a relation and go on with what was saved: a lazy one is then computed once only."""
        saved = self.engine.save(relation, run, time)
        self.book.add(saved)
        return None if saved is None else self.engine.load([saved], schema)
