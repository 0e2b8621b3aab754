"""Estimates in a batch: what open windows say to who asked, and what earlier ones were worth."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from slackwater.control.turn import Turn
from slackwater.errors import Problem
from slackwater.execute.duck import DuckEngine
from slackwater.execute.engine import Wanted
from slackwater.execute.estimates.answer import Speaker
from slackwater.execute.estimates.arrow import can_pair, pairs_of
from slackwater.execute.estimates.judge import enough
from slackwater.execute.estimates.read import Estimator
from slackwater.execute.estimates.reading import Reading
from slackwater.plan.spread import Leg
from slackwater.plan.sql.estimates import paired
from slackwater.runs.catalog import Catalog, estimates_state
from slackwater.runs.run import new_run


@dataclass(frozen=True, slots=True)
class Said:
    """Results with their estimates: all rows, how many of them are estimates, by prod too.

    ``pairs`` are estimates that met their finals, side by side; ``failed`` has, by prod, what it
    ran into.
    """

    rows: Any | None
    pairs: pa.Table | None = None
    estimates: int = 0
    answered: dict[str, int] = field(default_factory=dict)
    failed: dict[str, Problem] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EstimateTurn:
    """One query's estimates in one batch."""

    engine: DuckEngine
    reading: Reading
    catalog: Catalog
    turn: Turn
    leg: Leg
    opened: Any | None = None
    skipped: frozenset[str] = frozenset()

    def below(self) -> Any | None:
        """What the highest level of the leg would say of open windows, if anyone asks now."""
        assert self.turn.decision.prods is not None
        if self.leg.last == 0 or not self.turn.decision.prods.calls:
            return None  # a join has no windows
        return self._estimator().opened(self.leg.last)

    def _estimator(self) -> Estimator:
        known = self.turn.spoken.accuracy
        made = {} if self.leg.first <= 1 else {f"open-{self.leg.first - 1}": self.opened}
        return Estimator(self.engine, self.reading, self.catalog, self.turn.progress, known, made)

    def run(self, finals: pa.Table | None) -> Said:
        """Judge what was said of windows that closed, then speak of those still open."""
        pairs = self._judge(finals)
        estimator = self._estimator()
        assert self.turn.decision.prods is not None
        calls = self.turn.decision.prods.calls
        speaker = Speaker(estimator, calls, self.turn.spoken, self.turn.emitted_at, self.skipped)
        said, rows = speaker.speak()
        shown = None if said is None else said.select(self.reading.shown.names)
        if said is not None:
            self._remember(said)
        parts = [part for part in (finals, shown) if part is not None]
        together = pa.concat_tables(parts) if len(parts) > 1 else next(iter(parts), None)
        given = 0 if said is None else sum(rows.values())
        return Said(together, pairs, given, rows, speaker.failed)

    def _remember(self, said: pa.Table) -> None:
        """Keep estimates that are to be judged until their windows have a final answer."""
        run = new_run(estimates_state(self.reading.query), self.turn.batch, "e")
        kept = said.filter(said["__keep"]).select(self.reading.kept.names)
        self.catalog.add(self.engine.save(kept, run, "__start"))

    def _judge(self, finals: pa.Table | None) -> pa.Table | None:
        """Put what was estimated beside the finals of it, some of them if there are very many."""
        runs = self.catalog.at(estimates_state(self.reading.query))
        if finals is None or not runs:
            return None
        pairs = self._pairs(self.engine.load(Wanted(runs, self.reading.kept)), finals)
        return enough(pairs) if pairs.num_rows else None

    def _pairs(self, said: pa.Table, finals: pa.Table) -> pa.Table:
        """Each estimate beside its final."""
        reading = self.reading
        if can_pair(said, reading):
            return pairs_of(said, finals, reading)
        statement = paired(self.engine.writer, reading.keys, reading.columns, reading.stamp)
        return self.engine.run(statement, reading.pairs, {}, {"said": said, "finals": finals})
