"""Results of joins that lack an input: told once it is certain, taken back if that was wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from slackwater.execute.duck import DuckEngine
from slackwater.execute.engine import Wanted
from slackwater.execute.joins import Watermarks
from slackwater.execute.shape import JoinShape
from slackwater.plan.join import JoinPlan
from slackwater.plan.sql.statement import Statement
from slackwater.plan.sql.unmatched import FRESH, HELD, UnmatchedWriter
from slackwater.runs.catalog import Catalog
from slackwater.runs.run import Run


@dataclass(frozen=True, slots=True)
class UnmatchedRunner:
    """Looks, once a batch, for rows whose wait for partners is over.

    ``fresh`` are the new rows of the batch by state; whatever else the catalog has was held before.
    """

    engine: DuckEngine
    shape: JoinShape
    catalog: Catalog
    batch: int
    marks: Watermarks
    fresh: Mapping[str, Run | None]
    revises: bool

    @property
    def plan(self) -> JoinPlan:
        return self.shape.plan

    def run(self) -> pa.Table | None:
        """Results that lack an input; nothing if nothing is settled."""
        writer = UnmatchedWriter(self.engine.writer, self.plan)
        if self.revises and self._is_late():
            return self._run(writer.revised())
        return self._run(writer.settled()) if self._is_settled() else None

    def _is_late(self) -> bool:
        """Whether a row came that may change what was answered before."""
        new = (self.fresh.get(one.state.identity) for one in self.plan.inputs)
        return any(run is not None and run.low < self.marks.after for run in new)

    def _is_settled(self) -> bool:
        """Whether the wait of any row may end with this batch."""
        after, upto = self.marks.after, self.marks.upto
        graph = self.plan.graph
        for one in self.plan.inputs:
            if one.name in graph.optional:
                continue
            wait = graph.patience(one.name)
            runs = self.catalog.at(one.state.identity)
            if any(run.high + wait >= after and run.low + wait < upto for run in runs):
                return True
        return False

    def _run(self, statement: Statement) -> pa.Table:
        marks = self.marks
        parameters = {"after": marks.after, "upto": marks.upto, "kept": marks.after - marks.keep}
        sources = self._sources()
        relations = {name: sources[name] for name in statement.reads}
        return self.engine.run(statement, self.shape.results, parameters, relations)

    def _sources(self) -> dict[str, Wanted]:
        found: dict[str, Wanted] = {}
        for number, one in enumerate(self.plan.inputs):
            kind, new = self.shape.input(one.name), self.fresh.get(one.state.identity)
            low = self.marks.after - self.marks.keep - self.plan.graph.patience(one.name)
            held = [
                run
                for run in self.catalog.at(one.state.identity)
                if run.batch != self.batch and run.high >= low
            ]
            found[f"{FRESH}{number}"] = Wanted([] if new is None else [new], kind)
            found[f"{HELD}{number}"] = Wanted(held, kind)
        return found
