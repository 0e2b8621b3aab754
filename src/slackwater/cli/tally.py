"""What a run has done so far: batch reports and answers, added up."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from slackwater.cli.feed import Answers, Item
from slackwater.plan.stage import PipelinePlan, QueryPlan
from slackwater.units import DAY, MILLISECOND, SECOND

RECENT = 10_000  # batches of which times are remembered
SHOWN = 6  # newest answers kept per query
_END = 100_000 * DAY  # a watermark beyond this is the end of the stream


@dataclass(slots=True)
class EstimateTally:
    """The estimates of one query: prods, rows, and what they were worth by the newest report."""

    prods: int = 0
    rows: int = 0
    late: int = 0
    refused: int = 0
    aggressiveness: dict[str, float] = field(default_factory=dict)
    accuracy: dict[str, dict[str, Any]] = field(default_factory=dict)

    def add_report(self, told: dict[str, Any]) -> None:
        self.prods += told["prods"]
        self.rows += told["rows"]
        self.late += told["late"]
        self.refused += told["refused"]
        self.aggressiveness, self.accuracy = told["aggressiveness"], told["accuracy"]

    def summary(self) -> dict[str, Any]:
        return {
            "given": self.rows,
            "prods": self.prods,
            "mistimed": self.late,
            "refused": self.refused,
            "aggressiveness": self.aggressiveness,
            "accuracy": self.accuracy,
        }


@dataclass(slots=True)
class QueryTally:
    """One query: rows that came late, answers given, how long after their windows ended.

    ``waits`` counts final answers by the milliseconds of event time between the end of their window
    and the stream's clock when they were given.
    """

    plan: QueryPlan
    late: int = 0
    dropped: int = 0
    aside: int = 0
    emitted: int = 0
    watermark: int | None = None
    chosen: int | None = None
    max_lateness: int | None = None
    kinds: Counter[str] = field(default_factory=Counter)
    waits: Counter[int] = field(default_factory=Counter)
    estimates: EstimateTally | None = None
    newest: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=SHOWN))

    @property
    def slack(self) -> int:
        """The slack in force: as given, or as chosen last."""
        return self.plan.slack if self.chosen is None else self.chosen

    @property
    def is_ended(self) -> bool:
        return self.watermark is not None and self.watermark > _END

    @property
    def is_seen(self) -> bool:
        """Whether every answer passed through this process, so that its kind is known."""
        return self.kinds.total() - self.kinds["estimate"] == self.emitted

    def add_report(self, told: dict[str, Any]) -> None:
        self.late += told["late"]
        self.dropped += told["dropped"]
        self.aside += told["aside"]
        self.emitted += told["emitted"]
        self.watermark = told["watermark"]
        self.chosen = told["slack"]
        worst = [v for v in (self.max_lateness, told["max_lateness"]) if v is not None]
        self.max_lateness = max(worst, default=None)
        if "estimates" in told:
            self.estimates = self.estimates or EstimateTally()
            self.estimates.add_report(told["estimates"])

    def add_answers(self, table: pa.Table, clock: int | None) -> None:
        for entry in pc.value_counts(table["kind"]).to_pylist():
            self.kinds[entry["values"]] += entry["counts"]
        finals = table.filter(pc.equal(table["kind"], "final"))
        time = "window_end" if "window_end" in table.column_names else "event_time"
        ends = pc.value_counts(finals[time].cast(pa.int64())).to_pylist()
        for end in ends if clock is not None and not self.is_ended else []:
            self.waits[(clock - end["values"]) // MILLISECOND] += end["counts"]
        answers = table.filter(pc.not_equal(table["kind"], "estimate"))
        ordered = answers.sort_by([(time, "ascending"), ("revision", "ascending")])
        self.newest.extend(ordered.slice(max(0, ordered.num_rows - SHOWN)).to_pylist())


@dataclass(slots=True)
class StreamTally:
    """One stream: rows read, its clock, rows without a usable event time."""

    rows: int = 0
    clock: int | None = None
    null_time: int = 0
    far_future: int = 0

    def add_report(self, told: dict[str, Any]) -> None:
        self.rows += told["rows"]
        self.null_time += told["null_time"]
        self.far_future += told["far_future"]
        self.clock = told["clock"]


class Tally:
    """Adds up what a feed gives."""

    def __init__(self, plan: PipelinePlan) -> None:
        self.queries = {query.name: QueryTally(query) for query in plan.queries}
        self.streams = {stream.name: StreamTally() for stream in plan.streams}
        self.batches = 0
        self.totals: deque[float] = deque(maxlen=RECENT)
        self.verbs: dict[str, deque[float]] = {}
        self.last: dict[str, Any] | None = None
        self._waiting: list[Answers] = []

    def add(self, item: Item) -> None:
        """Take in one thing; answers count once their batch is reported as committed."""
        if isinstance(item, Answers):
            self._waiting.append(item)
            return
        self.batches += 1
        self.last = item
        for name, stream in item["streams"].items():
            self.streams[name].add_report(stream)
        for name, query in item["queries"].items():
            self.queries[name].add_report(query)
        for verb, spent in item["ms"].items():
            self.verbs.setdefault(verb, deque(maxlen=RECENT)).append(spent)
        self.totals.append(sum(item["ms"].values()))
        self._take_answers(item["batch"])

    def _take_answers(self, batch: int) -> None:
        for answers in self._waiting:
            query = self.queries[answers.query]
            if answers.batch == batch and answers.table.num_rows:
                query.add_answers(answers.table, self.clock_of(query))
        self._waiting.clear()

    def clock_of(self, query: QueryTally) -> int | None:
        """The clock of a query: that of the slowest of its streams."""
        clocks = [self.streams[name].clock for name in query.plan.streams]
        known = [clock for clock in clocks if clock is not None]
        return min(known) if len(known) == len(clocks) else None

    @property
    def rows(self) -> int:
        return sum(stream.rows for stream in self.streams.values())

    def summary(self, seconds: float) -> dict[str, Any]:
        """Everything as one JSON value; unknown is ``None``."""
        return {
            "seconds": round(seconds, 3),
            "batches": self.batches,
            "rows": self.rows,
            "rows_per_second": round(self.rows / seconds, 1) if seconds > 0 else None,
            "batch_ms": spread(Counter(self.totals)),
            "verb_ms": {verb: round(median(times), 3) for verb, times in self.verbs.items()},
            "tier": self.last["tier"] if self.last else None,
            "state": self.last["state"] if self.last else None,
            "streams": {
                name: {
                    "rows": stream.rows,
                    "clock_us": stream.clock,
                    "null_time": stream.null_time,
                    "far_future": stream.far_future,
                }
                for name, stream in self.streams.items()
            },
            "queries": {name: self._query_summary(query) for name, query in self.queries.items()},
        }

    def _query_summary(self, query: QueryTally) -> dict[str, Any]:
        rows = sum(self.streams[name].rows for name in query.plan.streams)
        longest = query.max_lateness
        return {
            "slack_us": query.slack,
            "late_policy": query.plan.late,
            "late": query.late,
            "late_share": round(query.late / rows, 6) if rows else None,
            "dropped": query.dropped,
            "aside": query.aside,
            "max_lateness_s": None if longest is None else longest / SECOND,
            "answers": query.emitted,
            "finals": query.kinds["final"] if query.is_seen else None,
            "revisions": query.kinds["revision"] if query.is_seen else None,
            "latency_s": spread(query.waits, scale=1_000.0),
            "watermark_us": None if query.is_ended else query.watermark,
            "estimates": None if query.estimates is None else query.estimates.summary(),
        }


def spread(counts: Counter[Any], scale: float = 1.0) -> dict[str, float | None]:
    """Median and 95th percentile (nearest rank) of values that came so many times."""
    return {"median": _ranked(counts, 50, scale), "p95": _ranked(counts, 95, scale)}


def _ranked(counts: Counter[Any], percent: int, scale: float) -> float | None:
    rank = -(-percent * counts.total() // 100)
    for value in sorted(counts):
        rank -= counts[value]
        if rank <= 0:
            return round(float(value) / scale, 3)
    return None
