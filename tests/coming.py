"""Queries that come and go while one disordered stream runs, and how to judge what they gave.

Each has a slack of its own and no contract, so that what it answers does not depend on when it
began to learn.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import slackwater as sw
from slackwater.control.records import Arrival
from slackwater.execute.loop import Loop
from slackwater.execute.sinks import MemorySink
from slackwater.query.join import Emit
from slackwater.query.stream import Query, Stream
from tests.driver import Driver, readings
from tests.story import batches

R = readings("1 day")
BATCHES = 14


def _small(stream: Stream = R, **values: str) -> Stream:
    return stream.window("4 s", "2 s").group_by("k").aggregate(**(values or {"n": "count(*)"}))


def _above(stream: Stream) -> Stream:
    large = stream.window("12 s", "4 s").group_by("k % 2 AS odd")
    return large.aggregate(windows="count(*)", rows="sum(n)")


def _pairs(emit: Emit = "immediate") -> Stream:
    return sw.join(R.named("x"), R.named("y").where("v > 0"), on="k", within="3 s", emit=emit)


def _triples(order: str) -> Stream:
    within = {"x": "3 s", "y": "2 s", "z": "4 s"}
    inputs = (R.named("x"), R.named("y").where("v > 0"), R.named("z").where("v > 10"))
    return sw.join(*inputs, on="k", within=within, order=order)


MADE: Mapping[str, Callable[[], Query]] = {
    "counts": lambda: _small().query("counts", sw.slack("3 s")),
    "patient": lambda: _small().query("patient", sw.slack("9 s")),
    "sums": lambda: _small(s="sum(v)", top="max(v)").query("sums", sw.slack("2 s"), late="side"),
    "few": lambda: _small(R.where("v > 5"), n="count(v)").query("few", sw.slack("1 s")),
    "wide": lambda: R.window("9 s").aggregate(n="count(*)").query("wide", sw.slack("4 s")),
    "levels": lambda: _above(_small()).query("levels", sw.slack("3 s")),
    "again": lambda: _small().query("again", sw.slack("1 s"), late="revise", keep="8 s"),
    "tops": lambda: _above(_small()).query("tops", sw.slack("1 s"), late="revise", keep="8 s"),
    "pairs": lambda: _pairs().select("x.v AS xv", "y.v AS yv").query("pairs", sw.slack("5 s")),
    "sorted": lambda: _pairs("ordered").select("x.v AS xv").query("sorted", sw.slack("2 s")),
    "triples": lambda: _triples("((x y) z)").select("z.v AS zv").query("triples", sw.slack("3 s")),
    "flat": lambda: _triples("(x y z)").select("y.v AS yv").query("flat", sw.slack("6 s")),
    "open": lambda: _triples("adaptive").select("z.v AS zv").query("open", sw.slack("4 s")),
    "set": lambda: _triples("robust").select("x.v AS xv").query("set", sw.slack("2 s")),
    "groups": lambda: _triples("grouped ((x y) z)")
    .window("6 s", "3 s")
    .group_by("x.k AS k")
    .aggregate(n="count(*)")
    .query("groups", sw.slack("2 s")),
    "met": lambda: _triples("(x (y z))")
    .window("6 s", "3 s")
    .aggregate(n="count(*)")
    .query("met", sw.slack("2 s")),
}  # fmt: skip


@dataclass(frozen=True)
class Course:
    """Which queries there are in each batch; one is always there."""

    sets: tuple[tuple[str, ...], ...]

    @classmethod
    def drawn(cls, seed: int, changes: float = 0.35, count: int = BATCHES) -> Course:
        """At random; a query that went may come again."""
        draw = random.Random(seed)
        names = sorted(MADE)
        now = draw.sample(names, 3)
        found = []
        for _ in range(count):
            found.append(tuple(now))
            if draw.random() < changes:
                kept = [n for n in now if n == now[0] or draw.random() < 0.7]
                others = [n for n in names if n not in now]
                now = kept + draw.sample(others, draw.randint(0, 2))
        return cls(tuple(found))

    @property
    def changes(self) -> int:
        """How many times a query came or went."""
        return sum(len({*one} ^ {*other}) for one, other in pairwise(self.sets))


def told(name: str) -> Query:
    return replace(MADE[name](), sink=sw.memory())


def rows_of(sink: Any) -> list[tuple[Any, ...]]:
    """What a query said, in a comparable form, each with the time that it is about."""
    assert isinstance(sink, MemorySink)
    table = sink.table()
    hidden = ("emitted_at", "coverage", "boundary")
    found = [] if table is None else table.to_pylist()
    return sorted((_row(row, hidden) for row in found), key=repr)


def _row(row: dict[str, Any], hidden: Sequence[str]) -> tuple[Any, ...]:
    at = row.get("window_end") or row["event_time"]
    values = tuple((n, v) for n, v in sorted(row.items()) if n not in hidden)
    return (round(at.timestamp() * 1_000_000), *values)


@dataclass
class Stay:
    """A query from when it came to when it went: what it said, and what it said was whole."""

    name: str
    first: int
    last: int
    query: Query
    arrival: Arrival | None

    def judge(self, always: Sequence[list[tuple[Any, ...]]]) -> int:
        """It said everything that a query did in its batches that was ``always`` there, as far as
        that is whole, and nothing else; how much it was.
        """
        before = Counter(always[self.first - 1] if self.first else [])
        whole = sorted((Counter(always[self.last]) - before).elements(), key=repr)
        after = None if self.arrival is None else self.arrival.after
        expected = [row for row in whole if after is None or row[0] > after]
        assert rows_of(self.query.sink) == expected, (self.name, self.first, self.last, after)
        return len(expected)


def live(course: Course, folder: Path, driver: Driver | None = None) -> list[Stay]:
    """One pipeline whose queries change as they are told to, with a restart at each change."""
    drive, tables = driver or Driver(), batches(len(course.sets))
    stays: dict[str, Stay] = {}
    done: list[Stay] = []
    loop: Loop[Any] | None = None
    for number, names in enumerate(course.sets):
        if loop is None or set(names) != stays.keys():
            if loop is not None:
                loop.close()
            done += [stays.pop(name) for name in [*stays] if name not in names]
            fresh = {n: Stay(n, number, number, told(n), None) for n in names if n not in stays}
            stays |= fresh
            loop = drive.make_loop([stays[name].query for name in names], folder)
        drive.feed(loop, tables[number], number)
        for name, stay in stays.items():
            stay.last, stay.arrival = number, loop.state.queries[name].arrival
    assert loop is not None
    loop.close()
    return [*done, *stays.values()]


def from_the_start(name: str, folder: Path, driver: Driver | None = None) -> list[list[Any]]:
    """By batch: what a query has said that was there all the time, up to and with it."""
    drive, query = driver or Driver(), told(name)
    loop = drive.make_loop([query], folder)
    found = []
    for number, table in enumerate(batches(BATCHES)):
        drive.feed(loop, table, number)
        found.append(rows_of(query.sink))
    loop.close()
    return found
