"""A run in one value: what came, what was late, what was answered, what it cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import numpy as np

from slackwater.history.controllers import Explained
from slackwater.history.history import History
from slackwater.history.plan import QueryShape
from slackwater.history.ranks import RankStanding, ranks_of
from slackwater.history.table import Key
from slackwater.units import SECOND

RECENT = 10_000  # batches of which times are taken


@dataclass(frozen=True, slots=True)
class Spread:
    """Median and 95th percentile, by nearest rank."""

    median: float | None = None
    p95: float | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """What only the answers themselves tell: how many of each kind, how long after the windows."""

    finals: int | None = None
    revisions: int | None = None
    latency_s: Spread = field(default_factory=Spread)


@dataclass(frozen=True, slots=True)
class StateSummary:
    """State that is kept, and by state ``(runs, rows, bytes)``."""

    runs: int
    rows: int
    bytes: int
    by: dict[str, tuple[int, int, int]]


@dataclass(frozen=True, slots=True)
class StreamSummary:
    """One stream: rows read, its clock, rows without a usable event time."""

    rows: int
    clock_us: int | None
    null_time: int
    far_future: int


@dataclass(frozen=True, slots=True)
class EstimateSummary:
    """The estimates of a query: how many, when, and in percent what they were worth."""

    given: int
    prods: int
    mistimed: int
    refused: int
    aggressiveness: dict[str, float]
    accuracy: dict[str, dict[str, float]]


@dataclass(frozen=True, slots=True)
class BacklogSummary:
    """The backlog of a costly query: rows that wait, and what was done and given up in all.

    With ranks, the same by rank, and up to which rank the newest batch was ``complete``.
    """

    todo: int
    aside: int
    shed: int
    worked: int
    oldest_us: int | None
    expired: int = 0
    complete: int | None = None
    ranks: tuple[RankStanding, ...] = ()


@dataclass(frozen=True, slots=True)
class QuerySummary:
    """One query: rows that came late, answers given, how long after their windows ended."""

    slack_us: int | None
    late_policy: str | None
    late: int
    late_share: float | None
    dropped: int
    aside: int
    max_lateness_s: float | None
    answers: int
    finals: int | None
    revisions: int | None
    latency_s: Spread
    watermark_us: int | None
    estimates: EstimateSummary | None
    backlog: BacklogSummary | None
    controllers: Explained


@dataclass(frozen=True, slots=True)
class Summary:
    """Everything; unknown is ``None``."""

    seconds: float
    batches: int
    rows: int
    rows_per_second: float | None
    batch_ms: Spread
    verb_ms: dict[str, float]
    tier: str | None
    state: StateSummary | None
    streams: dict[str, StreamSummary]
    queries: dict[str, QuerySummary]


def summarize(history: History, seconds: float, answered: Mapping[str, Answered]) -> Summary:
    """What a run has done in so many seconds; ``answered`` by query, where answers were seen."""
    table = history.table
    rows = round(table.total(Key("run", "", "rows")))
    verbs = {key.owner: _recent(history, key) for key in table.keys if key.group == "verb"}
    return Summary(
        seconds=round(seconds, 3),
        batches=round(table.total(Key("run", "", "batches"))),
        rows=rows,
        rows_per_second=round(rows / seconds, 1) if seconds > 0 else None,
        batch_ms=spread(Counter(_recent(history, Key("run", "", "slowest_ms")))),
        verb_ms={verb: round(median(took), 3) for verb, took in verbs.items() if took},
        tier=history.words.word(table.last(Key("run", "", "tier"))),
        state=_state(history),
        streams={name: _stream(history, name) for name in history.streams},
        queries={
            name: _query(history, name, answered.get(name, Answered())) for name in history.queries
        },
    )


def _recent(history: History, key: Key) -> list[float]:
    values = history.table.column(key)[-RECENT:]
    return [float(value) for value in values[~np.isnan(values)]]


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)


def _state(history: History) -> StateSummary | None:
    if history.newest is None:
        return None

    def last(owner: str, field: str) -> int:
        return round(history.table.last(Key("state", owner, field)) or 0)

    owners = sorted({key.owner for key in history.table.keys if key.group == "state" and key.owner})
    by = {name: (last(name, "runs"), last(name, "rows"), last(name, "bytes")) for name in owners}
    by = {name: sizes for name, sizes in by.items() if any(sizes)}
    return StateSummary(last("", "runs"), last("", "rows"), last("", "bytes"), by)


def _stream(history: History, name: str) -> StreamSummary:
    table = history.table
    return StreamSummary(
        round(table.total(Key("stream", name, "rows"))),
        _whole(table.last(Key("stream", name, "clock"))),
        round(table.total(Key("stream", name, "null_time"))),
        round(table.total(Key("stream", name, "far_future"))),
    )


def _query(history: History, name: str, answered: Answered) -> QuerySummary:
    table = history.table
    shape = history.plan.queries.get(name) or QueryShape(name)
    rows = sum(table.total(Key("stream", stream, "rows")) for stream in shape.streams)
    slack = table.last(Key("query", name, "slack"))
    longest = table.column(Key("query", name, "max_lateness"))
    totals = {
        what: round(table.total(Key("query", name, what)))
        for what in ("late", "dropped", "aside", "emitted")
    }
    return QuerySummary(
        slack_us=shape.slack if slack is None else round(slack),
        late_policy=shape.late,
        late=totals["late"],
        late_share=round(totals["late"] / rows, 6) if rows else None,
        dropped=totals["dropped"],
        aside=totals["aside"],
        max_lateness_s=None if np.isnan(longest).all() else float(np.nanmax(longest)) / SECOND,
        answers=totals["emitted"],
        finals=answered.finals,
        revisions=answered.revisions,
        latency_s=answered.latency_s,
        watermark_us=_whole(table.last(Key("query", name, "watermark"))),
        estimates=_estimates(history, name),
        backlog=_backlog(history, name),
        controllers=history.explained.get(name, {}),
    )


def _estimates(history: History, name: str) -> EstimateSummary | None:
    if Key("estimates", name, "rows") not in history.table:
        return None
    given, prods, mistimed, refused = (
        round(history.table.total(Key("estimates", name, what)))
        for what in ("rows", "prods", "late", "refused")
    )
    accuracy = {
        column: {
            "pairs": round(pairs),
            **{
                what: round(100 * share, 6)
                for what in ("mean", "recent", "worst")
                if (share := history.newest_named(f"accuracy_{what}", name).get(column)) is not None
            },
        }
        for column, pairs in history.newest_named("accuracy_pairs", name).items()
    }
    early = history.newest_named("aggressiveness", name)
    return EstimateSummary(given, prods, mistimed, refused, early, accuracy)


def _backlog(history: History, name: str) -> BacklogSummary | None:
    table = history.table
    if Key("backlog", name, "todo") not in table:
        return None
    return BacklogSummary(
        round(table.last(Key("backlog", name, "todo")) or 0),
        round(table.last(Key("backlog", name, "aside")) or 0),
        round(table.total(Key("backlog", name, "shed"))),
        round(table.total(Key("backlog", name, "worked"))),
        _whole(table.last(Key("backlog", name, "oldest"))),
        round(table.total(Key("backlog", name, "expired"))),
        _whole(table.last(Key("backlog", name, "complete"))),
        ranks_of(table, name, history.explained.get(name, {})),
    )


def spread(counts: Counter[Any], scale: float = 1.0) -> Spread:
    """Of values that came so many times."""
    return Spread(_ranked(counts, 50, scale), _ranked(counts, 95, scale))


def _ranked(counts: Counter[Any], percent: int, scale: float) -> float | None:
    rank = -(-percent * counts.total() // 100)
    for value in sorted(counts):
        rank -= counts[value]
        if rank <= 0:
            return round(float(value) / scale, 3)
    return None
