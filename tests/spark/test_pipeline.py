"""Real streams end to end: files in, answers out."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import slackwater as sw
from slackwater.events import log
from tests.spark.driver import answers, batch, frame, make_loop, readings, replayed, run

MINUTE = [
    batch((1, 1, 10), (2, 2, 20), (11, 1, 1), (12, 1, 2)),
    batch((9, 1, 5), (14, 2, 7), (21, 1, 3), (3, 2, 1)),  # 9 and 3 come after 12
    batch((25, 2, 9), (31, 1, 4), (8, 1, 100)),
    batch((47, 1, 6), (44, 2, 8)),
]


def write_files(folder: Path, batches: list[pa.Table]) -> Path:
    folder.mkdir(parents=True)
    for number, table in enumerate(batches):
        path = folder / f"{number:03d}.parquet"
        pq.write_table(table, path)
        os.utime(path, (1_000_000_000 + number, 1_000_000_000 + number))
    return folder


def rows(found: pa.Table | None) -> list[tuple[Any, ...]]:
    return duckdb.sql("SELECT window_start, window_end, k, n, s FROM found ORDER BY ALL").fetchall()


def per_key(source: Any, size: str = "10 s", slide: str | None = None) -> Any:
    stream = sw.stream("r", source, time="ts", max_ahead=None)
    return stream.window(size, slide).group_by("k").aggregate(n="count(*)", s="sum(v)")


def test_a_file_stream_gives_what_the_interpreter_gives(
    spark: SparkSession, tmp_path: Path
) -> None:
    source = sw.files(str(write_files(tmp_path / "in", MINUTE)), files_per_batch=1)
    sink = sw.memory()
    query = per_key(source).query("q", sw.slack("2 s"), sink=sink)
    handle = sw.pipeline(query).run(str(tmp_path / "ck"), flush=True, spark=spark)
    assert answers(sink) == replayed(query, MINUTE)
    batches = [e for e in handle.events() if e["event"] == "batch"]
    assert [e["streams"]["r"]["rows"] for e in batches] == [4, 4, 3, 2, 0]
    assert sum(e["queries"]["q"]["dropped"] for e in batches) == 3


@pytest.mark.spec("qddh:F053")
def test_plain_structured_streaming_with_the_same_delay_gives_the_same(
    spark: SparkSession, tmp_path: Path
) -> None:
    """The native watermark is fixed slack: where neither drops a row, both give the same.

    (Spark filters late rows by the watermark of the batch before last, so it takes some rows a
    batch longer; with a slack that suffices the difference does not show.)
    """
    folder = write_files(tmp_path / "in", [*MINUTE, batch((500, 9, 0))])
    frame = spark.readStream.schema("ts timestamp, k long, v long")
    frame = frame.option("maxFilesPerTrigger", 1).parquet(str(folder))
    native = (
        frame.withWatermark("ts", "15 seconds")
        .groupBy(F.window("ts", "10 seconds", "5 seconds"), "k")
        .agg(F.count("*").alias("n"), F.sum("v").alias("s"))
        .selectExpr("window.start AS window_start", "window.end AS window_end", "k", "n", "s")
    )
    writer = native.writeStream.format("memory").queryName("native").outputMode("append")
    writer.option("checkpointLocation", str(tmp_path / "nck")).trigger(availableNow=True)
    writer.start().awaitTermination()
    sink = sw.memory()
    query = per_key(frame, "10 s", "5 s").query("q", sw.slack("15 s"), sink=sink)
    sw.pipeline(query).run(str(tmp_path / "ck"), spark=spark)
    ours, theirs = rows(sink.table()), rows(spark.table("native").toArrow())
    assert ours == theirs
    assert len(ours) > 10


def test_a_stream_goes_on_where_it_stopped(spark: SparkSession, tmp_path: Path) -> None:
    whole = write_files(tmp_path / "whole", MINUTE)
    growing = write_files(tmp_path / "growing", MINUTE[:2])
    out = str(tmp_path / "out")
    schema = {"ts": "timestamp", "k": "bigint", "v": "bigint"}

    def go(folder: Path, checkpoint: str, sink: Any, **options: Any) -> None:
        source = sw.files(str(folder), schema=schema, files_per_batch=1)
        query = per_key(source).query("q", sw.slack("2 s"), sink=sink, late="revise")
        sw.pipeline(query).run(str(tmp_path / checkpoint), spark=spark, **options)

    undisturbed = sw.memory()
    go(whole, "one", undisturbed, flush=True)
    go(growing, "two", sw.parquet(out))
    for path in sorted(whole.glob("*.parquet"))[2:]:
        shutil.copy2(path, growing)
    go(growing, "two", sw.parquet(out), flush=True)
    again = sw.memory()
    again.batches[0] = pq.read_table(out).drop_columns(["batch"])
    assert answers(again) == answers(undisturbed)
    with pytest.raises(sw.CheckpointError, match="CHECKPOINT_SEALED"):
        go(growing, "two", sw.parquet(out))


def test_two_streams_and_two_queries_share_one_pipeline(
    spark: SparkSession, tmp_path: Path
) -> None:
    sinks = [sw.memory(), sw.memory(), sw.memory()]
    left = sw.files(str(write_files(tmp_path / "left", MINUTE)), files_per_batch=1)
    right = sw.files(str(write_files(tmp_path / "right", MINUTE[2:])), files_per_batch=1)
    a = sw.stream("a", left, time="ts", max_ahead=None).window("10 s").group_by("k")
    b = sw.stream("b", right, time="ts", max_ahead=None).where("v > 4").window("20 s", "5 s")
    queries = [
        a.aggregate(n="count(*)", s="sum(v)").query("a_now", sw.slack(0), sink=sinks[0]),
        a.aggregate(top="max(v)").query("a_late", sw.slack("30 s"), sink=sinks[1]),
        b.aggregate(s="sum(v)").query("b", sw.slack("1 s"), sink=sinks[2]),
    ]
    pipeline = sw.pipeline(*queries)
    assert "1 base state shared" in pipeline.explain()
    handle = pipeline.run(str(tmp_path / "ck"), flush=True, spark=spark)
    first = next(e for e in handle.events() if e["event"] == "batch")
    assert set(first["streams"]) == {"a", "b"}
    assert answers(sinks[0]) == replayed(queries[0], MINUTE)
    assert answers(sinks[1]) == replayed(queries[1], MINUTE)
    assert answers(sinks[2]) == replayed(queries[2], MINUTE[2:])


def test_a_pipeline_changes_its_tier_while_it_runs(spark: SparkSession, tmp_path: Path) -> None:
    """Runs written by one tier are read by the other; answers do not change."""
    sink = sw.memory()
    stream = readings().window("10 s", "5 s").group_by("k").aggregate(n="count(*)", sd="stddev(v)")
    query = stream.query("q", sw.slack("2 s"), sink=sink, late="revise")
    loop = make_loop(spark, (query,), tmp_path, tier="columnar")
    tiers = []
    for number, (table, pin) in enumerate(
        zip(MINUTE, ["spark", "columnar", "spark", None], strict=True)
    ):
        loop.pin = pin  # type: ignore[assignment]
        tiers.append(loop.state.tier)
        loop.process(frame(spark, loop, table), number)
    loop.finish()
    loop.close()
    assert tiers == ["columnar", "spark", "columnar", "spark"]
    assert answers(sink) == replayed(query, MINUTE)
    told = [e for e in log.read(loop.checkpoint.events) if e["event"] == "tier"]
    assert [e["tier"] for e in told] == ["spark", "columnar", "spark", "columnar"]


def test_large_state_moves_to_the_spark_tier_and_back(spark: SparkSession, tmp_path: Path) -> None:
    sink = sw.memory()
    query = readings().window("10 s").group_by("v").aggregate(n="count(*)").query("q", sink=sink)
    many = [batch(*((t, 0, v) for v in range(12))) for t in (1, 2, 3, 14, 15)]
    loop = run(spark, (query,), many, tmp_path, columnar_rows=30)
    told = [e for e in log.read(loop.checkpoint.events) if e["event"] == "tier"]
    assert [e["tier"] for e in told] == ["spark", "columnar"]
    assert answers(sink) == replayed(query, many)


def test_sketches_are_close_and_equal_in_both_tiers(spark: SparkSession, tmp_path: Path) -> None:
    rows = [(t / 100, t % 2, (t * 7919) % 1009) for t in range(4000)]
    batches = [batch(*rows[i : i + 1000]) for i in range(0, 4000, 1000)]
    exact = {}
    found: dict[str, list[Any]] = {}
    for tier in ("columnar", "spark"):
        sink = sw.memory()
        stream = (
            readings()
            .window("40 s", "20 s")
            .group_by("k")
            .aggregate(d="approx_count_distinct(v)", m="approx_percentile(v, 0.9)")
        )
        query = stream.query("q", sink=sink)
        run(spark, (query,), batches, tmp_path / tier, tier=tier)
        found[tier] = answers(sink)
        exact = {r[1:]: r for r in replayed(query, batches)}
    assert [dict(r)["d"] for r in found["columnar"]] == [dict(r)["d"] for r in found["spark"]]
    truth = {(r["window_start"], r["k"]): r for r in map(dict, exact.values())}
    for row in [dict(r) for tier in found.values() for r in tier]:
        expected = truth[row["window_start"], row["k"]]
        assert abs(row["d"] - expected["d"]) <= 0.05 * expected["d"]
        assert abs(row["m"] - expected["m"]) <= 0.03 * 1009


def test_a_function_that_nobody_knows_is_told_before_the_start(
    spark: SparkSession, tmp_path: Path
) -> None:
    source = sw.files(str(write_files(tmp_path / "in", MINUTE[:1])))
    stream = sw.stream("r", source, time="ts").where("no_such_function(v) > 1")
    query = stream.window("1 s").aggregate(n="count(*)").query("q", sink=sw.memory())
    with pytest.raises(sw.QueryError, match=r"no_such_function\(\) is not offered"):
        sw.pipeline(query).start(str(tmp_path / "ck"), spark=spark)


def test_a_static_frame_is_not_a_stream(spark: SparkSession, tmp_path: Path) -> None:
    query = per_key(spark.createDataFrame(MINUTE[0])).query("q", sink=sw.memory())
    with pytest.raises(sw.SourceError, match="SOURCE_NOT_STREAMING"):
        sw.pipeline(query).start(str(tmp_path / "ck"), spark=spark)


def test_a_checkpoint_remembers_which_rows_its_sources_give(
    spark: SparkSession, tmp_path: Path
) -> None:
    def go(seed: int, rows: int) -> None:
        source = sw.generator(100, rows_per_batch=100, total_rows=rows, seed=seed)
        counts = sw.stream("r", source, time="ts").window("1 s").aggregate(n="count(*)")
        sw.pipeline(counts.query("q", sink=sw.memory())).run(str(tmp_path / "ck"), spark=spark)

    go(seed=1, rows=200)
    go(seed=1, rows=300)  # how many is a matter of pace, which may change
    with pytest.raises(sw.CheckpointError, match=r"CHECKPOINT_OTHER_QUERY.*seed"):
        go(seed=2, rows=300)
