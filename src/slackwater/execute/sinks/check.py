"""What is wrong with where the results of queries are to go."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from slackwater.errors import Problem
from slackwater.execute.sinks.memory import MemorySink
from slackwater.execute.sinks.parquet import ParquetSink
from slackwater.execute.sinks.sink import Sink
from slackwater.query.stream import Query

_OUTPUTS = ("sink", "side", "quality")


def check_sinks(queries: Sequence[Query]) -> list[Problem]:
    """Things that are no sinks, and places that two outputs would overwrite for each other."""
    problems: list[Problem] = []
    places: dict[object, str] = {}
    for where, sink in _given(queries):
        if not isinstance(sink, Sink) or isinstance(sink, type):
            shown = "an address" if isinstance(sink, str) and "://" in sink else repr(sink)
            problems.append(Problem("SINK_KIND", where, f"{shown} is not a sink", _hint(sink)))
            continue
        place = _place(sink)
        other = places.setdefault(place, where) if place is not None else where
        if other != where:
            text = f"{other} writes to the same {_named(sink)}"
            problems.append(Problem("SINK_TWICE", where, text, "give each a place of its own"))
    return problems


def _given(queries: Sequence[Query]) -> Iterator[tuple[str, Any]]:
    for query in queries:
        for output in _OUTPUTS:
            sink = getattr(query, output)
            if sink is not None:
                yield f"query {query.name!r}, {output}", sink


def _place(sink: Sink) -> object | None:
    """What two outputs must not share: a folder, by whatever path, or a table."""
    if isinstance(sink, ParquetSink):
        return ("folder", os.path.realpath(sink.folder))
    if isinstance(sink, MemorySink):
        return id(sink)
    return getattr(sink, "place", None)


def _named(sink: Sink) -> str:
    place = _place(sink)
    if isinstance(place, tuple):
        kind = place[0] if place[0] in ("folder", "topic") else "table"
        return f"{kind} {place[-1]}"
    return "memory"


def _hint(value: Any) -> str:
    if isinstance(value, str) and "://" in value:  # it may have a password in it
        return (
            "for a table write sw.postgres(table, server), sw.delta(...) or sw.iceberg(...), for a "
            "topic sw.kafka_sink(topic, servers)"
        )
    if isinstance(value, str | Path):
        return f'for a folder of Parquet files write sw.parquet("{value}")'
    if callable(value):
        return "call it, as in sink=sw.memory(); for a function of your own sw.callback(function)"
    if hasattr(value, "write") and hasattr(value, "rollback"):
        return (
            "a sink has open, prepare, commit and recover: write is now prepare, rollback recover"
        )
    methods = "open, prepare, commit and recover"
    return (
        "use sw.parquet, sw.postgres, sw.kafka_sink, sw.delta, sw.iceberg, sw.memory, "
        f"sw.console, sw.callback, or what has {methods}"
    )
