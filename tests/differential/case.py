"""A case: streams, queries over them, rows cut into batches, and the lives of the pipeline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

import slackwater as sw
from slackwater.query.stream import Query, Stream
from tests.differential.kinds import Kind
from tests.differential.terms import Row, Term, Total, quoted

TIME, STRAY = "__t", "__stray"  # beside the columns of a row: microseconds, set aside or not


@dataclass(frozen=True)
class Feed:
    """A base stream; ``time`` is one of its columns."""

    name: str
    time: str
    columns: dict[str, Kind]
    max_ahead: int

    def table(self, rows: list[Row]) -> pa.Table:
        data = {name: [row[name] for row in rows] for name in self.columns}
        types = [(name, kind.arrow) for name, kind in self.columns.items()]
        return pa.table(data, schema=pa.schema(types))


@dataclass(frozen=True)
class Input:
    """A stream as a join, or a query, reads it: by another name, and only some rows."""

    feed: str
    name: str
    where: Term | None = None


@dataclass(frozen=True)
class Join:
    """Inputs, predicates by the pair they speak of, and by input how long its rows wait."""

    on: tuple[tuple[frozenset[str], Term], ...]
    within: dict[str, int]
    emit: str
    order: str
    values: tuple[tuple[str, Term], ...] = ()  # of a bare join
    wall: bool = False  # event times are timestamp_ntz

    def within_most(self, name: str) -> int:
        """How long a row of an input may wait for its newest partner."""
        return self.within[name]


@dataclass(frozen=True)
class Level:
    size: int
    slide: int
    start: int
    keys: tuple[tuple[str, Term], ...]
    values: tuple[tuple[str, Total], ...]
    where: Term | None = None
    wall: bool = False  # event times are timestamp_ntz

    def starts(self, at: int) -> range:
        """Starts of the windows that hold an instant."""
        last = at - (at - self.start) % self.slide
        first = last - (self.size - 1 - (at - last)) // self.slide * self.slide
        return range(first, last + 1, self.slide)


@dataclass(frozen=True)
class Prods:
    """A source of prods: one of ``every``, ``aggressiveness`` and ``accuracy``."""

    every: int | None = None
    aggressiveness: float | None = None
    accuracy: float | None = None
    where: Term | None = None


@dataclass(frozen=True)
class Asked:
    """One query: ``slack`` is microseconds, or a contract that chooses it."""

    name: str
    inputs: tuple[Input, ...]
    join: Join | None
    levels: tuple[Level, ...]
    slack: int | str
    late: str
    keep: int
    prods: tuple[Prods, ...] = ()


@dataclass(frozen=True)
class Replan:
    """Another tree for the join of a query, moved to or grown beside the old one."""

    query: str
    tree: str
    how: str


@dataclass(frozen=True)
class Life:
    """One run of the pipeline: how many batches, in which tier, and how it ends."""

    batches: int
    tier: str
    columnar_rows: int = 5_000_000
    stops: bool = False  # stopped by hand while it would go on
    terms: tuple[tuple[int | str, str], ...] = ()  # slack and policy of each query, if changed
    order: tuple[int, ...] = ()  # of the queries, if another one


@dataclass(frozen=True)
class Case:
    seed: str
    feeds: tuple[Feed, ...]
    queries: tuple[Asked, ...]
    batches: tuple[Mapping[str, list[Row]], ...]
    lives: tuple[Life, ...]
    public: bool  # through files and the public API, else batches handed to the loop
    flush: bool
    zone: str = "UTC"
    folder: str = "case"
    pins: dict[int, str] = field(default_factory=dict)  # tier from a batch on
    requests: dict[int, tuple[tuple[str, Term | None], ...]] = field(default_factory=dict)
    replans: dict[int, tuple[Replan, ...]] = field(default_factory=dict)  # before a batch

    @property
    def rows(self) -> int:
        return sum(len(rows) for batch in self.batches for rows in batch.values())

    def asked(self, life: Life) -> list[Asked]:
        """The queries as a life has them, in the first order."""
        if not life.terms:
            return list(self.queries)
        pairs = zip(self.queries, life.terms, strict=True)
        return [replace(asked, slack=slack, late=late) for asked, (slack, late) in pairs]

    def asked_in(self, batch: int) -> list[Asked]:
        for life in self.lives:
            batch -= life.batches
            if batch < 0:
                return self.asked(life)
        return self.asked(self.lives[-1])

    def build(self, bases: Mapping[str, Stream], life: Life) -> tuple[Query, ...]:
        made = [_query(asked, bases) for asked in self.asked(life)]
        return tuple(made[n] for n in life.order) if life.order else tuple(made)


def seconds(micros: int) -> str:
    return f"{micros} us"


def _query(asked: Asked, bases: Mapping[str, Stream]) -> Query:
    inputs = [_input(one, bases) for one in asked.inputs]
    stream = inputs[0]
    if asked.join is not None:
        join = asked.join
        stream = sw.join(
            *inputs,
            on=[term.sql for _, term in join.on],
            within={name: seconds(window) for name, window in join.within.items()},
            emit=join.emit,  # type: ignore[arg-type]
            order=join.order,
        )
        if join.values:
            stream = stream.select(*(f"{term.sql} AS {quoted(n)}" for n, term in join.values))
    for level in asked.levels:
        if level.where is not None:
            stream = stream.where(level.where.sql)
        slide = None if level.slide == level.size else seconds(level.slide)
        window = stream.window(seconds(level.size), slide, start=seconds(level.start))
        window = window.group_by(*(f"{term.sql} AS {quoted(name)}" for name, term in level.keys))
        stream = window.aggregate(**{name: total.sql for name, total in level.values})
    options: dict[str, Any] = {"late": asked.late}
    if asked.late == "revise":
        options["keep"] = seconds(asked.keep)
    return stream.query(
        asked.name, _contract(asked), estimates=[_estimates(one) for one in asked.prods], **options
    )


def _input(one: Input, bases: Mapping[str, Stream]) -> Stream:
    stream = bases[one.feed].named(one.name)
    return stream if one.where is None else stream.where(one.where.sql)


def _contract(asked: Asked) -> Any:
    if asked.slack == "max_error":
        return sw.max_error(0.1, confidence=0.8, of=[asked.levels[0].values[0][0]])
    if asked.slack == "min_recall":
        return sw.min_recall(0.8, over="5 minutes")
    return sw.slack(seconds(int(asked.slack)))


def _estimates(one: Prods) -> Any:
    return sw.estimates(
        every=None if one.every is None else seconds(one.every),
        aggressiveness=one.aggressiveness,
        accuracy=one.accuracy,
        where=None if one.where is None else one.where.sql,
    )
