"""What a committed batch left behind, for readers beside the loop."""

from __future__ import annotations

import time
from dataclasses import dataclass

from slackwater.control.clock import origin_of
from slackwater.control.orders import ProdCall
from slackwater.control.prods import (
    REQUEST,
    ProdMemory,
    Progress,
    open_windows,
    windows_asked,
)
from slackwater.control.records import ControlState
from slackwater.control.request import Reader, understand, why_none
from slackwater.errors import Problem, QueryError
from slackwater.plan.names import check_beside
from slackwater.plan.report import Reporter
from slackwater.spark.book import Book
from slackwater.spark.engine import Engine, R
from slackwater.spark.estimating import Estimator
from slackwater.spark.fault import FAULTS, fault
from slackwater.spark.inbox import new_id
from slackwater.spark.reading import Reading


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Runs, progress and accuracy as of one batch."""

    batch: int
    book: Book
    state: ControlState

    def estimate(self, engine: Engine[R], reading: Reading, where: str | None) -> R:
        """What the open windows of a query would say; raises if nothing open is asked for."""
        name = reading.query
        _refuse_names(reading)
        progress = Progress(
            None,
            self.state.of(name).clock,
            self.state.of(name).watermark,
            origin_of(reading.streams, self.state.streams),
        )
        predicate = understand(name, reading.output, where)
        if isinstance(predicate, Problem):
            raise QueryError([predicate])
        at, reader = f"estimate of query {name!r}", Reader(reading.stamp, reading.zone)
        reason = why_none(reading.window, predicate, progress.clock, progress.upto, reader)
        live = open_windows(reading.window, progress)
        if reason is not None or live is None:
            raise QueryError([Problem("NOTHING_OPEN", at, reason or "no window is open")])
        found = windows_asked(reading.window, live, predicate, reader)
        if isinstance(found, str):
            raise QueryError([Problem("TOO_MANY_OPEN", at, found)])
        call = ProdCall(new_id(), REQUEST, *found, None if predicate is None else predicate.sql)
        try:
            return self._said(engine, reading, progress, call)
        except FAULTS as error:
            raise QueryError([fault(error, at, call.where, engine.folder)]) from error

    def _said(self, engine: Engine[R], reading: Reading, progress: Progress, call: ProdCall) -> R:
        """The estimates, whatever becomes of the runs they were read from."""
        before = self.state.of(reading.query).find(ProdMemory) or ProdMemory()
        now = time.time_ns() // 1000
        said = Estimator(engine, reading, self.book, progress, before.accuracy).said(
            [call], before, now
        )
        if said is None:
            said = engine.lift(reading.said.empty_table())
        return engine.detach(engine.pick(said, reading.shown))


def _refuse_names(reading: Reading) -> None:
    """A query that gives no estimates of its own may have columns that estimates add."""
    problems: list[Problem] = []
    report = Reporter(f"estimate of query {reading.query!r}", problems)
    names = (*reading.keys, *reading.values)
    check_beside(names, reading.columns.names, report, "estimates")
    if problems:
        raise QueryError(problems)
