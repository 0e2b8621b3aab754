"""Sources and sinks of a pipeline file: tables whose keys depend on their kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from slackwater.errors import Problem, SlackwaterError
from slackwater.frontends.catalog import ANY, Catalog, SinkKind, SourceKind
from slackwater.frontends.table import MISSING, Table, keys_of, read_table, unknown_key
from slackwater.frontends.values import WRONG, Context, suggestion
from slackwater.query.stream import Stream, StreamDef

Kinds = Mapping[str, SourceKind[Any]] | Mapping[str, SinkKind[Any]]


def open_stream(
    name: str, value: Any, catalog: Catalog, context: Context, problems: list[Problem]
) -> Stream | None:
    """The stream of a ``[source.NAME]`` table, ``None`` if something is wrong with it."""
    where = f"source.{name}"
    kind = _kind(value, catalog.sources, "source", where, problems)
    if kind is None:
        return None
    table = read_table(catalog.sources[kind].table, value, where, problems, context)
    source = _opened(catalog.sources[kind], table, where, problems)
    if table is None or source is None:
        return None
    terms = table.said("arrival", "max_ahead")
    if terms.get("max_ahead") == ANY:
        terms["max_ahead"] = None
    return Stream(StreamDef(name, source.schema(), table.time, source=source, **terms))


def open_sink(
    value: Any, where: str, catalog: Catalog, context: Context, problems: list[Problem]
) -> object | None:
    """The sink of a table, ``None`` if something is wrong with it."""
    given = value
    if isinstance(value, dict) and "path" in value:
        given = {"kind": catalog.folder, **value}
    kind = _kind(given, catalog.sinks, "sink", where, problems)
    if kind is None:
        return None
    table = read_table(catalog.sinks[kind].table, given, where, problems, context)
    sink: object | None = _opened(catalog.sinks[kind], table, where, problems)
    return sink


def _opened(
    kind: SourceKind[Any] | SinkKind[Any], table: Table | None, where: str, problems: list[Problem]
) -> Any:
    """What the catalog makes of a table, ``None`` if there is none or it cannot be opened."""
    if table is None:
        return None
    try:
        return kind.open(table)
    except SlackwaterError as error:
        problems.append(Problem(error.condition, where, error.message, error.hint))
        return None


def _kind(value: Any, kinds: Kinds, noun: str, where: str, problems: list[Problem]) -> str | None:
    """The kind of a table; if it cannot be told, a key that no kind has is still wrong."""
    if not isinstance(value, dict):
        problems.append(Problem(WRONG, where, f"got {value!r}, wanted a table"))
        return None
    kind = value.get("kind")
    if isinstance(kind, str) and kind in kinds:
        return kind
    every = dict.fromkeys(key for one in kinds.values() for key in keys_of(one.table))
    problems += [unknown_key(key, where, every) for key in value if key not in every]
    if kind is None:
        text = f"is missing; it is one of {', '.join(kinds)}"
        problems.append(Problem(MISSING, f"{where}.kind", text))
    else:
        text, hint = f"no {noun} is {kind!r}", suggestion(str(kind), kinds)
        problems.append(Problem(WRONG, f"{where}.kind", text, hint))
    return None
