"""A pipeline that is started again: what may change, and what keeps its place."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import slackwater as sw
from slackwater.query.stream import Query, Stream
from slackwater.runs.heartbeat import beat_period
from slackwater.spark.handle import Handle


def generated(name: str, rows: int, seed: int) -> Stream:
    source = sw.generator(50, keys=5, rows_per_batch=200, total_rows=rows, seed=seed)
    return sw.stream(name, source, time="ts")


def rows_read(handle: Handle) -> dict[str, int]:
    """Rows of each stream since the checkpoint was begun."""
    found: Counter[str] = Counter()
    for event in handle.events():
        if event["event"] == "batch":
            found.update({name: stream["rows"] for name, stream in event["streams"].items()})
    return dict(found)


@pytest.mark.slow
def test_queries_and_inputs_of_joins_may_be_written_in_another_order(
    spark: SparkSession, tmp_path: Path
) -> None:
    def asked(a: Stream, b: Stream, sinks: dict[str, Any]) -> dict[str, Query]:
        windowed = [s.window("5 s").aggregate(n="count(*)", s="sum(seq)") for s in (a, b)]
        near = sw.join(a, b, a.named("c"), on="key", within="300 ms", order="((a b) c)")
        return {
            "a": windowed[0].query("a", sink=sinks["a"]),
            "b": windowed[1].query("b", sink=sinks["b"]),
            "j": near.window("5 s").aggregate(n="count(*)").query("j", sink=sinks["j"]),
        }

    def other(a: Stream, b: Stream, sinks: dict[str, Any]) -> dict[str, Query]:
        near = sw.join(a.named("c"), b, a, on="key", within="300 ms", order="((a b) c)")
        counts = near.window("5 s").aggregate(n="count(*)").query("j", sink=sinks["j"])
        return {"j": counts, **dict(reversed(list(asked(a, b, sinks).items())[:2]))}

    def totals(sinks: dict[str, Any]) -> dict[str, list[tuple[Any, ...]]]:
        tables = {name: sink.table().to_pylist() for name, sink in sinks.items()}
        return {
            name: sorted((r["window_start"], r["n"], r.get("s")) for r in rows)
            for name, rows in tables.items()
        }

    calm, sinks = ({name: sw.memory() for name in "abj"} for _ in range(2))
    whole = (generated("a", 1200, 1), generated("b", 1200, 2))
    pipeline = sw.pipeline(*asked(*whole, calm).values())
    pipeline.run(str(tmp_path / "calm"), flush=True, spark=spark)
    part = (generated("a", 800, 1), generated("b", 200, 2))
    sw.pipeline(*asked(*part, sinks).values()).run(str(tmp_path / "ck"), spark=spark)
    again = sw.pipeline(*other(*whole, sinks).values())
    handle = again.run(str(tmp_path / "ck"), flush=True, spark=spark)
    assert rows_read(handle) == {"a": 1200, "b": 1200}
    assert totals(sinks)["a"] == totals(calm)["a"]
    assert sum(row[1] for row in totals(sinks)["b"]) == 1200
    assert sum(row[1] for row in totals(sinks)["j"]) == sum(row[1] for row in totals(calm)["j"])


def test_a_heartbeat_may_come_and_go_between_starts(spark: SparkSession, tmp_path: Path) -> None:
    def go(rows: int, idle: str | None, *, ends: bool) -> dict[str, int]:
        counts = generated("r", rows, 1).window("1 s").aggregate(n="count(*)")
        asked = sw.pipeline(counts.query("q", idle=idle, sink=sw.memory()))
        if ends:
            return rows_read(asked.run(str(tmp_path / "ck"), spark=spark))
        handle = asked.start(str(tmp_path / "ck"), heartbeat=idle and "100 ms", spark=spark)
        deadline = time.monotonic() + 60
        while rows_read(handle).get("r", 0) < rows and time.monotonic() < deadline:
            handle.await_termination(0.1)
        handle.stop()
        return rows_read(handle)

    assert go(200, None, ends=True) == {"r": 200}
    assert go(400, "1 s", ends=False) == {"r": 400}  # one that is new
    assert go(600, "1 s", ends=True) == {"r": 600}
    assert go(800, None, ends=False) == {"r": 800}


def test_a_heartbeat_that_was_half_added_is_added_once(tmp_path: Path) -> None:
    offsets = tmp_path / "offsets"
    offsets.mkdir()
    assert beat_period(tmp_path, None, ends=False) is None
    assert beat_period(tmp_path, 5, ends=True) == 5
    (offsets / "9").write_text('v1\n{}\n{"row": 1}\n{"tick": 0}')
    (offsets / "10").write_text('v1\n{}\n{"row": 2}')
    (offsets / ".10.crc").write_text("of what was there")
    assert beat_period(tmp_path, 5, ends=True) is None
    assert beat_period(tmp_path, 5, ends=False) == 5
    assert (offsets / "9").read_text() == 'v1\n{}\n{"row": 1}\n{"tick": 0}'
    assert (offsets / "10").read_text() == 'v1\n{}\n{"row": 2}\n{"tick": 0}'
    assert not (offsets / ".10.crc").exists()
    assert beat_period(tmp_path, 5, ends=True) == 5


def test_another_type_of_a_column_is_another_pipeline(spark: SparkSession, tmp_path: Path) -> None:
    frame = generated("r", 10, 1).base.source.open(spark)  # type: ignore[union-attr]

    def go(kind: str) -> None:
        typed = frame.withColumn("key", F.col("key").cast(kind))
        counts = sw.stream("r", typed, time="ts").window("1 s").group_by("key")
        asked = sw.pipeline(counts.aggregate(n="count(*)").query("q", sink=sw.memory()))
        asked.run(str(tmp_path / "ck"), spark=spark)

    go("int")
    with pytest.raises(sw.CheckpointError) as caught:
        go("string")
    assert caught.value.condition == "CHECKPOINT_OTHER_QUERY"
    assert "stream 'r', column key was int, is string" in caught.value.message
