"""Tables of a pipeline file to queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from slackwater.errors import Problem
from slackwater.frontends.catalog import Catalog
from slackwater.frontends.monoids import Monoid, expansion
from slackwater.frontends.toml.contract import read_contract
from slackwater.frontends.toml.model import (
    InputTable,
    JoinQueryTable,
    QueryTable,
    SourceQueryTable,
    StepsTable,
)
from slackwater.frontends.values import Context
from slackwater.query.estimates import estimates
from slackwater.query.join import join
from slackwater.query.resources import resources
from slackwater.query.stream import Query, Stream

_OF_WINDOWS = ("slide", "start", "group_by", "aggregate")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a query refers to: sources by name (``None``: broken), monoids, kinds of sinks."""

    streams: Mapping[str, Stream | None]
    monoids: Mapping[str, Monoid]
    catalog: Catalog
    context: Context


def build_query(
    table: SourceQueryTable | JoinQueryTable,
    where: str,
    around: Surroundings,
    problems: list[Problem],
) -> Query | None:
    """The query of a table, ``None`` if what it reads is broken."""
    stream = _read(table, around)
    if stream is None:
        return None
    stream = _levels(stream, table, where, around, problems)
    terms = table.said("late", "keep", "idle")
    if table.estimates is not None:
        terms["estimates"] = [estimates(**one.said()) for one in table.estimates]
    if table.resources is not None:
        terms["resources"] = resources(**table.resources.said())
    contract = read_contract(table, where, problems)
    return stream.query(table.name, contract, **terms)


def _read(table: SourceQueryTable | JoinQueryTable, around: Surroundings) -> Stream | None:
    """What a query reads: a source, or a join of several."""
    if isinstance(table, JoinQueryTable):
        return _joined(table, around)
    stream = around.streams[table.source]
    if stream is None or table.costly is None:
        return stream
    return stream.costly(**table.costly.said())


def _joined(table: JoinQueryTable, around: Surroundings) -> Stream | None:
    inputs = [_input(one, around) for one in table.join]
    sound = [stream for stream in inputs if stream is not None]
    if len(sound) < len(inputs):
        return None
    terms = table.said("on", "emit", "order", "cross", "how")
    return join(*sound, within=_within(table.within), **terms)


def _input(table: InputTable, around: Surroundings) -> Stream | None:
    stream = around.streams[table.source]
    if stream is None:
        return None
    stream = _narrowed(stream, table)
    return stream if table.alias is None else stream.named(table.alias)


def _within(value: Any) -> Any:
    """Pairs of streams are written ``"a, b"``."""
    if not isinstance(value, dict) or not any("," in name for name in value):
        return value
    return {tuple(part.strip() for part in name.split(",")): span for name, span in value.items()}


def _levels(
    stream: Stream, table: QueryTable, where: str, around: Surroundings, problems: list[Problem]
) -> Stream:
    """The stream with its windows, one level over the other."""
    if table.window is None:
        for key in table.said(*_OF_WINDOWS):
            text = f"{key} belongs to window, which is not given"
            problems.append(Problem("KEY_ALONE", f"{where}.{key}", text))
        stream = _narrowed(stream, table)
    else:
        stream = _level(stream, table, where, around, problems)
    for number, level in enumerate(table.then or (), start=1):
        stream = _level(stream, level, f"{where}.then[{number}]", around, problems)
    return stream


def _level(
    stream: Stream,
    table: StepsTable,
    where: str,
    around: Surroundings,
    problems: list[Problem],
) -> Stream:
    windows = _narrowed(stream, table).window(table.window or 0, **table.said("slide", "start"))
    values = {
        name: expansion(text, around.monoids, f"{where}.aggregate.{name}", problems)
        for name, text in (table.aggregate or {}).items()
    }
    return windows.group_by(*table.group_by or ()).aggregate(**values)


def _narrowed(stream: Stream, table: StepsTable | InputTable) -> Stream:
    for predicate in table.where or ():
        stream = stream.where(predicate)
    return stream if table.select is None else stream.select(*table.select)
