"""Rows beyond the budget of costly work, as Spark reads and keeps them."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import LongType, StructField, StructType

import slackwater as sw
from slackwater.control.orders import Piece
from slackwater.events import log
from slackwater.runs.run import new_run
from slackwater.spark.pipeline import Pipeline
from slackwater.spark.read import backlog as working
from tests import story
from tests.execute.test_costly import burst, question, told
from tests.spark.driver import batch, readings


def test_the_work_goes_on_while_no_rows_come(spark: SparkSession, tmp_path: Path) -> None:
    """A heartbeat makes batches; what waits is worked off by them, and windows close."""
    story.write_input(tmp_path / "in", [*burst(quiet=1), batch((12, 0, 1))])
    stream = sw.stream("r", sw.files(str(tmp_path / "in"), files_per_batch=3), time="ts")
    sink = sw.memory()
    started = sw.pipeline(question(stream.costly(15), sink)).start(
        str(tmp_path / "ck"), heartbeat="200 ms", spark=spark
    )
    try:
        until = time.monotonic() + 60
        while sink.table() is None and time.monotonic() < until:
            time.sleep(0.1)
    finally:
        started.stop()
    assert told(sink) == [(0.0, 0, 21, 21), (0.0, 1, 20, 20)]
    path = tmp_path / "ck" / "events.jsonl"
    found = [
        e["queries"]["q"]["backlog"]["worked"] for e in log.read(path) if e["event"] == "batch"
    ]
    assert [worked for worked in found if worked] == [15, 15, 12]


@pytest.mark.parametrize("few", [0, 100_000])
def test_places_say_which_rows_are_meant_however_they_are_read(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr(working, "FEW", few)
    monkeypatch.setattr(working, "GROUP_BYTES", 1000)
    state = Pipeline((question(readings(), sw.memory()),)).plan.queries[0].base.state
    rows = spark.range(5000).selectExpr("id AS v", "10000 - id * 2 AS __ts").repartition(3)
    run = working.admit(rows, state, new_run("q-backlog", 3, "d"), tmp_path).run
    assert run is not None
    assert (run.rows, run.low, run.high) == (5000, 2, 10000)
    pieces = [
        Piece(3, 10, 5, 0, 2, 10000),
        Piece(3, 15, 5, 0, 2, 10000),
        Piece(3, 4000, 2, 0, 2, 10000),
    ]
    schema = StructType([StructField("v", LongType())])
    found = working.chosen_rows(spark, tmp_path, [run], pieces, schema).toArrow()
    times = sorted(found["__ts"].to_pylist())
    assert times == [*range(22, 42, 2), 8002, 8004]
    assert sorted(10000 - 2 * v for v in found["v"].to_pylist()) == times
