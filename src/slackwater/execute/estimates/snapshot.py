"""What a committed batch left behind, for readers beside the loop."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from slackwater.control import request
from slackwater.control.clock import oldest_of, origin_of
from slackwater.control.orders import ProdCall
from slackwater.control.prods import (
    REQUEST,
    ProdMemory,
    Progress,
    open_windows,
    spoken,
    windows_asked,
)
from slackwater.control.records import ControlState
from slackwater.control.request import understand, why_none
from slackwater.errors import Problem, QueryError
from slackwater.execute.duck import FAULTS, DuckReader
from slackwater.execute.estimates.fault import fault
from slackwater.execute.estimates.read import Estimator
from slackwater.execute.estimates.reading import Reading
from slackwater.plan.names import check_beside
from slackwater.plan.report import Reporter
from slackwater.runs.catalog import Catalog
from slackwater.runs.requests import new_id


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of the open windows of a query, with all that an answer needs beside runs."""

    query: str
    progress: Progress
    call: ProdCall
    before: ProdMemory
    at: int

    def answer(
        self,
        engine: DuckReader,
        reading: Reading,
        catalog: Catalog,
        given: Mapping[str, pa.Table | None] | None = None,
    ) -> pa.Table:
        """The estimates as people see them; ``given`` is what others read of lower levels."""
        try:
            said = self.estimator(engine, reading, catalog, given).said(
                [self.call], self.before, self.at
            )
        except FAULTS as error:
            at = f"estimate of query {self.query!r}"
            raise QueryError([fault(error, at, self.call.where)]) from error
        return (reading.said.empty_table() if said is None else said).select(reading.shown.names)

    def estimator(
        self,
        engine: DuckReader,
        reading: Reading,
        catalog: Catalog,
        given: Mapping[str, pa.Table | None] | None = None,
    ) -> Estimator:
        accuracy = self.before.accuracy
        return Estimator(engine, reading, catalog, self.progress, accuracy, given or {})


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Runs, progress and accuracy as of one batch."""

    batch: int
    catalog: Catalog
    state: ControlState

    def estimate(self, engine: DuckReader, reading: Reading, where: str | None) -> pa.Table:
        """What the open windows of a query would say; raises if nothing open is asked for."""
        return self.question(reading, where).answer(engine, reading, self.catalog)

    def rows(self, reading: Reading) -> int:
        """How many rows have to be read for that."""
        return sum(run.rows for state in reading.states for run in self.catalog.at(state))

    def is_spread(self, reading: Reading) -> bool:
        """Whether all of them lie by group."""
        runs = [run for state in reading.states for run in self.catalog.at(state)]
        return all(run.is_grouped for run in runs)

    def question(self, reading: Reading, where: str | None) -> Question:
        """What is asked, in full; raises if it is about nothing that is open."""
        name = reading.query
        _refuse_names(reading)
        progress = Progress(
            None,
            self.state.of(name).clock,
            self.state.of(name).watermark,
            origin_of(reading.streams, self.state.streams),
            oldest=oldest_of(reading.streams, self.state.streams),
            whole_after=self.state.of(name).whole_after,
        )
        predicate = understand(name, reading.output, where)
        if isinstance(predicate, Problem):
            raise QueryError([predicate])
        at, reader = f"estimate of query {name!r}", request.Reader(reading.stamp, reading.zone)
        reason = why_none(reading.window, predicate, progress.clock, progress.upto, reader)
        live = open_windows(reading.window, progress)
        if reason is not None or live is None:
            raise QueryError([Problem("NOTHING_OPEN", at, reason or "no window is open")])
        found = windows_asked(reading.window, live, predicate, reader)
        if isinstance(found, str):
            raise QueryError([Problem("TOO_MANY_OPEN", at, found)])
        call = ProdCall(new_id(), REQUEST, *found, None if predicate is None else predicate.sql)
        return Question(name, progress, call, spoken(self.state, name), time.time_ns() // 1000)


def _refuse_names(reading: Reading) -> None:
    """A query that gives no estimates of its own may have columns that estimates add."""
    problems: list[Problem] = []
    report = Reporter(f"estimate of query {reading.query!r}", problems)
    names = (*reading.keys, *reading.values)
    check_beside(names, reading.columns.names, report, "estimates")
    if problems:
        raise QueryError(problems)
