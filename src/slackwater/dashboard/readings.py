"""How the numbers behind the metrics are read from a history."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from slackwater.history.controllers import parts_of
from slackwater.history.history import History
from slackwater.history.migration import HOWS
from slackwater.history.ranks import group_of
from slackwater.history.table import Key
from slackwater.units import SECOND

Labels = tuple[str, ...]
Values = Iterable[tuple[Labels, float | None]]
Reading = Callable[[History], Values]


def _owners(history: History, group: str) -> list[str]:
    return sorted({key.owner for key in history.table.keys if key.group == group and key.owner})


def last(group: str, field: str, scale: float = 1.0) -> Reading:
    def read(history: History) -> Values:
        for owner in _owners(history, group):
            value = history.table.last(Key(group, owner, field))
            yield (owner,), None if value is None else value / scale

    return read


def total(group: str, field: str) -> Reading:
    def read(history: History) -> Values:
        for owner in _owners(history, group):
            yield (owner,), history.table.total(Key(group, owner, field))

    return read


def last_named(group: str) -> Reading:
    """The newest value of each column of a group whose fields are names themselves."""

    def read(history: History) -> Values:
        for key in sorted(key for key in history.table.keys if key.group == group):
            yield (key.owner, key.field), history.table.last(key)

    return read


def rank_last(field: str) -> Reading:
    """The newest value of each rank."""
    return last_named(group_of(field))


def rank_total(field: str) -> Reading:
    """The sum of each rank."""

    def read(history: History) -> Values:
        for key in sorted(key for key in history.table.keys if key.group == group_of(field)):
            yield (key.owner, key.field), history.table.total(key)

    return read


def became(history: History) -> Values:
    """Rows of each rank by what became of them."""
    for fate in ("admitted", "worked", "expired", "shed"):
        for labels, rows in rank_total(fate)(history):
            yield (*labels, fate), rows


def controllers(history: History) -> Values:
    """The newest number under each label of each controller."""
    for key in sorted(key for key in history.table.keys if key.group == "controller"):
        yield (key.owner, *parts_of(key.field)), history.table.last(key)


def in_force(history: History) -> Values:
    for name, course in history.joins.items():
        if course.tree is not None:
            yield (name, course.tree), 1.0


def migrations(history: History) -> Values:
    for name, course in history.joins.items():
        for how in HOWS:
            yield (name, how), float(course.counts[how])


def balancing(history: History) -> float | None:
    known = history.balance.balancings
    return known[-1].seconds if known else None


def had(history: History) -> Values:
    for owner in _owners(history, "task"):
        for place, field in (("state", "held"), ("queue", "rows")):
            yield (owner, place), history.table.last(Key("task", owner, field))


def waiting(history: History) -> Values:
    for owner in _owners(history, "backlog"):
        for place in ("todo", "aside"):
            yield (owner, place), history.table.last(Key("backlog", owner, place))


def accuracy_target(history: History) -> Values:
    for name, query in history.plan.queries.items():
        for source in query.estimates or ():
            if source.accuracy is not None:
                yield (name, source.label), source.accuracy


def newest_latency(history: History) -> Values:
    for owner in _owners(history, "query"):
        known = history.table.column(Key("query", owner, "latency"))
        known = known[~np.isnan(known)]
        yield (owner,), known[-1] / SECOND if len(known) else None


def broken(history: History) -> Values:
    for owner in _owners(history, "query"):
        measured = history.table.total(Key("query", owner, "measured"))
        within = history.table.total(Key("query", owner, "within"))
        yield (owner,), 1 - within / measured if measured else None


def promised(kind: str) -> Reading:
    def read(history: History) -> Values:
        for name, query in history.plan.queries.items():
            promise = query.promise
            if promise is not None and promise.kind == kind:
                yield (name,), 1 - promise.target if kind == "error" else promise.target

    return read


def unusable(history: History) -> Values:
    for owner in _owners(history, "stream"):
        for reason in ("null_time", "far_future"):
            yield (owner, reason), history.table.total(Key("stream", owner, reason))


def spent(history: History) -> Values:
    batches = history.table.column(Key("run", "", "batches"))
    for verb in _owners(history, "verb"):
        spent = history.table.column(Key("verb", verb, "ms"))
        yield (verb,), float(np.nansum(spent * batches)) / 1000


def tier(history: History) -> Values:
    word = history.words.word(history.table.last(Key("run", "", "tier")))
    if word is not None:
        yield (word,), 1.0


def one(value: Callable[[History], float | None]) -> Reading:
    return lambda history: [((), value(history))]


def happened(kind: str) -> Reading:
    return one(lambda history: float(history.happenings[kind]))


def is_running(history: History) -> float:
    return float(history.newest is not None and history.ended is None)
