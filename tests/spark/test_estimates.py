"""Estimates of a pipeline that runs on Spark: asked of its handle, and by a stream of prods."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

import duckdb
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.execute.duck import DuckReader
from slackwater.query.stream import Stream
from slackwater.runs.requests import Inbox
from slackwater.spark import runtime
from tests.execute.test_estimates import even, totals
from tests.spark.driver import frame, make_loop
from tests.story import write_input


@pytest.fixture
def story(tmp_path: Path) -> Path:
    write_input(tmp_path / "in", even(12))
    return tmp_path


def started(spark: SparkSession, story: Path, **options: Any) -> tuple[sw.Handle, Stream]:
    schema = "ts TIMESTAMP, k BIGINT, v BIGINT"
    reader = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1)
    stream = sw.stream("r", reader.parquet(str(story / "in")), time="ts")
    answers = stream.window("40 s").group_by("k").aggregate(n="count(*)", s="sum(v)")
    query = answers.query("q", sw.slack("1 s"), estimates=sw.estimates(every="10 s"))
    options = {"trigger": "available-now", **options}
    return sw.pipeline(query).start(str(story / "ck"), spark=spark, **options), answers


@pytest.mark.parametrize("tier", ["columnar", pytest.param("spark", marks=pytest.mark.slow)])
def test_a_running_or_stopped_pipeline_is_asked_without_stopping_it(
    spark: SparkSession, story: Path, tier: str
) -> None:
    handle, _ = started(spark, story, tier=tier)
    while handle.is_active:
        if (handle.last_progress or {}).get("batchId", -1) > 0:
            asked = handle.estimate(where="k = 1").collect()
            assert {row["k"] for row in asked} == {1}
        time.sleep(0.05)
    handle.await_termination()
    (here,) = handle.estimate("q", "k = 1").collect()
    assert (here["n"], here["kind"], here["window_end"].minute) == (20, "estimate", 1)
    table = sw.read_estimates(story / "ck", where="k = 1")
    there = table.to_pylist()[0]
    assert {name: there[name] for name in ("k", "n", "s", "coverage", "tuples")} == {
        name: here[name] for name in ("k", "n", "s", "coverage", "tuples")
    }
    with pytest.raises(sw.QueryError, match="COLUMN_UNKNOWN"):
        handle.estimate(where="z = 1")
    with pytest.raises(sw.SlackwaterError, match="QUERY_UNKNOWN"):
        handle.estimate("other")


def fail(*_: object) -> None:
    raise duckdb.Error("no")


@pytest.mark.parametrize("few", [10**6, -1], ids=["driver", "tasks"])
def test_what_was_estimated_outlives_its_runs_and_leaves_nothing_behind(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr(runtime, "FEW", few)
    query = totals().query("q", sw.slack(0), sink=sw.memory(), estimates=sw.estimates())
    loop = make_loop(spark, (query,), tmp_path / "ck", tier="spark")
    handle = sw.Handle(None, loop, loop.runtime, None, spark, flush=False)  # type: ignore[arg-type]
    tables = even(8)
    for number in (0, 1):
        loop.process(frame(spark, loop, tables[number]), number)
    known = {table.name for table in spark.catalog.listTables()}
    before = {thread.ident for thread in threading.enumerate()}
    asked = [handle.estimate(where="k = 1") for _ in range(4)]
    with monkeypatch.context() as patch:
        patch.setattr(runtime, "FEW", 10**6)  # a patch reaches no task
        patch.setattr(DuckReader, "run", fail)
        with pytest.raises(sw.QueryError, match="PROD_FAILED"):
            handle.estimate(where="k = 1")
    left = [t.name for t in threading.enumerate() if t.ident not in before]
    assert [name for name in left if name.startswith("slackwater")] == []
    for number in range(2, 8):
        loop.process(frame(spark, loop, tables[number]), number)
    loop.close()
    for one in asked:
        assert [row["n"] for row in one.collect()] == [10]
        assert one.inputFiles() == []
        assert {table.name for table in one.sparkSession.catalog.listTables()} <= known


@pytest.mark.spec("prodding:F61")
def test_the_latest_known_answer_is_the_final_where_there_is_one(
    spark: SparkSession, story: Path
) -> None:
    handle, _ = started(spark, story)
    handle.await_termination()
    whole = handle.results()
    newest = handle.results(latest=True).orderBy("window_start", "k").collect()
    assert whole.count() > len(newest) == 4
    assert [row["kind"] for row in newest] == ["final", "final", "estimate", "estimate"]
    assert [row["n"] for row in newest] == [40, 40, 15, 15]
    assert sw.latest(whole, ["k"]).count() == 4
    told = handle.accuracy()
    assert set(told) == {"n", "s"}
    assert set(told["n"]["by_group"]) == {"0", "1"}


@pytest.mark.spec("prodding:F28")
def test_a_stream_of_prods_is_taken_in_by_the_batches_that_follow(
    spark: SparkSession, story: Path
) -> None:
    folder = story / "demands"
    folder.mkdir()
    demands = [{"sensor": 1}, {"sensor": 9}]
    (folder / "0.json").write_text("\n".join(json.dumps(row) for row in demands))
    stream = spark.readStream.schema("sensor BIGINT").json(str(folder))
    prods = stream.selectExpr("concat('k = ', sensor) AS where")
    inbox = Inbox(story / "ck" / "prods")
    handle, _ = started(spark, story, prods=prods, trigger="1 second")
    until = time.monotonic() + 60
    while time.monotonic() < until:
        found = [event for event in handle.events() if event["event"] == "prod"]
        if len(found) == len(demands):
            break
        time.sleep(0.2)
    handle.stop()
    assert sorted((event["prod"], event["rows"]) for event in found) == [
        ("control-0-0", 1),
        ("control-0-1", 0),
    ]
    assert inbox.waiting() == ()
    with pytest.raises(sw.QueryError, match="PRODS_INVALID"):
        started(spark, story, prods=spark.range(1))
