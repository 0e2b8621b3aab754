"""``[[query]]``: what is asked of a source, under which contract, and where the answers go."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from slackwater.errors import Problem
from slackwater.query.contract import LATE_POLICIES, FixedSlack, MaxError, max_error, slack
from slackwater.query.stream import Query, Stream
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
from slackwater.spark.sinks import ConsoleSink, MemorySink, ParquetSink, Sink

_LEVEL: Keys = {
    "where": Key(TEXTS),
    "select": Key(TEXTS),
    "window": Key(DURATION, required=True),
    "slide": Key(DURATION),
    "start": Key(DURATION),
    "group_by": Key(TEXTS),
    "aggregate": Key(TEXT_TABLE, required=True),
}
_QUERY: Keys = {
    "name": Key(TEXT, required=True),
    "from": Key(TEXT, required=True),
    **_LEVEL,
    "then": Key(TABLES),
    "slack": Key(DURATION),
    "max_error": Key(NUMBER),
    "confidence": Key(NUMBER),
    "of": Key(TEXTS),
    "at_least": Key(DURATION),
    "at_most": Key(DURATION),
    "late": Key(one_of(*LATE_POLICIES)),
    "keep": Key(DURATION),
    "idle": Key(DURATION),
    "sink": Key(TABLE),
    "side": Key(TABLE),
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
    given = read_table(value, _QUERY, where, problems)
    above = [
        read_table(level, _LEVEL, f"{where}.then[{n}]", problems)
        for n, level in enumerate(given.get("then", []), start=1)
    ]
    stream = _source(given.get("from"), where, around, problems)
    sound = len(problems) == before
    sink = _sink(given.get("sink"), f"{where}.sink", around, problems)
    side = _sink(given.get("side"), f"{where}.side", around, problems)
    if stream is None or not sound:
        return None
    for level in (given, *above):
        stream = _add_level(stream, level)
    contract = _contract(given, where, problems)
    terms = {key: given[key] for key in ("late", "keep", "idle") if key in given}
    return stream.query(given["name"], contract, **terms, sink=sink, side=side)


def _contract(given: dict[str, Any], where: str, problems: list[Problem]) -> FixedSlack | MaxError:
    terms = [key for key in ("confidence", "of", "at_least", "at_most") if key in given]
    if "max_error" not in given:
        for key in terms:
            text = f"{key} belongs to max_error, which is not given"
            problems.append(Problem("KEY_ALONE", f"{where}.{key}", text))
        return slack(given.get("slack", 0))
    if "slack" in given:
        text = "slack and max_error exclude each other"
        hint = "at_least and at_most bound the slack that max_error chooses"
        problems.append(Problem("KEY_TWICE", f"{where}.slack", text, hint))
    chosen = {key: given[key] for key in terms}
    if "of" in chosen:
        chosen["of"] = texts(chosen["of"])
    return max_error(given["max_error"], **chosen)


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
    windows = stream.window(level["window"], level.get("slide"), start=level.get("start", 0))
    return windows.group_by(*texts(level.get("group_by"))).aggregate(**level["aggregate"])


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
