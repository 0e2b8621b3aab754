"""Estimates in a batch: what open windows say to who asked, and what earlier ones were worth."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from slackwater.control.accuracy import Accuracy
from slackwater.control.turn import Turn
from slackwater.errors import Problem
from slackwater.execute.engine import Engine, Wanted
from slackwater.execute.estimates.answer import Speaker
from slackwater.execute.estimates.arrow import can_pair, pairs_of, pick
from slackwater.execute.estimates.in_driver import Near
from slackwater.execute.estimates.judge import compare, sample
from slackwater.execute.estimates.read import Estimator
from slackwater.execute.estimates.reading import Reading
from slackwater.execute.estimates.sample import Sample
from slackwater.plan.estimates import EstimatePlan
from slackwater.plan.sql.estimates import paired
from slackwater.runs.catalog import Catalog, estimates_state
from slackwater.runs.run import new_run


@dataclass(frozen=True, slots=True)
class Said:
    """Results with their estimates: all rows, how many of them are estimates, by prod too.

    ``accuracy`` is what estimates were worth by now, ``sample`` some that met their finals;
    ``failed`` has, by prod, what it ran into.
    """

    engine: Engine[Any]
    rows: Any | None
    accuracy: Accuracy
    sample: Sample | None = None
    estimates: int = 0
    answered: dict[str, int] = field(default_factory=dict)
    failed: dict[str, Problem] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EstimateTurn:
    """One query's estimates in one batch."""

    engine: Engine[Any]
    near: Near
    reading: Reading
    plan: EstimatePlan
    catalog: Catalog
    turn: Turn

    def run(self, finals: Any | None, schema: pa.Schema) -> Said:
        """Judge what was said of windows that closed, then speak of those still open."""
        engine = self._engine()
        if finals is not None and engine is not self.engine:
            finals = self.engine.to_arrow(finals).cast(schema)
        finals, accuracy, shown_pairs = self._judge(engine, finals)
        estimator = Estimator(engine, self.reading, self.catalog, self.turn.progress, accuracy)
        assert self.turn.decision.prods is not None
        calls = self.turn.decision.prods.calls
        speaker = Speaker(estimator, calls, self.turn.spoken, self.turn.emitted_at)
        said, rows = speaker.speak()
        shown = None if said is None else pick(engine, said, self.reading.shown)
        if said is not None:
            self._remember(engine, said)
        parts = [part for part in (finals, shown) if part is not None]
        together = engine.concat(parts) if len(parts) > 1 else next(iter(parts), None)
        given = 0 if said is None else sum(rows.values())
        return Said(engine, together, accuracy, shown_pairs, given, rows, speaker.failed)

    def _engine(self) -> Engine[Any]:
        """Who reads what is open, and writes answers: the driver if they are few."""
        states = (*self.reading.states, estimates_state(self.reading.query))
        runs = [run for state in states for run in self.catalog.at(state)]
        return self.near.instead_of(self.engine, self.reading, runs)

    def _remember(self, engine: Engine[Any], said: Any) -> None:
        """Keep estimates that are to be judged until their windows have a final answer."""
        run = new_run(estimates_state(self.reading.query), self.turn.batch, "e")
        kept = pick(engine, said, self.reading.kept, "__keep")
        self.catalog.add(engine.save(kept, run, "__start"))

    def _judge(
        self, engine: Engine[Any], finals: Any | None
    ) -> tuple[Any | None, Accuracy, Sample | None]:
        """Compare finals with what was estimated of them."""
        runs, known = (
            self.catalog.at(estimates_state(self.reading.query)),
            self.turn.spoken.accuracy,
        )
        if finals is None or not runs:
            return finals, known, None
        finals = engine.hold(finals)
        pairs = self._pairs(engine, engine.load(Wanted(runs, self.reading.kept)), finals)
        if not pairs.num_rows:
            return finals, known, None
        return finals, known.plus(compare(self.plan, pairs)), sample(pairs, self.turn.batch)

    def _pairs(self, engine: Engine[Any], said: Any, finals: Any) -> pa.Table:
        """Each estimate beside its final."""
        reading = self.reading
        if isinstance(said, pa.Table) and can_pair(said, reading):
            return pairs_of(said, finals, reading)
        statement = paired(engine.writer, reading.keys, reading.columns, reading.stamp)
        pairs = engine.run(statement, reading.pairs, {}, {"said": said, "finals": finals})
        return engine.to_arrow(pairs)
