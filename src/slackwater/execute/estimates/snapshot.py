"""What a committed batch left behind, for readers beside the loop."""

from __future__ import annotations

import time
from dataclasses import dataclass

from slackwater.control import request
from slackwater.control.clock import oldest_of, origin_of
from slackwater.control.orders import ProdCall
from slackwater.control.prods import (
    REQUEST,
    Progress,
    open_windows,
    spoken,
    windows_asked,
)
from slackwater.control.records import ControlState
from slackwater.control.request import understand, why_none
from slackwater.errors import Problem, QueryError
from slackwater.execute.engine import R, Reader
from slackwater.execute.estimates.arrow import pick
from slackwater.execute.estimates.fault import fault
from slackwater.execute.estimates.read import Estimator
from slackwater.execute.estimates.reading import Reading
from slackwater.plan.names import check_beside
from slackwater.plan.report import Reporter
from slackwater.runs.catalog import Catalog
from slackwater.runs.requests import new_id


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Runs, progress and accuracy as of one batch."""

    batch: int
    catalog: Catalog
    state: ControlState

    def estimate(self, engine: Reader[R], reading: Reading, where: str | None) -> R:
        """What the open windows of a query would say; raises if nothing open is asked for."""
        name = reading.query
        _refuse_names(reading)
        progress = Progress(
            None,
            self.state.of(name).clock,
            self.state.of(name).watermark,
            origin_of(reading.streams, self.state.streams),
            oldest=oldest_of(reading.streams, self.state.streams),
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
        try:
            return self._said(engine, reading, progress, call)
        except engine.faults.kinds as error:
            raise QueryError([fault(error, at, call.where, engine.faults)]) from error

    def _said(self, engine: Reader[R], reading: Reading, progress: Progress, call: ProdCall) -> R:
        """The estimates as people see them."""
        before = spoken(self.state, reading.query)
        estimator = Estimator(engine, reading, self.catalog, progress, before.accuracy)
        said = estimator.said([call], before, time.time_ns() // 1000)
        if said is None:
            said = engine.from_arrow(reading.said.empty_table())
        return pick(engine, said, reading.shown)


def _refuse_names(reading: Reading) -> None:
    """A query that gives no estimates of its own may have columns that estimates add."""
    problems: list[Problem] = []
    report = Reporter(f"estimate of query {reading.query!r}", problems)
    names = (*reading.keys, *reading.values)
    check_beside(names, reading.columns.names, report, "estimates")
    if problems:
        raise QueryError(problems)
