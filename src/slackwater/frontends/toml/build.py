"""Tables of a pipeline file to queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from slackwater.errors import Problem
from slackwater.frontends.catalog import Catalog
from slackwater.frontends.monoids import Monoid, expansion
from slackwater.frontends.toml.contract import read_contract
from slackwater.frontends.toml.functions import called
from slackwater.frontends.toml.model import (
    CallsTable,
    InputTable,
    JoinQueryTable,
    LookupTable,
    QueryTable,
    SourceQueryTable,
    StepsTable,
)
from slackwater.frontends.values import Context
from slackwater.query.estimates import estimates
from slackwater.query.join import join
from slackwater.query.rank import rank
from slackwater.query.resources import resources
from slackwater.query.stream import Query, Stream
from slackwater.query.table import TableDef

_OF_WINDOWS = ("slide", "start", "group_by", "aggregate", "relate")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a query refers to: sources by name (``None``: broken), monoids, kinds of sinks."""

    streams: Mapping[str, Stream | None]
    monoids: Mapping[str, Monoid]
    catalog: Catalog
    context: Context
    tables: Mapping[str, TableDef | None] = field(default_factory=dict)


def build_query(
    table: SourceQueryTable | JoinQueryTable,
    where: str,
    around: Surroundings,
    problems: list[Problem],
) -> Query | None:
    """The query of a table, ``None`` if what it reads is broken."""
    stream = _read(table, where, around, problems)
    if stream is None:
        return None
    stream = _levels(stream, table, where, around, problems)
    terms = table.said("late", "keep", "idle", "lifespan")
    if table.estimates is not None:
        terms["estimates"] = [estimates(**one.said()) for one in table.estimates]
    if table.resources is not None:
        terms["resources"] = resources(**table.resources.said())
    if table.rank is not None:
        said = table.rank.said()
        terms["rank"] = rank(*said.pop("criteria"), **said)
    contract = read_contract(table, where, problems)
    return stream.query(table.name, contract, **terms)


def _read(
    table: SourceQueryTable | JoinQueryTable,
    where: str,
    around: Surroundings,
    problems: list[Problem],
) -> Stream | None:
    """What a query reads: a source, or a join of several."""
    if isinstance(table, JoinQueryTable):
        return _joined(table, where, around, problems)
    stream = around.streams[table.source]
    if stream is not None and table.costly is not None:
        stream = stream.costly(**table.costly.said())
    return _looked_up(stream, table.lookup, f"{where}.lookup", around, problems)


def _looked_up(
    stream: Stream | None,
    lookups: list[LookupTable] | None,
    where: str,
    around: Surroundings,
    problems: list[Problem],
) -> Stream | None:
    """The stream with what its rows find in tables."""
    for one in lookups or ():
        if one.table not in around.tables:
            known = ", ".join(sorted(around.tables)) or "none"
            text = f"there is no table {one.table!r}"
            problems.append(Problem("TABLE_UNKNOWN", where, text, f"tables here: {known}"))
        table = around.tables.get(one.table)
        if stream is None or table is None:
            return None
        stream = stream.lookup(table, **one.said("on", "how"))
    return stream


def _joined(
    table: JoinQueryTable, where: str, around: Surroundings, problems: list[Problem]
) -> Stream | None:
    places = (f"{where}.join[{number}]" for number in range(1, len(table.join) + 1))
    inputs = [
        _input(one, place, around, problems) for one, place in zip(table.join, places, strict=True)
    ]
    sound = [stream for stream in inputs if stream is not None]
    if len(sound) < len(inputs):
        return None
    terms = table.said("on", "emit", "order", "cross", "how", "uncertainty", "tolerance")
    return join(*sound, within=_within(table.within), **terms)


def _input(
    table: InputTable, where: str, around: Surroundings, problems: list[Problem]
) -> Stream | None:
    stream = around.streams[table.source]
    stream = _looked_up(stream, table.lookup, f"{where}.lookup", around, problems)
    if stream is None:
        return None
    stream = _narrowed(stream, table, where, around, problems)
    stream = stream.optional() if table.optional else stream
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
        stream = _narrowed(stream, table, where, around, problems)
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
    stream = _narrowed(stream, table, where, around, problems)
    windows = stream.window(table.window or 0, **table.said("slide", "start"))
    values = {
        name: expansion(text, around.monoids, f"{where}.aggregate.{name}", problems)
        for name, text in (table.aggregate or {}).items()
    }
    windows = windows.group_by(*table.group_by or ())
    if table.relate is None:
        if table.aggregate is None:
            text = "is missing; it is a table of texts, or relate is given"
            problems.append(Problem("KEY_MISSING", f"{where}.aggregate", text))
        return windows.aggregate(**values)
    if table.aggregate is not None:
        text, hint = "aggregate and relate exclude each other", "SQL of relate may aggregate"
        problems.append(Problem("KEY_TWICE", f"{where}.relate", text, hint))
    return windows.relate(table.relate)


def _narrowed(
    stream: Stream,
    table: StepsTable | InputTable,
    where: str,
    around: Surroundings,
    problems: list[Problem],
) -> Stream:
    for predicate in table.where or ():
        stream = stream.where(predicate)
    if isinstance(table, CallsTable):
        stream = called(stream, table, where, around.context.base, problems)
    return stream if table.select is None else stream.select(*table.select)
