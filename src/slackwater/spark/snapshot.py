"""What a committed batch left behind, for readers beside the loop."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from slackwater.control.asking import understand, why_none
from slackwater.control.prodding import ProdCall, ProddingState, Progress, open_windows
from slackwater.control.records import ControlState
from slackwater.control.step import origin_of
from slackwater.errors import Problem, QueryError
from slackwater.spark.book import Book
from slackwater.spark.engine import Engine, R
from slackwater.spark.estimating import Estimator
from slackwater.spark.inbox import new_id
from slackwater.spark.judging import Judged
from slackwater.spark.reading import Reading


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Runs, progress and accuracy as of one batch."""

    batch: int
    book: Book
    state: ControlState
    judged: dict[str, Judged] = field(default_factory=dict)

    def estimate(self, engine: Engine[R], reading: Reading, where: str | None) -> R:
        """What the open windows of a query would say; raises if nothing open is asked for."""
        name = reading.query
        progress = Progress(
            None,
            self.state.clocks.get(name),
            self.state.watermarks.get(name),
            origin_of(reading.streams, self.state.streams),
        )
        predicate = understand(name, reading.output, where)
        if isinstance(predicate, Problem):
            raise QueryError([predicate])
        reason = why_none(reading.window, predicate, progress.clock, progress.upto)
        live = open_windows(reading.window, progress)
        if reason is not None or live is None:
            text = reason or "no window is open"
            raise QueryError([Problem("NOTHING_OPEN", f"estimate of query {name!r}", text)])
        call = ProdCall(new_id(), "request", *live, None if predicate is None else predicate.sql)
        before = self.state.prodding.get(name, ProddingState())
        judged = self.judged.get(name, Judged())
        now = time.time_ns() // 1000
        said = Estimator(engine, reading, self.book, progress, judged).said([call], before, now)
        if said is None:
            said = engine.lift(reading.said.empty_table())
        return engine.pick(said, reading.shown)
