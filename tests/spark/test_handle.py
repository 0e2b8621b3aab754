"""How a pipeline ends: by itself, by a person, by somebody else."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.spark.handle import Handle

ROWS = 8


def started(spark: SparkSession, folder: Path, sink: Any, **options: Any) -> Handle:
    """Eight batches of one row each, one window for each row, flushed at the end."""
    source = sw.generator(1, rows_per_batch=1, total_rows=ROWS)
    counts = sw.stream("r", source, time="ts").window("1 s").aggregate(n="count(*)")
    asked = sw.pipeline(counts.query("q", sink=sink))
    options = {"trigger": "available-now", "flush": True, **options}
    return asked.start(str(folder), spark=spark, **options)


class Pause:
    """A report hook that lets somebody act after the first batch, and the batch wait for it."""

    def __init__(self) -> None:
        self.first, self.go = threading.Event(), threading.Event()

    def __call__(self, report: dict[str, Any]) -> None:
        self.first.set()
        assert self.go.wait(60)


@pytest.mark.parametrize("who", ["handle", "somebody with Spark's own handle"])
def test_a_stop_from_another_thread_does_not_end_the_streams(
    spark: SparkSession, tmp_path: Path, who: str
) -> None:
    sink, pause = sw.memory(), Pause()
    handle = started(spark, tmp_path / "ck", sink, on_batch=pause)
    waiter = threading.Thread(target=handle.await_termination)
    waiter.start()
    assert pause.first.wait(120)
    stopper = threading.Thread(target=handle.stop if who == "handle" else handle.query.stop)
    stopper.start()
    stopper.join(0.3)  # the batch at hand waits for the pause, and the stop for the batch
    pause.go.set()
    stopper.join(60)
    waiter.join(60)
    assert not waiter.is_alive()
    stops = [event for event in handle.events() if event["event"] == "stop"]
    assert [stop["reason"] for stop in stops] == ["stopped"]
    started(spark, tmp_path / "ck", sink).await_termination()  # goes on, and ends by itself
    table = sink.table()
    assert table is not None
    assert table["n"].to_pylist() == [1] * ROWS
    assert [e for e in handle.events() if e["event"] == "stop"][-1]["reason"] == "sealed"


def test_a_stream_without_rows_is_read_to_its_end_too(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    source = sw.files(tmp_path / "in", schema={"ts": "timestamp"})
    counts = sw.stream("r", source, time="ts").window("1 s").aggregate(n="count(*)")
    asked = sw.pipeline(counts.query("q", sink=sw.memory()))
    handle = asked.run(str(tmp_path / "ck"), flush=True, spark=spark)
    assert [e for e in handle.events() if e["event"] == "stop"][-1]["reason"] == "sealed"


def test_waiting_again_for_a_pipeline_that_was_stopped_seals_nothing(
    spark: SparkSession, tmp_path: Path
) -> None:
    pause = Pause()
    handle = started(spark, tmp_path / "ck", sw.memory(), on_batch=pause)
    assert pause.first.wait(120)
    stopper = threading.Thread(target=handle.stop)
    stopper.start()
    pause.go.set()
    stopper.join(60)
    assert handle.await_termination()
    assert handle.await_termination(1)
    assert [e["reason"] for e in handle.events() if e["event"] == "stop"] == ["stopped"]
