"""What a pipeline must say, by definition: every answer from the rows themselves, in plain Python.

Clocks and watermarks follow from the rows and the cuts into batches. Nothing is forgotten, nothing
is merged: a window is the rows in it, whenever it is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.differential.case import STRAY, TIME, Asked, Case, Level, Prods
from tests.differential.kinds import freeze, instant
from tests.differential.terms import Row

NEVER = -(1 << 62)
END = 1 << 61
Fresh = list[tuple[Any, int, Row | None]]  # new rows: identity, time, columns
Group = tuple[Any, ...]  # start of a window, and keys


@dataclass
class Answer:
    """A result of an aggregate."""

    start: int
    keys: Row
    values: Row
    kind: str
    revision: int
    boundary: bool = False
    tuples: int | None = None
    prod: str | None = None


@dataclass
class Told:
    """What one query says in one batch."""

    watermark: int | None
    late: int = 0
    dropped: int = 0
    answers: list[Answer] = field(default_factory=list)
    joined: list[tuple[str, int, Row]] = field(default_factory=list)  # kind, time, values
    estimates: list[Answer] = field(default_factory=list)
    would_say: list[Answer] = field(default_factory=list)  # of every open window
    aside: list[tuple[str, str, int | None, Row]] = field(default_factory=list)


@dataclass
class Clock:
    now: int | None = None
    origin: int | None = None

    def see(self, rows: Sequence[Row]) -> None:
        times = [row[TIME] for row in rows if row[TIME] is not None and not row[STRAY]]
        if times:
            self.now = max(times) if self.now is None else max(self.now, *times)
            self.origin = min(times) if self.origin is None else self.origin


Marks = Mapping[tuple[int, str], int | None]


def expected(case: Case, followed: Marks) -> Iterator[dict[str, Told]]:
    """What each query says, batch by batch, the end of the stream included.

    ``followed`` has the watermarks of queries whose slack is chosen under a contract.
    """
    clocks = {feed.name: Clock() for feed in case.feeds}
    oracles = [Oracle(asked) for asked in case.queries]
    for number, batch in enumerate(case.batches):
        before = {name: clock.now for name, clock in clocks.items()}
        for name, clock in clocks.items():
            clock.see(batch[name])
        requests = case.requests.get(number, ())
        for oracle, asked in zip(oracles, case.asked_in(number), strict=True):
            oracle.asked = asked
        yield {
            oracle.asked.name: oracle.step(
                batch, before, clocks, requests, followed.get((number, oracle.asked.name))
            )
            for oracle in oracles
        }
    if case.flush:
        yield {oracle.asked.name: oracle.end(clocks) for oracle in oracles}


class Oracle:
    """One query."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.watermark: int | None = None
        self.clock: int | None = None
        self.levels = [Answers(level) for level in asked.levels]
        self.members = Members(asked) if asked.join is not None else None
        self.seen: dict[int, int] = {}  # estimates by window
        self.origin = 0

    def step(
        self,
        batch: Mapping[str, list[Row]],
        before: Mapping[str, int | None],
        clocks: Mapping[str, Clock],
        requests: Sequence[tuple[str, Any]],
        followed: int | None,
    ) -> Told:
        after, was = self.watermark, self.clock
        self._move(clocks, followed)
        told = Told(self.watermark)
        rows = list(self._taken(batch, before, after, told))
        self._climb(rows, after, told)
        if self.asked.prods:
            told.would_say = self._would_say()
            told.estimates = list(self._prodded(was, told.would_say, requests))
        return told

    def end(self, clocks: Mapping[str, Clock]) -> Told:
        after = self.watermark
        self.watermark = END if self.clock is not None else after
        told = Told(self.watermark)
        self._climb([], after, told)
        return told

    def _move(self, clocks: Mapping[str, Clock], followed: int | None) -> None:
        mine = [clocks[one.feed] for one in self.asked.inputs]
        origins = [clock.origin for clock in mine if clock.origin is not None]
        self.origin = min(origins, default=0)
        now = [clock.now for clock in mine]
        if any(one is None for one in now):
            return
        self.clock = min(one for one in now if one is not None)
        if isinstance(self.asked.slack, str):
            self.watermark = followed
            return
        reached = self.clock - self.asked.slack
        self.watermark = reached if self.watermark is None else max(self.watermark, reached)

    # rows ------------------------------------------------------------------------------------

    def _taken(
        self,
        batch: Mapping[str, list[Row]],
        before: Mapping[str, int | None],
        after: int | None,
        told: Told,
    ) -> Iterator[tuple[str, Row]]:
        """Rows that can be placed; those that come too late, or cannot be placed, are told."""
        for one in self.asked.inputs:
            for row in batch[one.feed]:
                if one.where is not None and not one.where.of(row):
                    continue
                if not self.members and not self._passes(row):
                    continue
                clock, time = before[one.feed], row[TIME]
                delay = None if clock is None or time is None else clock - time
                if time is None or row[STRAY]:
                    reason = "null_time" if time is None else "far_future"
                    told.aside.append((one.name, reason, delay, row))
                    continue
                is_late, is_dropped = self._lateness(one.name, time, after)
                told.late += is_late
                told.dropped += is_dropped
                if is_dropped and self.asked.late == "side":
                    told.aside.append((one.name, "late", delay, row))
                yield one.name, row

    def _passes(self, row: Row) -> bool:
        where = self.asked.levels[0].where
        return where is None or bool(where.of(row))

    def _lateness(self, name: str, time: int, after: int | None) -> tuple[bool, bool]:
        """Does a row miss something, and does it miss everything?"""
        if after is None:
            return False, False
        if self.asked.join is not None:
            gone = after - self.asked.keep - self.asked.join.within_most(name)
            return time < after, time < gone
        level = self.asked.levels[0]
        starts = level.starts(time)
        past = after - self.asked.keep
        return starts[0] + level.size <= after, starts[-1] + level.size <= past

    # answers ---------------------------------------------------------------------------------

    def _climb(self, rows: list[tuple[str, Row]], after: int | None, told: Told) -> None:
        low, upto = (NEVER if t is None else t for t in (after, self.watermark))
        if self.members is not None:
            found = list(self.members.step(rows, low, upto))
            if not self.levels:
                told.joined = [
                    (kind, time, {n: term.of(row) for n, term in self.asked.join.values})
                    for kind, time, row in found
                ]
                return
            new: Fresh = [(None, time, row) for _, time, row in found]
        else:
            new = [(None, row[TIME], row) for _, row in rows]
        span = Span(low, upto, low - self.asked.keep, revises=self.asked.late == "revise")
        given: list[Answer] = []
        for level in self.levels:
            given = level.step(new, span)
            new = handed_up(given, level.level)
        for answer in given:
            answer.boundary = answer.start < self.origin
        told.answers = given

    # estimates -------------------------------------------------------------------------------

    def _would_say(self) -> list[Answer]:
        """What open windows would say if they closed now, through all levels."""
        upto = NEVER if self.watermark is None else self.watermark
        if self.clock is None:
            return []
        extra: Fresh = []
        found: list[Answer] = []
        for level in self.levels:
            found = level.opened(extra, upto)
            extra = handed_up(found, level.level)
        for answer in found:
            answer.boundary = answer.start < self.origin
        return [answer for answer in found if answer.start <= self.clock]

    def _prodded(
        self, was: int | None, opened: list[Answer], requests: Sequence[tuple[str, Any]]
    ) -> Iterator[Answer]:
        level = self.levels[-1].level
        calls = [(f"{_label(one)}-{n + 1}", one) for n, one in enumerate(self.asked.prods)]
        for label, one in calls:
            if one.accuracy is None:
                mine = [a for a in opened if self._is_due(one, level, a.start, was)]
                yield from self._said(label, mine, one.where, level)
        for query, where in requests:
            if query == self.asked.name:
                yield from self._said("request", opened, where, level)

    def _is_due(self, one: Prods, level: Level, start: int, was: int | None) -> bool:
        if was is None or self.clock is None or self.clock <= was:
            return False
        if one.aggressiveness is not None:
            due = start + level.size - round(one.aggressiveness * level.slide)
            return was < due <= self.clock
        return one.every == 0 or was // one.every < self.clock // one.every

    def _said(self, label: str, opened: list[Answer], where: Any, level: Level) -> Iterator[Answer]:
        for answer in opened:
            row = row_of(answer, level)
            if where is None or where.of(row):
                yield Answer(**{**vars(answer), "kind": "estimate", "prod": label})


def _label(one: Prods) -> str:
    return "every" if one.every is not None else "aggressiveness"


def key_of(answer: Answer) -> Group:
    return (answer.start, *(freeze(value) for value in answer.keys.values()))


def row_of(answer: Answer, level: Level) -> Row | None:
    """An answer as the level above sees it; one that was withdrawn is no row."""
    if answer.tuples == 0:
        return None
    bounds = {"window_start": answer.start, "window_end": answer.start + level.size}
    shown = {name: instant(at, wall=level.wall) for name, at in bounds.items()}
    return {**answer.keys, **answer.values, **shown}


def handed_up(answers: Sequence[Answer], level: Level) -> Fresh:
    """Answers as rows of the level above; their time is the last instant of their window."""
    return [(key_of(a), a.start + level.size - 1, row_of(a, level)) for a in answers]


@dataclass(frozen=True)
class Span:
    """The watermark before and after a batch; what ended up to ``past`` is answered for good."""

    after: int
    upto: int
    past: int
    revises: bool


class Answers:
    """One level: all its rows, and how often it answered.

    Rows of the first level have no identity; above it a row replaces the one of the same window
    and keys, and ``None`` takes it away.
    """

    def __init__(self, level: Level) -> None:
        self.level = level
        self.rows: dict[Any, tuple[int, Row]] = {}
        self.revisions: dict[Group, int] = {}

    def step(self, new: Fresh, span: Span) -> list[Answer]:
        touched = list(self._take(new))
        closing = self._groups(self.rows.values(), lambda end: span.after < end <= span.upto)
        answers = [self._answer(group, rows, 0) for group, rows in closing.items()]
        if span.revises:
            changed = self._groups(touched, lambda end: span.past < end <= span.after)
            now = self._groups(self.rows.values(), lambda end: end <= span.after)
            for group, rows in changed.items():
                self.revisions[group] = self.revisions.get(group, 0) + 1
                number = self.revisions[group]
                if group in now:
                    answers.append(self._answer(group, now[group], number))
                else:
                    answers.append(self._withdrawn(group, rows, number))
        return answers

    def opened(self, extra: Fresh, upto: int) -> list[Answer]:
        """What windows that are not closed would say, with these rows as well."""
        rows = [*self.rows.values(), *((time, row) for _, time, row in extra if row is not None)]
        groups = self._groups(rows, lambda end: end > upto)
        return [self._answer(group, rows, 0) for group, rows in groups.items()]

    def _take(self, new: Fresh) -> Iterator[tuple[int, Row]]:
        """Keep rows; give those that are new and those they take the place of."""
        for identity, time, row in new:
            mine = len(self.rows) if identity is None else identity
            if mine in self.rows:
                yield self.rows.pop(mine)
            if row is not None:
                self.rows[mine] = (time, row)
                yield time, row

    def _groups(self, rows: Any, ends: Any) -> dict[Group, list[Row]]:
        found: dict[Group, list[Row]] = {}
        level = self.level
        for time, row in rows:
            if level.where is not None and not level.where.of(row):
                continue
            keys = tuple(freeze(term.of(row)) for _, term in level.keys)
            for start in level.starts(time):
                if ends(start + level.size):
                    found.setdefault((start, *keys), []).append(row)
        return found

    def _answer(self, group: Group, rows: list[Row], revision: int) -> Answer:
        keys = {name: term.of(rows[0]) for name, term in self.level.keys}
        values = {name: total.of(rows) for name, total in self.level.values}
        kind = "revision" if revision else "final"
        return Answer(group[0], keys, values, kind, revision, tuples=len(rows))

    def _withdrawn(self, group: Group, rows: list[Row], revision: int) -> Answer:
        keys = {name: term.of(rows[0]) for name, term in self.level.keys}
        nothing = dict.fromkeys(name for name, _ in self.level.values)
        return Answer(group[0], keys, nothing, "revision", revision, tuples=0)


class Members:
    """The rows of a join's inputs, and the combinations they make."""

    def __init__(self, asked: Asked) -> None:
        assert asked.join is not None
        self.asked, self.join = asked, asked.join
        self.names = [one.name for one in asked.inputs]
        self.rows: dict[str, list[Row]] = {name: [] for name in self.names}
        self.waiting: list[tuple[str, int, Row]] = []

    def step(
        self, new: Sequence[tuple[str, Row]], after: int, upto: int
    ) -> Iterator[tuple[str, int, Row]]:
        """Results that are given now: kind, event time, members' columns."""
        for name, row in new:
            for combined in self._with(name, row):
                self._judge(combined, after)
            self.rows[name].append(row)
        rest = []
        for kind, time, row in self.waiting:
            if self.join.emit == "immediate" or kind == "revision" or time < upto:
                yield kind, time, row
            else:
                rest.append((kind, time, row))
        self.waiting = rest

    def _with(self, name: str, row: Row) -> list[dict[str, Row]]:
        """Combinations of one row with rows that came before it."""
        found = [{name: row}]
        for other in self.names:
            if other != name:
                found = [
                    {**some, other: one}
                    for some in found
                    for one in self.rows[other]
                    if self._fits(some, other, one)
                ]
        return found

    def _fits(self, some: dict[str, Row], other: str, one: Row) -> bool:
        within = self.join.within
        for name, row in some.items():
            if row[TIME] - one[TIME] > within[other] or one[TIME] - row[TIME] > within[name]:
                return False
        both = {**some, other: one}
        return all(
            term.of(flat({n: both[n] for n in names}))
            for names, term in self.join.on
            if other in names and names <= set(both)
        )

    def _judge(self, combined: dict[str, Row], after: int) -> None:
        """In time, too late but revised, or lost."""
        times = {name: row[TIME] for name, row in combined.items()}
        newest = max(times.values())
        if self.join.emit == "ordered":
            is_given = newest >= after
        else:
            is_given = self._alive(times, after)
        if is_given:
            self.waiting.append(("final", newest, flat(combined)))
        elif self.asked.late == "revise" and self._alive(times, after - self.asked.keep):
            self.waiting.append(("revision", newest, flat(combined)))

    def _alive(self, times: dict[str, int], after: int) -> bool:
        return all(t >= after - self.join.within_most(name) for name, t in times.items())


def flat(combined: Mapping[str, Row]) -> Row:
    return {f"{n}.{column}": v for n, row in combined.items() for column, v in row.items()}
