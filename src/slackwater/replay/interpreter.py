"""A tuple-at-a-time interpreter of plans: slow, plain, and right; the oracle of the fast paths.

It knows windows, clocks and late rows, but neither panes nor partials nor runs: every answer is
computed from the rows themselves. The stream's clock moves once per batch given to
:meth:`Interpreter.feed`; with one row per batch it moves with every tuple.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from slackwater.arrow_types import arrow_type
from slackwater.disorder.error_slack import ErrorSlackParams
from slackwater.errors import SlackwaterError
from slackwater.plan.stage import QueryPlan, Stage
from slackwater.replay.evaluate import Evaluator
from slackwater.replay.follower import Follower
from slackwater.units import BEGIN_OF_TIME, END_OF_TIME

Row = dict[str, Any]
Group = tuple[Any, ...]


@dataclass(slots=True)
class Tally:
    """What happened to rows: late ones missed a window, dropped ones missed all of theirs."""

    rows: int = 0
    late: int = 0
    dropped: int = 0
    null_time: int = 0


@dataclass(slots=True)
class _Level:
    """One level's memory: the newest version of each input row, and how often it answered."""

    stage: Stage
    below: Stage | None
    schema: pa.Schema | None = None
    rows: dict[Group, Row] = field(default_factory=dict)
    told: dict[Group, int] = field(default_factory=dict)

    def group(self, row: Row, start: int) -> Group:
        return (start, *(row[f"__key{number}"] for number in range(len(self.stage.keys))))


@dataclass(frozen=True, slots=True)
class _Span:
    """The watermark before and after a batch, and the end of what may be revised."""

    before: int | None
    after: int | None
    horizon: int | None

    def closes(self, end: int) -> bool:
        is_open = self.before is None or end > self.before
        return is_open and self.after is not None and end <= self.after

    def was_closed(self, end: int) -> bool:
        return self.before is not None and end <= self.before

    def is_past(self, end: int) -> bool:
        return self.horizon is not None and end <= self.horizon


class Interpreter:
    """Runs one query over batches of raw rows.

    Parameters
    ----------
    plan
        The query.
    time
        The event-time column of the base stream. Rows far ahead are taken as they are.
    slack
        How to choose the slack of a query under an error bound.
    zone
        The time zone in which hours and days are read.
    """

    def __init__(
        self,
        plan: QueryPlan,
        time: str,
        slack: ErrorSlackParams | None = None,
        *,
        zone: str = "UTC",
    ) -> None:
        if plan.functions is not None:
            names = ", ".join(call.name for link in plan.functions.links for call in link.calls)
            raise SlackwaterError(
                "FUNCTION_PLACE",
                f"query {plan.name!r}: the interpreter does not call Python functions ({names})",
                "give it rows with the columns that they compute",
            )
        self.plan = plan
        self.time = time
        self.clock: int | None = None
        self.watermark: int | None = None
        self.tally = Tally()
        self._evaluator = Evaluator(zone)
        self.follower = None if slack is None else Follower(plan, slack, self._evaluator)
        stages = plan.stages
        self._levels = [_Level(s, stages[n - 1] if n else None) for n, s in enumerate(stages)]

    def feed(self, batch: pa.Table) -> list[Row]:
        """Take in a batch, in arrival order; give the answers it brings out."""
        kind = pa.timestamp("us", batch[self.time].type.tz)
        times = batch[self.time].cast(kind).cast(pa.int64()).to_pylist()
        before, clock = self.watermark, self.clock
        for time in times:
            if time is not None and (self.clock is None or time > self.clock):
                self.clock = time
        slack = None if self.clock is None else self._slack(batch, times, clock)
        if self.clock is not None and slack is not None:
            reached = self.clock - slack
            self.watermark = reached if before is None else max(before, reached)
        return self._climb(batch, times, before)

    def _slack(self, batch: pa.Table, times: list[int | None], before: int | None) -> int | None:
        if self.follower is None:
            return self.plan.slack
        return self.follower.choose(batch, times, (before, self.clock), self.watermark)

    def finish(self) -> list[Row]:
        """The stream ends: close what is open."""
        before, self.watermark = self.watermark, END_OF_TIME
        return self._climb(None, [], before)

    def close(self) -> None:
        self._evaluator.close()

    def _climb(
        self, batch: pa.Table | None, times: Sequence[int | None], before: int | None
    ) -> list[Row]:
        """Pass a batch through all levels; answers of one are the input of the next."""
        horizon = None if before is None else before - self.plan.keep
        span = _Span(before, self.watermark, horizon)
        answers: list[Row] = []
        gone: set[int] = set()
        for level in self._levels:
            if level.below is not None:
                batch = _table(answers, level.below) if answers else None
                times = [row["__end"] - 1 for row in answers]
                gone = {number for number, row in enumerate(answers) if "__gone" in row}
            touched = self._insert(level, batch, times, span, gone) if batch is not None else []
            answers = self._answers(level, touched, span)
            if self.follower is not None:
                self._measure(self.follower, level, answers)
            self._forget(level)
        return answers

    def _insert(
        self,
        level: _Level,
        batch: pa.Table,
        times: Sequence[int | None],
        span: _Span,
        gone: Collection[int],
    ) -> list[Row]:
        """Store every tuple; give the rows that are new and those they took the place of.

        The tuples numbered in ``gone`` only take the place of others: they were withdrawn.
        """
        prepared = self._evaluator.prepare(batch, level.stage.state)
        level.schema = prepared.schema
        touched: list[Row] = []
        for number, (row, time) in enumerate(zip(prepared.to_pylist(), times, strict=True)):
            row["__time"] = time
            if level.below is None:
                identity: Group = (self.tally.rows,)
                self._count(level, row, span)
            else:
                identity = (row["__start"], *(row[key] for key in level.below.keys))
                if identity in level.rows:
                    touched.append(level.rows[identity])
            if number in gone:
                level.rows.pop(identity, None)
            elif time is not None:
                level.rows[identity] = row
                touched.append(row)
        return [row for row in touched if row["__passes"]]

    def _count(self, level: _Level, row: Row, span: _Span) -> None:
        self.tally.rows += 1
        if not row["__passes"]:
            return
        if row["__time"] is None:
            self.tally.null_time += 1
            return
        window = level.stage.window
        ends = [start + window.size for start in window.starts(row["__time"])]
        self.tally.late += span.was_closed(ends[0])
        self.tally.dropped += span.is_past(ends[-1])

    def _answers(self, level: _Level, touched: Iterable[Row], span: _Span) -> list[Row]:
        window = level.stage.window
        closing = self._members(level, lambda start, _: span.closes(start + window.size))
        answers = [{**row, "revision": 0} for row in self._aggregate(level, closing)]
        if self.plan.late != "revise":
            return answers
        changed = {
            level.group(row, start)
            for row in touched
            for start in window.starts(row["__time"])
            if span.was_closed(start + window.size) and not span.is_past(start + window.size)
        }
        return answers + self._revise(level, changed)

    def _measure(self, follower: Follower, level: _Level, answers: list[Row]) -> None:
        follower.say(answers)
        follower.settle(self.clock, self.watermark)
        size = level.stage.window.size
        settling = self._members(level, lambda start, _: follower.is_settling(start + size))
        sizes = Counter(level.group(row, start) for start, row in settling)
        follower.measure(self._aggregate(level, settling), sizes)

    def _revise(self, level: _Level, changed: set[Group]) -> list[Row]:
        """Answer again for groups that changed after they were closed."""
        members = self._members(level, lambda start, row: level.group(row, start) in changed)
        fresh = {
            (row["__start"], *(row[key] for key in level.stage.keys)): row
            for row in self._aggregate(level, members)
        }
        answers = []
        for group in changed:
            level.told[group] = level.told.get(group, 0) + 1
            row = fresh.get(group) or _withdrawn(level.stage, group)
            answers.append({**row, "revision": level.told[group]})
        return answers

    def _members(self, level: _Level, wanted: Any) -> list[tuple[int, Row]]:
        window = level.stage.window
        return [
            (start, row)
            for row in level.rows.values()
            if row["__passes"]
            for start in window.starts(row["__time"])
            if wanted(start, row)
        ]

    def _aggregate(self, level: _Level, members: list[tuple[int, Row]]) -> list[Row]:
        if not members or level.schema is None:
            return []
        names = [name for name in level.schema.names if name != "__start"]
        schema = pa.schema([level.schema.field(name) for name in names])
        rows = pa.Table.from_pylist([row for _, row in members], schema=schema)
        starts = pa.array([start for start, _ in members], pa.int64())
        times = pa.array([row["__time"] for _, row in members], pa.int64())
        rows = rows.append_column("__start", starts).append_column("__ts", times)
        return self._evaluator.aggregate(level.stage, rows)

    def _forget(self, level: _Level) -> None:
        """Drop rows that no open or revisable window can hold."""
        if self.watermark is None:
            return
        window, past = level.stage.window, self.watermark - self.plan.keep
        if self.follower is not None:
            upto = self.follower.upto
            past = BEGIN_OF_TIME if upto is None else min(past, upto)
        level.rows = {
            identity: row
            for identity, row in level.rows.items()
            if window.last_start(row["__time"]) + window.size > past
        }


def _withdrawn(stage: Stage, group: Group) -> Row:
    """The answer of a group that has no rows any more."""
    keys = dict(zip(stage.keys, group[1:], strict=True))
    values = dict.fromkeys(name for name, _ in stage.values)
    bounds = {"__start": group[0], "__end": group[0] + stage.window.size}
    return {**bounds, **keys, **values, "__gone": True}


def _table(rows: Sequence[Row], stage: Stage) -> pa.Table:
    """Answers of a level as a table, with window bounds as timestamps for expressions.

    Types are the plan's: values alone do not tell them where all are null.
    """
    bounds = pa.timestamp("us", None if stage.state.stamp == "timestamp_ntz" else "UTC")
    columns: dict[str, pa.Array] = {
        name: pa.array([row[name] for row in rows]) for name in ("__start", "__end")
    }
    columns["window_start"] = columns["__start"].cast(bounds)
    columns["window_end"] = columns["__end"].cast(bounds)
    for name in (*stage.keys, *(name for name, _ in stage.values)):
        kind = stage.output.type_of(name)
        columns[name] = pa.array(
            [row[name] for row in rows], None if kind is None else arrow_type(kind)
        )
    return pa.table(columns)
