"""Contracts through a whole pipeline on Spark, judged from raw rows and sinks alone."""

from __future__ import annotations

import os
import random
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.execute.sinks import MemorySink

SECOND = 1_000_000
ROWS = 4000
WINDOW = 4 * SECOND
Row = dict[str, Any]


def written(folder: Path, seed: int) -> list[Row]:
    """80 s of rows, a fifth of them up to 3 s late, a file every 3 s; key 2 is late most often."""
    draws = np.random.default_rng(seed)
    time = np.arange(ROWS) / 50
    key = draws.integers(0, 3, ROWS)
    late = draws.random(ROWS) < np.where(key == 2, 0.4, 0.1)
    arrival = time + np.where(late, draws.uniform(0, 3, ROWS), 0)
    order = np.argsort(arrival, kind="stable")
    columns = {
        "ts": pa.array((time * 1e6).astype("int64")).cast(pa.timestamp("us", "UTC")),
        "k": pa.array(key),
        "a": pa.array(draws.uniform(1, 9, ROWS)),
        "b": pa.array(draws.uniform(1, 3, ROWS)),
    }
    table = pa.table(columns).take(order)
    folder.mkdir()
    cuts = np.searchsorted(arrival[order], np.arange(0, arrival.max() + 3, 3))
    for number, (low, high) in enumerate(pairwise(cuts.tolist())):
        path = folder / f"{number:03d}.parquet"
        pq.write_table(table.slice(low, high - low), path)
        os.utime(path, (1_700_000_000 + number,) * 2)
    return table.to_pylist()


def windows(rows: list[Row], *keys: str) -> dict[tuple[Any, ...], list[Row]]:
    found: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        micros = round(row["ts"].timestamp() * SECOND)
        found[(micros - micros % WINDOW, *(row[key] for key in keys))].append(row)
    return found


def said(sink: MemorySink, column: str, *keys: str) -> dict[tuple[Any, ...], float]:
    table = sink.table()
    assert table is not None
    found = {}
    for row in table.to_pylist():
        start = round(row["window_start"].timestamp() * SECOND)
        found[(start, *(row[key] for key in keys))] = row[column]
    return found


def is_kept(given: float | None, true: float, epsilon: float) -> bool:
    return given is not None and abs(given - true) <= epsilon * abs(true) + 1e-12


@pytest.mark.spec("qddh:F062", "qddh:F144")
def test_a_quotient_keeps_its_bound_and_keys_are_judged_apart(
    spark: SparkSession, tmp_path: Path
) -> None:
    seed = random.randrange(1 << 30)
    rows = written(tmp_path / "rows", seed)
    stream = sw.stream("r", sw.files(tmp_path / "rows", files_per_batch=1), time="ts")
    panes = stream.window(f"{WINDOW} microseconds")
    ratios, totals = sw.memory(), sw.memory()
    handle = sw.pipeline(
        panes.aggregate(ratio="sum(a) / sum(b)").query(
            "ratio", sw.max_error(0.02, confidence=0.9), sink=ratios
        ),
        panes.group_by("k")
        .aggregate(total="sum(a)")
        .query("total", sw.max_error(0.05, confidence=0.8), sink=totals),
    ).run(str(tmp_path / "checkpoint"), flush=True, spark=spark)

    given = said(ratios, "ratio")
    kept = [
        is_kept(given.get(at), sum(r["a"] for r in some) / sum(r["b"] for r in some), 0.02)
        for at, some in windows(rows).items()
    ]
    assert sum(kept) / len(kept) >= 0.9, f"seed {seed}"

    by_key: dict[int, list[bool]] = defaultdict(list)
    given = said(totals, "total", "k")
    for at, some in windows(rows, "k").items():
        by_key[at[1]].append(is_kept(given.get(at), sum(r["a"] for r in some), 0.05))
    found = handle.fulfilment_by_key("total")
    assert {one["k"]: one["measured"] for one in found} == {k: len(n) for k, n in by_key.items()}
    shares = {one["k"]: one["fulfilment"] for one in found}
    wanted = {key: sum(kept) / len(kept) for key, kept in by_key.items()}
    assert shares == pytest.approx(wanted), f"seed {seed}"
    assert list(shares.values()) == sorted(shares.values())
    told = handle.quality()["total"]
    assert told["fulfilment"] == pytest.approx(
        (sum(map(sum, by_key.values())) - told["unseen"]) / len(windows(rows, "k"))
    ), f"seed {seed}"
