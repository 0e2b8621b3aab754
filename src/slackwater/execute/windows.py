"""Windows: absorb what is new, close windows, revise closed ones, hand results up.

Written once against :class:`~slackwater.execute.engine.Engine`, so that it runs anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from slackwater.control.records import QueryDecision
from slackwater.execute.duck import DuckEngine
from slackwater.execute.engine import Wanted
from slackwater.execute.shape import Shape, Shapes
from slackwater.plan.stage import QueryPlan, Stage
from slackwater.plan.window import Window
from slackwater.runs.catalog import Catalog, answers_state, told_state
from slackwater.runs.run import Run, new_run
from slackwater.units import BEGIN_OF_TIME


@dataclass(frozen=True, slots=True)
class Closing:
    """Which windows close (end in ``(after, upto]``) and which may be revised."""

    after: int
    upto: int
    horizon: int

    @classmethod
    def of(cls, decision: QueryDecision) -> Closing:
        return cls.between(decision.after, decision.upto, decision.horizon)

    @classmethod
    def between(cls, after: int | None, upto: int | None, horizon: int | None = None) -> Closing:
        return cls(*(BEGIN_OF_TIME if t is None else t for t in (after, upto, horizon)))

    @property
    def parameters(self) -> dict[str, int]:
        return {"after": self.after, "upto": self.upto, "horizon": self.horizon}

    def starts(self, window: Window) -> tuple[int, int]:
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
class WindowRunner:
    """Runs one query for one batch in one engine."""

    engine: DuckEngine
    query: QueryPlan
    shapes: Shapes
    catalog: Catalog
    batch: int
    closing: Closing
    labels: dict[str, int]

    def run(self, delta: Run | None) -> pa.Table | None:
        """Results of the top stage as people see them, given the new run of the base state."""
        plain = self.query.late != "revise" and self.query.promise is None
        if plain and self.query.top is self.query.base:
            return self._shown_at_once(self.query.top)
        return self.shown(self.rise(self.base(delta), 2, self.query.top.level))

    def rise(self, results: pa.Table | None, first: int, last: int) -> pa.Table | None:
        """Results of level ``last``, given those of the level below ``first``."""
        for stage in self.query.stages[first - 1 : last]:
            results = self._above(stage, results)
        return results

    def shown(self, results: pa.Table | None) -> pa.Table | None:
        """Results of the top level as people see them."""
        if results is None:
            return None
        engine, top = self.engine, self.query.top
        shown = engine.writer.present(top)
        return engine.run(shown, self._shape(top).shown, self.labels, {"results": results})

    def absorb(self, joined: pa.Table | None, *, is_grouped: bool = False) -> Run | None:
        """Pane partials of new results of a join, or of groups of them, kept as a run of the base
        state.
        """
        if joined is None:
            return None
        state, writer = self.query.base.state, self.engine.writer
        partial = (
            writer.partial_of_groups(state) if is_grouped else writer.partial(state, joined=True)
        )
        schema = self._shape(self.query.base).panes
        panes = self.engine.run(partial, schema, {}, {"input": joined})
        run = self.engine.save(panes, new_run(state.identity, self.batch, "d"), "pane")
        self.catalog.add(run)
        return run

    def _shown_at_once(self, stage: Stage) -> pa.Table | None:
        """The plainest query: closing and labelling in one statement, one round trip less."""
        runs = self.catalog.at(stage.state.identity)
        if not self.closing.closes(stage.window, runs):
            return None
        first, windows = self.closing.starts(stage.window)
        shown, shape = self.engine.writer.shown(stage, windows), self._shape(stage)
        parameters = {**self.closing.parameters, "first": first, **self.labels}
        return self.engine.run(shown, shape.shown, parameters, {"panes": self._near(stage, runs)})

    def _shape(self, stage: Stage) -> Shape:
        return self.shapes[self.query.name, stage.level]

    def base(self, delta: Run | None) -> pa.Table | None:
        """Results of the lowest level, given what is new in its state."""
        stage = self.query.base
        runs = self.catalog.at(stage.state.identity)
        shape = self._shape(stage)
        parts: list[pa.Table] = []
        if self.closing.closes(stage.window, runs):
            parts += self._remembered(self._close(stage, self._near(stage, runs)), shape.results)
        if self.query.late == "revise" and delta is not None:
            fresh, all_panes = Wanted([delta], shape.panes), Wanted(runs, shape.panes)
            parts += self._revise(stage, all_panes, fresh)
        return pa.concat_tables(parts) if parts else None

    def _remembered(self, results: pa.Table, schema: pa.Schema) -> list[pa.Table]:
        """Answers to be measured later are kept until then."""
        if self.query.promise is None:
            return [results]
        run = new_run(answers_state(self.query), self.batch, "a")
        kept = self._kept(results, run, "__start", schema)
        return [] if kept is None else [kept]

    def measure(self) -> pa.Table | None:
        """Errors of the answers for windows that end in ``(after, upto]``, stragglers included."""
        stage, promise = self.query.base, self.query.promise
        runs = self.catalog.at(stage.state.identity)
        if promise is None or not self.closing.closes(stage.window, runs):
            return None
        shape, engine = self._shape(stage), self.engine
        first, windows = self.closing.starts(stage.window)
        measure = engine.writer.measure(stage, promise.columns, windows)
        answers = Wanted(self.catalog.at(answers_state(self.query)), shape.results)
        parameters = {**self.closing.parameters, "first": first}
        schema = shape.measured(stage.keys, tuple(promise.columns))
        relations = {"panes": self._near(stage, runs), "answers": answers}
        return engine.run(measure, schema, parameters, relations)

    def _near(self, stage: Stage, runs: Sequence[Run]) -> Wanted:
        """The panes that windows closing now can read."""
        low = self.closing.after - stage.window.size
        near = [run for run in runs if run.high > low and run.low < self.closing.upto]
        return Wanted(near, self._shape(stage).panes)

    def _above(self, stage: Stage, below: pa.Table | None) -> pa.Table | None:
        state = stage.state
        tag = f"l{stage.level}"
        if state.kind == "rows":
            return self._above_rows(stage, below)
        if below is not None:
            partial, shape = self.engine.writer.partial(state), self._shape(stage)
            fresh = self.engine.run(partial, shape.panes, {}, {"input": below})
            self.catalog.add(
                self.engine.save(fresh, new_run(state.identity, self.batch, tag), "pane")
            )
        runs = self.catalog.at(state.identity)
        if not self.closing.closes(stage.window, runs):
            return None
        return self._close(stage, self._near(stage, runs))

    def _above_rows(self, stage: Stage, below: pa.Table | None) -> pa.Table | None:
        """A stage whose input may be revised: it keeps the rows and reads their newest versions."""
        state, engine, writer = stage.state, self.engine, self.engine.writer
        lower = self.query.stages[stage.level - 2]
        rows_shape = self._shape(lower).results
        panes_shape = self._shape(stage).panes
        if below is not None:
            run = new_run(state.identity, self.batch, f"l{stage.level}")
            below = self._kept(below, run, "__end", rows_shape)
        runs = self.catalog.at(state.identity)
        if not runs:
            return None
        rows = engine.load(Wanted(runs, rows_shape))
        newest = engine.run(writer.latest(lower), rows_shape, {}, {"rows": rows})
        panes = engine.run(writer.partial(state), panes_shape, {}, {"input": newest})
        _, closing = self.closing.starts(stage.window)
        parts = [self._close(stage, panes)] if closing else []
        if below is not None:
            both = {"rows": rows, "delta": below}
            touched = engine.run(writer.versions(lower), rows_shape, {}, both)
            delta = engine.run(writer.partial(state), panes_shape, {}, {"input": touched})
            parts += self._revise(stage, panes, delta)
        return pa.concat_tables(parts) if parts else None

    def _close(self, stage: Stage, panes: pa.Table | Wanted) -> pa.Table:
        first, windows = self.closing.starts(stage.window)
        finals, schema = self.engine.writer.finals(stage, windows), self._shape(stage).results
        parameters = {**self.closing.parameters, "first": first}
        return self.engine.run(finals, schema, parameters, {"panes": panes})

    def _revise(
        self, stage: Stage, panes: pa.Table | Wanted, delta: pa.Table | Wanted
    ) -> list[pa.Table]:
        """New versions of answers already given, if rows of ``delta`` reach into them."""
        if self.closing.after == BEGIN_OF_TIME:
            return []
        engine, shape = self.engine, self._shape(stage)
        touched = engine.writer.changed(stage)
        changed = engine.run(touched, shape.changed, self.closing.parameters, {"delta": delta})
        if not changed.num_rows:
            return []
        state = told_state(self.query, stage)
        told = Wanted(self.catalog.at(state), shape.told)
        relations = {"panes": panes, "changed": changed, "told": told}
        fresh = engine.run(engine.writer.revise(stage), shape.results, {}, relations)
        spoken = self._kept(fresh, new_run(state, self.batch, "t"), "__start", shape.results)
        return [] if spoken is None else [spoken]

    def _kept(self, relation: pa.Table, run: Run, time: str, schema: pa.Schema) -> pa.Table | None:
        """Save a relation and go on with what was saved: a lazy one is then computed once only."""
        saved = self.engine.save(relation, run, time)
        self.catalog.add(saved)
        return None if saved is None else self.engine.load(Wanted([saved], schema))
