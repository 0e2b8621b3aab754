"""The answers that passed through this process: the newest, and how many of which kind."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from slackwater.cli.feed import Answers
from slackwater.history.history import History
from slackwater.history.summary import Answered, spread
from slackwater.history.table import BATCH, Key
from slackwater.plan.stage import PipelinePlan, QueryPlan
from slackwater.units import MILLISECOND

SHOWN = 6  # newest answers kept per query


@dataclass(slots=True)
class QueryAnswers:
    """The answers of one query.

    ``waits`` counts final answers by the milliseconds of event time between the end of their window
    and the query's clock when they were given; ``hidden`` are columns that are not shown.
    """

    hidden: frozenset[str] = frozenset()
    kinds: Counter[str] = field(default_factory=Counter)
    waits: Counter[int] = field(default_factory=Counter)
    newest: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=SHOWN))

    def add(self, table: pa.Table, clock: int | None) -> None:
        """Take in the answers of a batch; ``clock`` is unknown at the end of a stream."""
        for entry in pc.value_counts(table["kind"]).to_pylist():
            self.kinds[entry["values"]] += entry["counts"]
        finals = table.filter(pc.equal(table["kind"], "final"))
        time = "window_end" if "window_end" in table.column_names else "event_time"
        ends = pc.value_counts(finals[time].cast(pa.int64())).to_pylist()
        for end in ends if clock is not None else []:
            self.waits[(clock - end["values"]) // MILLISECOND] += end["counts"]
        answers = table.filter(pc.not_equal(table["kind"], "estimate"))
        ordered = answers.sort_by([(time, "ascending"), ("revision", "ascending")])
        self.newest.extend(ordered.slice(max(0, ordered.num_rows - SHOWN)).to_pylist())

    def answered(self, emitted: int) -> Answered:
        """What they tell; kinds are known only if every answer passed through this process."""
        is_seen = self.kinds.total() - self.kinds["estimate"] == emitted
        latency = spread(self.waits, scale=1_000.0)
        if not is_seen:
            return Answered(latency_s=latency)
        return Answered(self.kinds["final"], self.kinds["revision"], latency)


class AnswerBook:
    """The answers of all queries of a run; they count once the log tells of their batch."""

    def __init__(self, plan: PipelinePlan) -> None:
        self.queries = {query.name: QueryAnswers(_hidden(query)) for query in plan.queries}
        self._waiting: list[Answers] = []

    def add(self, answers: Iterable[Answers], history: History) -> None:
        """Take in what a feed gave."""
        self._waiting += answers
        newest = -1 if history.newest is None else history.newest
        due = [each for each in self._waiting if each.batch <= newest]
        self._waiting = [each for each in self._waiting if each.batch > newest]
        for each in due:
            if each.table.num_rows:
                self.queries[each.query].add(each.table, _clock(history, each))

    def answered(self, history: History) -> dict[str, Answered]:
        """By query, what its answers tell."""
        return {
            name: query.answered(round(history.table.total(Key("query", name, "emitted"))))
            for name, query in self.queries.items()
        }


def _hidden(query: QueryPlan) -> frozenset[str]:
    """Columns that only estimates have."""
    return frozenset(query.estimable.names if query.estimates and query.estimable else ())


def _clock(history: History, answers: Answers) -> int | None:
    """The query's clock in the batch of some answers; unknown if that was the end of the stream."""
    row = int(np.searchsorted(history.table.column(BATCH), answers.batch))
    clock, mark = (
        history.table.column(Key("query", answers.query, field))[row]
        for field in ("clock", "watermark")
    )
    return None if np.isnan(clock) or np.isnan(mark) else int(clock)
