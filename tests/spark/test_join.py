"""What is Spark's own about joins: types it has no room for, tiers that change."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.control.request import Request
from slackwater.errors import QueryError
from slackwater.query.schema import Schema
from slackwater.query.stream import Stream, StreamDef
from tests.execute.test_join import shown
from tests.spark.driver import batch, frame, make_loop, readings

TREES = ("(a (b c))", "(a b c)", "((a c) b)")


def test_keys_that_cannot_be_compared_or_kept_are_refused_by_name(
    spark: SparkSession, tmp_path: Path
) -> None:
    odd = "named odd"
    kinds = {"ts": "timestamp", "k": "bigint", "m": "map<bigint,bigint>"}
    rows = Stream(StreamDef("r", Schema.of(**kinds), "ts"))
    joined = sw.join(rows.named("a"), rows.named("b"), on="m", within="5 s").select("a.k AS k")
    with pytest.raises(QueryError, match=r"a_m.*map"):
        sw.pipeline(joined.query("q"))
    for folder, kind, arrow in (
        ("plain", "interval day to second", pa.duration("us")),
        ("within", "struct<i:interval day to second>", pa.struct([("i", pa.duration("us"))])),
    ):
        rows = Stream(StreamDef("r", Schema.of(ts="timestamp", **{odd: kind}), "ts"))
        grouped = rows.window("5 s").group_by(f"`{odd}`").aggregate(n="count(*)")
        empty = pa.schema({"ts": pa.timestamp("us", "UTC"), odd: arrow}).empty_table()
        with pytest.raises(QueryError, match=rf"(TYPE|SQL)_UNSUPPORTED.*{odd}.*interval"):
            make_loop(spark, (grouped.query("q"),), tmp_path / folder, empty={"r": empty})


def test_tier_and_tree_may_change_while_a_join_runs(spark: SparkSession, tmp_path: Path) -> None:
    sink = sw.memory()
    stream = sw.join(
        *(readings(name=name) for name in "abc"), on="k", within="9 s", order="((a b) c)"
    )
    query = stream.select("a.v AS av", "b.v AS bv", "c.v AS cv").query(
        "q", sw.min_recall(0.5, over="5 s"), sink=sink
    )
    loop = make_loop(spark, (query,), tmp_path)
    for number in range(6):
        loop.pin = "spark" if number % 2 else "columnar"
        rows = [(number, 1, 10 * number)]
        tables = {name: batch(*rows) for name in ("abc"[number % 3], "abc"[(number + 1) % 3])}
        loop.process(frame(spark, loop, tables), number)
        loop.inbox.put(Request(f"r{number}", "q", tree=TREES[number % 3]))
    loop.finish()
    loop.close()
    a, b, c = (
        [n for n in range(6) if name in ("abc"[n % 3], "abc"[(n + 1) % 3])] for name in "abc"
    )
    assert len(shown(sink, "av", "bv", "cv")) == len(a) * len(b) * len(c)
