"""Estimates: a reading of open runs, labelled. It takes nothing out of any state."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from slackwater.control.accuracy import Accuracy
from slackwater.control.orders import ProdCall
from slackwater.control.prods import Mark, ProdMemory, Progress, marks
from slackwater.estimate.monitor import Array, MonitorState, bands, coverages
from slackwater.execute.duck import DuckReader
from slackwater.execute.engine import Wanted
from slackwater.execute.estimates.arrow import can_fold, folded, labelled
from slackwater.execute.estimates.reading import Reading
from slackwater.plan.sql.estimates import MARKS, ReadingStep, level_of, spoken
from slackwater.plan.sql.statement import Statement
from slackwater.query.expression import Expression
from slackwater.runs.catalog import Catalog
from slackwater.units import BEGIN_OF_TIME, END_OF_TIME

PART = Statement("SELECT * FROM part", ("part",))


@dataclass(frozen=True, slots=True)
class Estimator:
    """Says what the open windows of a query would answer now.

    ``given`` is what others read of lower levels, by step: these are not read here.
    """

    engine: DuckReader
    reading: Reading
    catalog: Catalog
    progress: Progress
    judged: Accuracy
    given: Mapping[str, pa.Table | None] = field(default_factory=dict)

    def said(
        self,
        calls: Sequence[ProdCall],
        before: ProdMemory,
        emitted_at: int,
        asks: Container[int] | None = None,
    ) -> pa.Table | None:
        """Estimates for each prod, with what only the engine sees beside them.

        Only the prods with the numbers ``asks`` are answered; their estimates are counted as if
        all were.
        """
        if not calls:
            return None
        met = marks(calls, before, self.reading.window, self.progress)
        found = [mark for mark in met if asks is None or mark.ask in asks]
        opened = self._opened(min(m.start for m in found), max(m.start for m in found))
        if opened is None:
            return None
        table = mark_table(found, calls, self.reading, self.judged)
        wheres = [call.where if asks is None or n in asks else None for n, call in enumerate(calls)]
        asked = [None if where is None else Expression(where) for where in wheres]
        origin = 0 if self.progress.origin is None else self.progress.origin
        if all(where is None for where in asked):
            return labelled(opened, table, self.reading, origin, emitted_at)
        names = (self.reading.keys, self.reading.values)
        reading = self.reading
        statement = spoken(
            self.engine.writer, names, reading.columns, asked, reading.output, stamp=reading.stamp
        )
        labels = {"origin": origin, "emitted_at": emitted_at}
        relations = {"opened": opened, MARKS: table}
        return self.engine.run(statement, self.reading.said, labels, relations)

    def _opened(self, first: int, last: int) -> pa.Table | None:
        """The top level's open windows that start from ``first`` to ``last``."""
        whole = self.progress.whole_after
        closed = self._upto if whole is None else max(self._upto, whole)
        after = max(closed, first + self.reading.window.size - 1)
        return self._read_up(self.reading.top, {"after": after, "last": last})

    def opened(self, level: int) -> pa.Table | None:
        """The open windows of a level below the top."""
        return self._read_up(level, {"after": self._upto, "last": END_OF_TIME})

    @property
    def _upto(self) -> int:
        return BEGIN_OF_TIME if self.progress.upto is None else self.progress.upto

    def _read_up(self, level: int, bounds: dict[str, int]) -> pa.Table | None:
        """Read from what is given, or from the lowest level, up to this one."""
        reading = self.reading
        if not any(self._has_runs(state) for state in reading.states) and not any(
            one is not None for one in self.given.values()
        ):
            return None
        made = {
            name: reading.schemas[name].empty_table() if one is None else one
            for name, one in self.given.items()
        }
        lowest = 1 + max((level_of(name) for name in made), default=0)
        for step in reading.steps:
            if lowest <= level_of(step.name) <= level:
                wide = {"after": self._upto, "last": END_OF_TIME}  # those above may begin later
                last = step.name == f"open-{level}"
                relations = {n: self._read(sources, made) for n, sources in step.reads.items()}
                made[step.name] = self._made(step, bounds if last else wide, relations)
        return made[f"open-{level}"]

    def _made(
        self, step: ReadingStep, bounds: dict[str, int], relations: dict[str, pa.Table]
    ) -> pa.Table:
        """What a step gives: folded in memory if it can be, else by its statement."""
        schema, fold = self.reading.schemas[step.name], self.reading.fold
        panes, window = relations.get("panes"), self.reading.window
        if fold is not None and panes is not None and can_fold(fold, panes, window):
            return folded(panes, fold, window, schema=schema, **bounds)
        return self.engine.run(step.statement, schema, bounds, relations)

    def _has_runs(self, state: str) -> bool:
        return bool(self.catalog.at(state))

    def _read(self, sources: Sequence[str], made: dict[str, pa.Table]) -> pa.Table:
        """What a step reads: results of other steps and runs of states, put together."""
        parts = [
            made[name]
            if name in made
            else self.engine.load(Wanted(self.catalog.at(name), self.reading.schemas[name]))
            for name in sources
        ]
        return parts[0] if len(parts) == 1 else self._together(sources, parts)

    def _together(self, sources: Sequence[str], parts: Sequence[pa.Table]) -> pa.Table:
        """Parts in the columns of the last one; versions of rows have more than others."""
        schema = self.reading.schemas[sources[-1]]
        return pa.concat_tables(
            [
                self.engine.run(PART, schema, {}, {"part": part})
                if self.reading.schemas[name] != schema
                else part
                for name, part in zip(sources, parts, strict=True)
            ]
        )


def mark_table(
    found: Sequence[Mark], calls: Sequence[ProdCall], reading: Reading, judged: Accuracy
) -> pa.Table:
    """What is said beside the values, by prod and window: coverage and factors of error bands."""
    ages = np.asarray([mark.age for mark in found], np.float64)
    columns: dict[str, pa.Array] = {
        "__start": pa.array([mark.start for mark in found], pa.int64()),
        "__ask": pa.array([mark.ask for mark in found], pa.int32()),
        "prod": pa.array([calls[mark.ask].id for mark in found], pa.string()),
        "revision": pa.array([mark.revision for mark in found], pa.int32()),
        "coverage": pa.array(_coverage(ages, reading, judged), pa.float64()),
        "__age": pa.array(ages),
        "__keep": pa.array([mark.is_kept for mark in found], pa.bool_()),
    }
    for name in reading.columns.numeric:
        known = judged.columns.get(name, MonitorState())
        low, high = bands(known, ages, reading.band)
        columns[f"{name}_low"] = pa.array(low, from_pandas=True)
        columns[f"{name}_high"] = pa.array(high, from_pandas=True)
    return pa.table(columns)


def _coverage(ages: Array, reading: Reading, judged: Accuracy) -> Array:
    """The share of rows that estimates of this age used to have; of time, before that is known."""
    passed: Array = np.minimum(ages, 1.0)
    known = next((judged.columns[n] for n in reading.columns.numeric if n in judged.columns), None)
    if known is None:
        return passed
    learned = coverages(known, ages)
    return np.where(np.isnan(learned), passed, np.minimum(learned, 1.0))
