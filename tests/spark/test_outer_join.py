"""Left outer joins beside Spark's own, and tables that Spark's rows look something up in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import slackwater as sw
from slackwater.control.records import Tier
from slackwater.query.stream import Query, Stream
from tests.execute.test_outer_join import shown
from tests.spark.driver import Batch, batch, frame, make_loop, readings
from tests.spark.test_pipeline import write_files

TIERS: tuple[Tier, ...] = ("columnar", "spark")
LEFT = [[(100 + n * 3 + part, part % 3, n) for part in (0, 1, 2)] for n in range(6)]
RIGHT = [[(101 + n * 3 + part, n % 2, 10 * n) for part in (0, 2)] for n in range(6)]
LAST = [(500, 9, 0)]


@pytest.mark.slow
def test_a_left_join_is_that_of_plain_structured_streaming(
    spark: SparkSession, tmp_path: Path
) -> None:
    def rows(name: str, batches: list[list[tuple[int, int, int]]]) -> DataFrame:
        folder = write_files(tmp_path / name, [batch(*some) for some in [*batches, LAST]])
        reader = spark.readStream.schema("ts timestamp, k long, v long")
        return reader.option("maxFilesPerTrigger", 1).parquet(str(folder))

    left, right = rows("l", LEFT), rows("r", RIGHT)
    marked = left.withWatermark("ts", "9 seconds").alias("l")
    near = "r.ts >= l.ts - INTERVAL 2 SECONDS AND r.ts <= l.ts + INTERVAL 4 SECONDS"
    native = marked.join(
        right.withWatermark("ts", "9 seconds").alias("r"),
        F.expr(f"l.k = r.k AND {near}"),
        "leftOuter",
    ).selectExpr("l.k AS k", "l.v AS lv", "unix_micros(l.ts) AS at", "r.v AS rv")
    writer = native.writeStream.format("memory").queryName("native_left").outputMode("append")
    writer.option("checkpointLocation", str(tmp_path / "nck")).trigger(availableNow=True)
    writer.start().awaitTermination()
    wanted = sorted(
        (tuple(r) for r in spark.table("native_left").collect() if r.at < 2e8), key=repr
    )
    assert sum(row[3] is None for row in wanted) > 2
    assert sum(row[3] is not None for row in wanted) > 5
    for tier in TIERS:
        sink = sw.memory()
        streams = (sw.stream(n, one, time="ts") for n, one in (("l", left), ("r", right)))
        joined = sw.join(*streams, on="k", within={"l": "4 s", "r": "2 s"}, how="left")
        told = joined.select("l.k AS k", "l.v AS lv", "unix_micros(l.ts) AS at", "r.v AS rv")
        query = told.query("q", sw.slack("9 s"), sink=sink)
        sw.pipeline(query).run(str(tmp_path / tier), spark=spark, tier=tier)
        ours = [row for row in shown(sink, "k", "lv", "at", "rv") if row[2] < 2e8]
        assert ours == wanted, tier


def _looking(spark: SparkSession, rows: Stream, other: Stream) -> tuple[Query, ...]:
    names = sw.table(
        "names", spark.createDataFrame([(1, "one"), (2, "two")], "k long, name string")
    )
    found = rows.lookup(names, on="k").where("coalesce(name, '?') <> 'two'")
    counted = found.window("5 s").group_by("names.name AS name").aggregate(n="count(*)")
    sketched = found.window("5 s").aggregate(n="approx_count_distinct(name)")
    joined = sw.join(found.named("a"), other, on="k", within="5 s")
    return (
        counted.query("counted"),
        sketched.query("sketched"),
        joined.select("a.names_name AS name", "s.v AS v").query("joined"),
    )


@pytest.mark.slow
@pytest.mark.parametrize("tier", TIERS)
def test_rows_of_spark_look_something_up(spark: SparkSession, tier: Tier, tmp_path: Path) -> None:
    sinks = {name: sw.memory() for name in ("counted", "sketched", "joined")}
    queries = tuple(
        replace(query, sink=sinks[query.name])
        for query in _looking(spark, readings(), readings(name="s"))
    )
    loop = make_loop(spark, queries, tmp_path, tier=tier)
    batches: list[Batch] = [
        {"r": batch((1, 1, 1), (2, 2, 2), (3, 3, 3)), "s": batch((1, 1, 7), (2, 2, 8))},
        {"r": batch((4, 1, 4)), "s": batch((4, 3, 9))},
    ]
    for number, tables in enumerate(batches):
        loop.process(frame(spark, loop, tables), number)
    loop.finish()
    loop.close()
    assert shown(sinks["counted"], "name", "n") == [("one", 2), (None, 1)]
    assert shown(sinks["sketched"], "n") == [(1,)]
    assert shown(sinks["joined"], "name", "v") == [("one", 7), ("one", 7), (None, 9)]
