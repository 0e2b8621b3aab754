"""Plans that follow random streams under random limits: as DuckDB from scratch, to the last row."""

from __future__ import annotations

import random
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from tests.properties.test_joins_agree import random_tree

import slackwater as sw
from slackwater import testing
from slackwater.control.request import Request
from slackwater.events import log
from slackwater.query.stream import Query
from slackwater.testing import Settings

SECOND, WITHIN, BATCH = 1_000_000, 6, 4  # microseconds, seconds
COLUMNS = {"ts": "timestamp", "k": "bigint", "j": "bigint", "v": "bigint"}
Tables = dict[str, pa.Table]


def names_of(draw: random.Random) -> str:
    return "abcde"[: draw.choice((3, 3, 4, 4, 5))]


def on(names: str) -> list[str]:
    """A chain by two columns in turn."""
    return [f"{a}.{'kj'[n % 2]} = {b}.{'kj'[n % 2]}" for n, (a, b) in enumerate(pairwise(names))]


def query(names: str, emit: str, resources: Any, sink: Any) -> Query:
    streams = [testing.rows(name, time="ts", **COLUMNS) for name in names]
    joined = sw.join(*streams, on=on(names), within=f"{WITHIN} s", emit=emit)  # type: ignore[arg-type]
    shown = joined.select(*(f"{name}.v AS {name}v" for name in names))
    return shown.query("q", sw.slack(f"{BATCH} s"), sink=sink, resources=resources)


def came(draw: random.Random, names: str, batches: int) -> list[Tables]:
    """Rates and selectivities that change every few batches; no row comes too late."""
    numpy, found = np.random.default_rng(draw.randrange(1 << 32)), []
    rows = values = dict[str, Any]()
    for number in range(batches):
        if number % 6 == 0:
            rows = {name: draw.choice((15, 30, 60)) for name in names}
            values = {name: [draw.choice((20, 60, 400)) for _ in "kj"] for name in names}
        tables = {}
        for name in names:
            count, (k, j) = rows[name], values[name]
            times = numpy.integers(0, BATCH * SECOND, count) + number * BATCH * SECOND
            tables[name] = pa.table(
                {
                    "ts": pa.array(times, pa.timestamp("us", "UTC")),
                    "k": numpy.integers(0, k, count),
                    "j": numpy.integers(0, j, count),
                    "v": numpy.integers(0, 1 << 40, count),
                }
            )
        found.append(tables)
    return found


def from_scratch(names: str, batches: list[Tables]) -> list[tuple[int, ...]]:
    near = [
        f"epoch_us({a}.ts) - epoch_us({b}.ts) <= {WITHIN * SECOND}"
        for a in names
        for b in names
        if a != b
    ]
    text = f"SELECT {', '.join(f'{n}.v' for n in names)} FROM {', '.join(names)}"
    with duckdb.connect() as duck:
        for name in names:
            duck.register(name, pa.concat_tables(tables[name] for tables in batches))
        where = " AND ".join([*on(names), *near])
        return sorted(duck.execute(f"{text} WHERE {where}").fetchall())


def resources_of(draw: random.Random) -> Any:
    """No limits, some that can be kept, some that cannot."""
    memory = draw.choice((None, 1_000, 20_000, 60_000, 10**9))
    cpu = draw.choice((None, 1e-6, 0.01, 0.8))
    return None if memory is cpu is None else sw.resources(memory=memory, cpu=cpu)


def soak(draw: random.Random, folder: Path, batches: int) -> int:
    """One random join; how often it changed its tree."""
    names, sink = names_of(draw), sw.memory()
    emit, limits = draw.choice(("immediate", "ordered")), resources_of(draw)
    tables, one = came(draw, names, batches), query(names, emit, limits, sink)
    tier = draw.choice(("columnar", "columnar", "spark"))
    loop = testing.make_loop((one,), folder, Settings(tier=tier))  # type: ignore[arg-type]
    try:
        for number, some in enumerate(tables):
            if draw.random() < 0.1:
                loop.close()
                loop = testing.make_loop((one,), folder, Settings(tier=tier))  # type: ignore[arg-type]
            if draw.random() < 0.1:  # a person has a say, and gives it back
                tree = draw.choice((random_tree(draw, list(names)), "adaptive", "adaptive"))
                how = draw.choice(("moving", "parallel"))
                loop.inbox.put(Request(f"r{number}", "q", tree=tree, how=how))
            loop.process(testing.micro(loop, some), number)
        loop.finish()
    finally:
        loop.close()
    table, told = sink.table(), (names, emit, limits, tier)
    found = [] if table is None else [tuple(row.values()) for row in values_of(table, names)]
    assert sorted(found) == from_scratch(names, tables), told
    return sum(event["event"] == "migration" for event in log.read(folder / "events.jsonl"))


def values_of(table: pa.Table, names: str) -> list[dict[str, int]]:
    return table.select([f"{name}v" for name in names]).to_pylist()


@pytest.mark.spec("adaptive:OPT-21", "adaptive:MIG-25")
@pytest.mark.deep
@pytest.mark.slow
def test_random_joins_under_random_limits_equal_duckdb(tmp_path: Path) -> None:
    seed, changes = time.time_ns() % 2**32, 0
    for turn in range(8):
        try:
            changes += soak(random.Random(seed + turn), tmp_path / str(turn), 24)
        except AssertionError as error:
            raise AssertionError(f"seed {seed + turn}") from error
    assert changes > 0, seed
    print(f"seed {seed}: {changes} changes")
