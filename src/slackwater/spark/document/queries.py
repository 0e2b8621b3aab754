"""``[[query]]``: what is asked of a source, under which contract, and where the answers go."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from slackwater.errors import Problem
from slackwater.execute.sinks import ConsoleSink, MemorySink, ParquetSink, Sink
from slackwater.query.contract import (
    LATE_POLICIES,
    FixedSlack,
    MaxError,
    MinRecall,
    max_error,
    min_recall,
    slack,
)
from slackwater.query.estimates import Estimates, estimates
from slackwater.query.stream import Query, Stream
from slackwater.spark.document.joins import JOIN, read_join
from slackwater.spark.document.sources import located
from slackwater.spark.document.table import (
    COUNT,
    DURATION,
    NUMBER,
    TABLE,
    TABLES,
    TEXT,
    TEXT_TABLE,
    TEXTS,
    Key,
    Keys,
    one_of,
    read_table,
    suggestion,
    texts,
)

_LEVEL: Keys = {
    "where": Key(TEXTS),
    "select": Key(TEXTS),
    "window": Key(DURATION, required=True),
    "slide": Key(DURATION),
    "start": Key(DURATION),
    "group_by": Key(TEXTS),
    "aggregate": Key(TEXT_TABLE, required=True),
}
_OPTIONAL = ("window", "aggregate")  # of a query that ends with a join
_QUERY: Keys = {
    "name": Key(TEXT, required=True),
    "from": Key(TEXT),
    **JOIN,
    **_LEVEL,
    "then": Key(TABLES),
    "slack": Key(DURATION),
    "max_error": Key(NUMBER),
    "min_recall": Key(NUMBER),
    "over": Key(DURATION),
    "confidence": Key(NUMBER),
    "of": Key(TEXTS),
    "at_least": Key(DURATION),
    "at_most": Key(DURATION),
    "late": Key(one_of(*LATE_POLICIES)),
    "keep": Key(DURATION),
    "idle": Key(DURATION),
    "estimates": Key(TABLES),
    "sink": Key(TABLE),
    "side": Key(TABLE),
}
_ESTIMATES: Keys = {
    "every": Key(DURATION),
    "aggressiveness": Key(NUMBER),
    "accuracy": Key(NUMBER),
    "where": Key(TEXT),
    "of": Key(TEXTS),
    "band": Key(NUMBER),
}
_SINKS: dict[str, Keys] = {
    "parquet": {"kind": Key(TEXT), "path": Key(TEXT, required=True)},
    "console": {"kind": Key(TEXT), "rows": Key(COUNT)},
    "memory": {"kind": Key(TEXT)},
}


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a query refers to: sources by name (``None``: broken), the folder, the console."""

    streams: dict[str, Stream | None]
    base: Path
    console: Console


def read_query(
    number: int, value: Any, around: Surroundings, problems: list[Problem]
) -> Query | None:
    """The query of a ``[[query]]`` table, ``None`` if it cannot be put together."""
    before = len(problems)
    named = isinstance(value, dict) and isinstance(value.get("name"), str)
    where = f"query.{value['name']}" if named else f"query[{number}]"
    given = read_table(value, _keys(value), where, problems)
    above = [
        read_table(level, _LEVEL, f"{where}.then[{n}]", problems)
        for n, level in enumerate(given.get("then", []), start=1)
    ]
    prods = [
        read_table(one, _ESTIMATES, f"{where}.estimates[{n}]", problems)
        for n, one in enumerate(given.get("estimates", []), start=1)
    ]
    if "join" in given:
        stream = read_join(given, where, around.streams, problems)
    else:
        stream = _source(given.get("from"), where, around, problems)
    sound = len(problems) == before
    sink = _sink(given.get("sink"), f"{where}.sink", around, problems)
    side = _sink(given.get("side"), f"{where}.side", around, problems)
    if stream is None or not sound:
        return None
    for level in (given, *above):
        stream = _add_level(stream, level)
    contract = _contract(given, where, problems)
    terms: dict[str, Any] = {k: given[k] for k in ("late", "keep", "idle") if k in given}
    if prods:
        terms["estimates"] = [_estimates(one) for one in prods]
    return stream.query(given["name"], contract, **terms, sink=sink, side=side)


def _keys(value: Any) -> Keys:
    """What a query may say: one over a join may end with it, one over a source may not."""
    if isinstance(value, dict) and "join" in value:
        optional = {name: replace(_QUERY[name], required=False) for name in _OPTIONAL}
        return {**{k: key for k, key in _QUERY.items() if k != "from"}, **optional}
    alone = {k: key for k, key in _QUERY.items() if k not in JOIN or k == "join"}
    return {**alone, "from": Key(TEXT, required=True)}


_TERMS = {
    "max_error": ("confidence", "of", "at_least", "at_most"),
    "min_recall": ("confidence", "over", "at_least", "at_most"),
}


def _contract(
    given: dict[str, Any], where: str, problems: list[Problem]
) -> FixedSlack | MaxError | MinRecall:
    kinds = [kind for kind in ("slack", *_TERMS) if kind in given]
    if len(kinds) > 1:
        text = f"{' and '.join(kinds)} exclude each other"
        hint = "at_least and at_most bound the slack that a contract chooses"
        problems.append(Problem("KEY_TWICE", f"{where}.{kinds[0]}", text, hint))
    kind = kinds[-1] if kinds else "slack"
    allowed = _TERMS.get(kind, ())
    for key in sorted({key for keys in _TERMS.values() for key in keys}):
        if key in given and key not in allowed:
            owners = " or ".join(name for name, keys in _TERMS.items() if key in keys)
            text = f"{key} belongs to {owners}, which is not given"
            problems.append(Problem("KEY_ALONE", f"{where}.{key}", text))
    if kind == "slack":
        return slack(given.get("slack", 0))
    chosen = {key: given[key] for key in allowed if key in given}
    if "of" in chosen:
        chosen["of"] = texts(chosen["of"])
    if kind == "min_recall":
        return min_recall(given["min_recall"], **chosen)
    return max_error(given["max_error"], **chosen)


def _estimates(given: dict[str, Any]) -> Estimates:
    if "of" in given:
        given = {**given, "of": texts(given["of"])}
    return estimates(**given)


def _source(
    name: str | None, where: str, around: Surroundings, problems: list[Problem]
) -> Stream | None:
    if name is not None and name not in around.streams:
        hint = suggestion(name, around.streams)
        problems.append(
            Problem("SOURCE_UNKNOWN", f"{where}.from", f"there is no [source.{name}]", hint)
        )
    return around.streams.get(name) if name is not None else None


def _add_level(stream: Stream, level: dict[str, Any]) -> Stream:
    for predicate in texts(level.get("where")):
        stream = stream.where(predicate)
    if "select" in level:
        stream = stream.select(*texts(level["select"]))
    if "window" not in level:
        return stream
    windows = stream.window(level["window"], level.get("slide"), start=level.get("start", 0))
    return windows.group_by(*texts(level.get("group_by"))).aggregate(**level.get("aggregate", {}))


def _sink(
    value: dict[str, Any] | None, where: str, around: Surroundings, problems: list[Problem]
) -> Sink | None:
    if value is None:
        return None  # into the checkpoint
    kind = value.get("kind", "parquet" if "path" in value else None)
    if not isinstance(kind, str) or kind not in _SINKS:
        hint = suggestion(str(kind), _SINKS)
        problems.append(Problem("KEY_TYPE", f"{where}.kind", f"no sink is {kind!r}", hint))
        return None
    before = len(problems)
    given = read_table(value, _SINKS[kind], where, problems)
    if len(problems) > before:
        return None
    if kind == "parquet":
        return ParquetSink(located(given["path"], around.base))
    if kind == "console":
        return ConsoleSink(given.get("rows", 20), around.console)
    return MemorySink()
