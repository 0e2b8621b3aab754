"""The story of all kills, told into tables of a real server, or topics of a real broker."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import slackwater as sw
from slackwater.query.stream import Query
from tests import story
from tests.driver import feed, make_loop, readings
from tests.services.broker import Broker, committed
from tests.services.cluster import Cluster

OUTPUTS = {"sink": "results", "side": "late", "quality": "quality"}
KEYED = ("aside", "revised", "bounded")  # a join has nothing to tell its results apart


def table_of(query: str, output: str) -> str:
    return f"{query}_{OUTPUTS[output]}"


def queries(where: str) -> tuple[Query, ...]:
    """The queries of the story; results of windows go to tables of the newest rows.

    ``where`` is the address of a database, or ``SERVERS/NAME``: brokers, and how topics begin.
    """

    def place(query: str, output: str) -> Any:
        latest = query in KEYED and output == "sink"
        mode: Any = "latest" if latest else "append"
        if "://" not in where:
            servers, name = where.split("/")
            return sw.kafka_sink(f"{name}_{table_of(query, output)}", servers, mode=mode)
        return sw.postgres(
            table_of(query, output),
            where,
            password=sw.secret(env="ANSWERS_PASSWORD"),
            mode=mode,
            patience="20 s",
        )

    return tuple(
        replace(one, **{output: place(one.name, output) for output in OUTPUTS})
        for one in story.queries(readings("1 day"))
    )


def tell(where: str, folder: Path, say: Callable[[int], object] = lambda _: None) -> None:
    """From where it was left to its end."""
    tables = story.batches()
    loop = make_loop(queries(where), folder)
    try:
        if loop.sealed:
            return
        for number in range(loop.batch + 1, len(tables)):
            feed(loop, tables[number], number)
            say(number)
        loop.finish()
    finally:
        loop.close()


def ending(server: Cluster) -> dict[str, Counter[str]]:
    """What anybody reads, without the time of emission; and that nothing waits any more."""
    found = {}
    listed = server.rows("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
    for (name,) in listed:
        if name == "slackwater_outputs":
            continue
        text = f"SELECT (to_jsonb(t) - 'emitted_at')::text FROM {name} AS t"
        found[str(name)] = Counter(str(row) for (row,) in server.rows(text))
    return found


def topics(name: str) -> list[str]:
    """All that the story needs."""
    names = ("joined", *KEYED)
    return [f"{name}_{table_of(query, output)}" for query in names for output in OUTPUTS]


def told(kafka: Broker, name: str) -> dict[str, Counter[str]]:
    """What readers of committed messages see, without the time of emission."""
    found = {}
    for one in topics(name):
        rows = [(m.key, json.loads(m.value) if m.value else None) for m in committed(kafka, one)]
        for _, row in rows:
            if row is not None:
                row.pop("emitted_at", None)
        found[one.removeprefix(name)] = Counter(map(repr, rows))
    return found


if __name__ == "__main__":
    where, folder = sys.argv[1:]
    print("ready", flush=True)
    tell(where, Path(folder), lambda number: print(number, flush=True))
    print("done", flush=True)
