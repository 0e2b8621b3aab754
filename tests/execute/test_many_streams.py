"""Joins of as many streams as there may be: right, by any tree, with the plan left open too."""

from __future__ import annotations

import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import slackwater as sw
from slackwater import testing
from slackwater.execute.joins import JOINS, portions
from slackwater.plan.tree import mjoin
from slackwater.query.join import MOST_INPUTS
from slackwater.testing import Settings

BEGIN, SECOND, ROWS = 1_767_225_600_000_000, 1_000_000, 20
Batch = dict[str, pa.Table]


def chain(count: int, order: str, sink: Any) -> Any:
    """Each stream meets the next one, within ten seconds of all."""
    columns = {"ts": "timestamp", "k": "bigint", "j": "bigint"}
    streams = [testing.rows(f"s{n}", time="ts", **columns) for n in range(count)]
    on = [f"s{n}.k = s{n + 1}.j" for n in range(count - 1)]
    joined = sw.join(*streams, on=on, within="10 s", order=order)
    return joined.select("s0.k AS first", f"s{count - 1}.k AS last").query(
        "q", sw.slack("1 s"), sink=sink
    )


def came(draw: np.random.Generator, number: int, count: int) -> Batch:
    """A batch of ten seconds; every row meets one of the next stream on the average."""
    found = {}
    for stream in range(count):
        times = np.sort(draw.integers(0, 10 * SECOND, ROWS)) + BEGIN + number * 10 * SECOND
        keys = {name: draw.integers(0, ROWS, ROWS) for name in "kj"}
        found[f"s{stream}"] = pa.table({"ts": pa.array(times, pa.timestamp("us", "UTC")), **keys})
    return found


def met(batches: list[Batch], count: int) -> list[tuple[int, int, int]]:
    """First and last key of every combination, and its newest time: row by row."""
    rows: list[dict[int, list[tuple[int, int]]]] = [defaultdict(list) for _ in range(count)]
    for batch in batches:
        for number in range(count):
            table = batch[f"s{number}"]
            times = table["ts"].cast(pa.int64()).to_pylist()
            for at, k, j in zip(times, table["k"].to_pylist(), table["j"].to_pylist(), strict=True):
                rows[number][j if number else 0].append((at, k))
    found = [(k, k, at, at) for at, k in rows[0][0]]
    for number in range(1, count):
        found = [
            (first, k, min(low, at), max(high, at))
            for first, last, low, high in found
            for at, k in rows[number][last]
            if max(high, at) - min(low, at) <= 10 * SECOND
        ]
    return sorted((first, last, high) for first, last, _, high in found)


def given(sink: Any) -> list[tuple[int, int, int]]:
    table = sink.table().select(["first", "last", "event_time"])
    times = table["event_time"].cast(pa.int64()).to_pylist()
    return sorted(zip(table["first"].to_pylist(), table["last"].to_pylist(), times, strict=True))


@pytest.mark.parametrize(
    ("count", "order", "tier"),
    [
        (12, "adaptive", "columnar"),
        pytest.param(12, "written", "spark", marks=pytest.mark.slow),
        pytest.param(MOST_INPUTS, "adaptive", "columnar", marks=pytest.mark.slow),
        pytest.param(MOST_INPUTS, "adaptive", "spark", marks=pytest.mark.slow),
    ],
)
def test_many_streams_are_joined(tmp_path: Path, count: int, order: str, tier: str) -> None:
    seed = time.time_ns() % 2**32
    draw = np.random.default_rng(seed)
    batches = [came(draw, number, count) for number in range(5)]
    sink, reports = sw.memory(), list[dict[str, Any]]()
    settings = Settings(tier=tier, on_batch=reports.append)  # type: ignore[arg-type]
    testing.run((chain(count, order, sink),), batches, tmp_path, settings)
    expected = met(batches, count)
    assert len(expected) > 10, seed
    assert given(sink) == expected, seed
    if order == "adaptive":
        trees = [r["queries"]["q"]["controllers"]["join_plan"]["tree"] for r in reports]
        assert "((" in trees[-2], "m-way joins of many inputs cost more than trees do"


def test_a_statement_has_a_few_joins_however_many_inputs_there_are() -> None:
    for count in range(2, MOST_INPUTS + 1):
        node = mjoin([f"s{n}" for n in range(count)])
        parts = portions(node, range(count))
        assert [child for part in parts for child in part] == list(range(count))
        assert max(map(len, parts)) * (count - 1) <= max(JOINS, count - 1)
    assert len(portions(mjoin("abcde"), range(5))) == 1
