"""Expressions over aggregates, sums that overflow, and restarts: both tiers as plain Spark."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.execute.loop import Loop
from slackwater.execute.sinks import MemorySink
from slackwater.query.schema import Schema
from slackwater.query.stream import Query, Stream, StreamDef
from slackwater.replay.interpreter import Interpreter
from slackwater.spark.pipeline import Pipeline
from tests.spark.driver import frame, make_loop

START = datetime(2026, 1, 4, 23, 59, 50, tzinfo=UTC)  # a Sunday
MOST = 2**63 - 1
LONGEST = 10**38 - 1
# exact aggregates, and what Spark is asked instead where its order is that of arrival
EXACT = {
    "median(v)": "median(v)",
    "median(d)": "median(d)",
    "percentile(x, 0.3)": "percentile(x, 0.3)",
    "percentile(w, 0.9) - percentile(w, 0.1)": "percentile(w, 0.9) - percentile(w, 0.1)",
    "percentile(x / 3, 0.37)": "percentile(x / 3, 0.37)",
    "median(v) FILTER (WHERE v > 2)": "median(v) FILTER (WHERE v > 2)",
    "count(DISTINCT s)": "count(DISTINCT s)",
    "count(DISTINCT s, v % 2)": "count(DISTINCT s, v % 2)",
    "count(DISTINCT CASE WHEN v > 2 THEN s END)": "count(DISTINCT s) FILTER (WHERE v > 2)",
    "collect_list(d)": "sort_array(collect_list(d))",
    "array_agg(v % 2)": "sort_array(array_agg(v % 2))",
    "collect_set(v % 2)": "sort_array(collect_set(v % 2))",
    "collect_list(v) FILTER (WHERE v > 99)": "collect_list(v) FILTER (WHERE v > 99)",
    "first(s)": "min_by(s, ts)",
    "last(w)": "max_by(w, ts)",
    "last(v) FILTER (WHERE v < 4)": "max_by(v, ts) FILTER (WHERE v < 4)",
    "sum(v) / median(v)": "sum(v) / median(v)",
}
SCHEMA = pa.schema(
    [
        ("ts", pa.timestamp("us", "UTC")),
        ("k", pa.int32()),
        ("v", pa.int32()),
        ("w", pa.int64()),
        ("x", pa.float64()),
        ("d", pa.decimal128(10, 2)),
        ("huge", pa.decimal128(38, 0)),
        ("s", pa.string()),
    ]
)
Row = tuple[Any, ...]


def rows(*seconds: float, key: int = 1) -> list[Row]:
    return [
        (
            *(START + timedelta(seconds=at), key, n + 2, MOST - n, 2.5 + n),
            *(Decimal("1.25"), Decimal(LONGEST - n), f"{n}.5x"),
        )
        for n, at in enumerate(seconds)
    ]


BATCHES = [
    rows(0, 1, 2.5) + rows(1, key=2),
    rows(3, 4) + rows(12, 13, key=2),
    rows(11, 14) + rows(2, 15, key=2),
    rows(21, 22) + rows(23, key=3),
    rows(60, key=9),
]
# every one of these gave something else, or nothing, where DuckDB answered
ANSWERS = (
    "cast(avg(v) as int)",
    "cast(sum(x) * 1e9 as int)",
    "cast(max(s) as int)",
    "cast(substring(max(s), 1, 3) as int)",
    "cast(max(ts) as bigint)",
    "cast(max(ts) as string)",
    "cast(avg(x) * 1e9 as string)",
    "cast(avg(x) / 1e6 as string)",
    "dayofweek(max(ts))",
    "weekday(max(ts))",
    "substring(max(s), 0, 2)",
    "ln(count(*) - count(*))",
    "count(*) % (count(*) - count(*))",
    "count(*) div (count(*) - count(*))",
    "count(*) / (count(*) - count(*))",
    "max(w) + 1",
    "max(w) * 2",
    "abs(-max(w) - 1)",
    "-max(v) - 2147483647",
    "max(v) = '3'",
    "max(s) > 1",
    "pmod(-max(v), 2)",
    "bround(avg(x), 1)",
    "round(avg(x) + 0.175, 2)",
    "nanvl(avg(x), 1)",
    "unix_timestamp(max(ts))",
    "timestamp_seconds(max(v))",
    "make_date(2024, max(v), 30)",
    "avg(d + v)",
    "avg(cast(d - v as decimal(20,6)))",
    "sum(d) / count(*)",
    "sum(d) * max(v)",
    "max(ts) + interval 1 month",
    "least(max(v), null)",
)


TABLES = [
    pa.Table.from_pylist([dict(zip(SCHEMA.names, row, strict=True)) for row in batch], SCHEMA)
    for batch in BATCHES
]
COLUMNS = Schema.of(
    ts="timestamp", k="int", v="int", w="bigint", x="double", d="decimal(10,2)",
    huge="decimal(38,0)", s="string",
)  # fmt: skip
TIERS = ("columnar", pytest.param("spark", marks=pytest.mark.slow))


def stream() -> Stream:
    return Stream(StreamDef("r", COLUMNS, "ts", max_ahead=None))


def driven(spark: SparkSession, query: Query, folder: Path, tier: str, cut: int = 2) -> Loop:
    """All batches, with a restart between two of them."""
    empty = {"r": SCHEMA.empty_table()}
    for first, last in ((0, cut), (cut, len(TABLES))):
        loop = make_loop(spark, (query,), folder, empty=empty, tier=tier)
        try:
            for number in range(first, last):
                loop.process(frame(spark, loop, TABLES[number], empty), number)
            if last == len(TABLES):
                loop.finish()
        finally:
            loop.close()
    return loop


def plain(spark: SparkSession, *texts: str) -> list[Row]:
    """Text of SELECTs, one over the next, as Spark itself answers them over all rows at once."""
    session = spark.newSession()
    session.conf.set("spark.sql.ansi.enabled", "false")
    session.createDataFrame(pa.concat_tables(TABLES)).createOrReplaceTempView("input")
    for text in texts:
        session.sql(text).createOrReplaceTempView("input")
    return sorted((_row(row.asDict()) for row in session.table("input").collect()), key=repr)


def told(sink: MemorySink, *names: str) -> list[Row]:
    """The newest answer for each window and key."""
    newest: dict[Any, dict[str, Any]] = {}
    table = sink.table()
    assert table is not None
    for row in sorted(table.to_pylist(), key=lambda row: row["revision"]):
        newest[row["window_start"], row.get("k")] = {name: row[name] for name in names}
    return sorted((_row(row) for row in newest.values()), key=repr)


def _row(row: dict[str, Any]) -> Row:
    """Values that compare exactly, whatever zone an instant is told in."""
    plain = (
        value.replace(tzinfo=value.tzinfo or UTC).astimezone(UTC)
        if isinstance(value, datetime)
        else repr(value)
        if isinstance(value, float)
        else value
        for value in row.values()
    )
    return tuple(plain)


@pytest.mark.parametrize("tier", TIERS)
def test_an_answer_means_what_spark_means_in_both_tiers(
    spark: SparkSession, tmp_path: Path, tier: str
) -> None:
    values = {f"a{number}": text for number, text in enumerate(ANSWERS)}
    sink = MemorySink()
    query = stream().window("10 s").group_by("k").aggregate(**values)
    driven(spark, query.query("q", sw.slack("20 s"), sink=sink), tmp_path, tier)
    texts = ", ".join(f"{text} AS {name}" for name, text in values.items())
    wanted = plain(spark, f"SELECT {texts} FROM input GROUP BY window(ts, '10 seconds'), k")
    for number, text in enumerate(ANSWERS):
        found = sorted((row[number] for row in told(sink, *values)), key=repr)
        assert found == sorted((row[number] for row in wanted), key=repr), text


@pytest.mark.parametrize("tier", TIERS)
def test_exact_aggregates_mean_what_spark_means_in_both_tiers(
    spark: SparkSession, tmp_path: Path, tier: str
) -> None:
    values = {f"a{number}": text for number, text in enumerate(EXACT)}
    sink = MemorySink()
    query = stream().where("v IS NULL OR v <> 77").window("10 s").group_by("k").aggregate(**values)
    driven(spark, query.query("q", sw.slack("20 s"), sink=sink), tmp_path, tier)
    texts = ", ".join(f"{text} AS a{number}" for number, text in enumerate(EXACT.values()))
    wanted = plain(spark, f"SELECT {texts} FROM input GROUP BY window(ts, '10 seconds'), k")
    for number, text in enumerate(EXACT):
        found = sorted((row[number] for row in told(sink, *values)), key=repr)
        assert found == sorted((row[number] for row in wanted), key=repr), text


@pytest.mark.parametrize("tier", TIERS)
def test_sql_over_windows_means_what_spark_means_in_both_tiers(
    spark: SparkSession, tmp_path: Path, tier: str
) -> None:
    """Plain Spark has no such step in a stream; over all rows at once it says the same."""
    sink = MemorySink()
    sql = (
        "SELECT count(*) AS n, sum(d) AS d, max(s) AS s, median(v / 3) AS m FROM window w "
        "WHERE v >= (SELECT avg(v) FROM window) AND EXISTS "
        "(SELECT 1 FROM window o WHERE o.v < w.v)"
    )
    query = stream().window("10 s").group_by("k").relate(sql)
    driven(spark, query.query("q", sw.slack("20 s"), sink=sink), tmp_path, tier)
    kept = "v >= mean AND v > low"
    wanted = plain(
        spark,
        "SELECT *, avg(v) OVER w AS mean, min(v) OVER w AS low FROM "
        "(SELECT *, window(ts, '10 seconds').start AS at FROM input) "
        "WINDOW w AS (PARTITION BY at, k)",
        f"SELECT count(CASE WHEN {kept} THEN 1 END) AS n, sum(CASE WHEN {kept} THEN d END) AS d, "
        f"max(CASE WHEN {kept} THEN s END) AS s, median(CASE WHEN {kept} THEN v / 3 END) AS m "
        "FROM input GROUP BY at, k",
    )
    assert told(sink, "n", "d", "s", "m") == wanted


@pytest.mark.parametrize("tier", TIERS)
def test_a_second_level_means_what_spark_means_in_both_tiers(
    spark: SparkSession, tmp_path: Path, tier: str
) -> None:
    """Keys, filters and arguments above the first level are computed by DuckDB, too."""
    sink = MemorySink()
    below = stream().window("10 s").group_by("k").aggregate(m="avg(x)", t="max(s)", l="max(w)")
    above = below.where("ln(k - 1) IS NULL OR t > 0").select(
        "dayofweek(window_start) AS day", "cast(m as int) AS m", "l + 1 AS l", "window_end"
    )
    values = {"n": "count(*)", "a": "sum(m)", "b": "sum(l)", "c": "max(cast(window_end as string))"}
    query = above.window("20 s").group_by("day").aggregate(**values)
    driven(spark, query.query("q", sw.slack("20 s"), sink=sink), tmp_path, tier)
    texts = ", ".join(f"{text} AS {name}" for name, text in values.items())
    wanted = plain(
        spark,
        "SELECT window.start AS window_start, window.end AS window_end, k, avg(x) AS m, "
        "max(s) AS t, max(w) AS l FROM input GROUP BY window(ts, '10 seconds'), k",
        "SELECT dayofweek(window_start) AS day, cast(m as int) AS m, l + 1 AS l, window_end, "
        "window_end - interval 1 microsecond AS at FROM input WHERE ln(k - 1) IS NULL OR t > 0",
        f"SELECT {texts} FROM input GROUP BY window(at, '20 seconds'), day",
    )
    assert told(sink, *values) == wanted


@pytest.mark.parametrize("late", ["drop", "revise"])
@pytest.mark.parametrize("tier", TIERS)
def test_sums_that_overflow_wrap_or_become_null_and_the_stream_goes_on(
    spark: SparkSession, tmp_path: Path, tier: str, late: str
) -> None:
    """Whole numbers wrap around and decimals become null, across batches, panes and a restart."""
    sink = MemorySink()
    values = {"whole": "sum(w)", "exact": "sum(huge)", "few": "sum(d)", "n": "count(*)"}
    query = stream().window("10 s", "5 s").group_by("k").aggregate(**values)
    slack = "20 s" if late == "drop" else "0 s"
    terms = {"late": late, **({"keep": "1 hour"} if late == "revise" else {})}
    driven(spark, query.query("q", sw.slack(slack), sink=sink, **terms), tmp_path, tier)
    texts = ", ".join(f"{text} AS {name}" for name, text in values.items())
    wanted = plain(
        spark, f"SELECT {texts} FROM input GROUP BY window(ts, '10 seconds', '5 seconds'), k"
    )
    found = told(sink, *values)
    assert found == wanted
    assert any(row[0] < 0 for row in found)
    assert any(row[1] is None for row in found)


@pytest.mark.parametrize("tier", TIERS)
def test_a_second_level_of_sums_overflows_the_same_way(
    spark: SparkSession, tmp_path: Path, tier: str
) -> None:
    sink = MemorySink()
    below = stream().window("10 s").group_by("k").aggregate(w="max(w)", huge="max(huge)")
    above = below.window("1 minute").aggregate(whole="sum(w)", exact="sum(huge)", n="count(*)")
    driven(spark, above.query("q", sw.slack("20 s"), sink=sink), tmp_path, tier)
    wanted = plain(
        spark,
        "SELECT window.start AS a, max(w) AS w, max(huge) AS huge FROM input "
        "GROUP BY window(ts, '10 seconds'), k",
        "SELECT sum(w) AS whole, sum(huge) AS exact, count(*) AS n FROM input "
        "GROUP BY window(a, '1 minute')",
    )
    assert told(sink, "whole", "exact", "n") == wanted


def test_estimates_of_sums_that_overflow_are_told(spark: SparkSession, tmp_path: Path) -> None:
    sink = MemorySink()
    query = stream().window("10 s").group_by("k").aggregate(whole="sum(w)", exact="sum(huge)")
    often = [sw.estimates(every="1 s", where="whole < 0 AND exact IS NULL AND k % 0 IS NULL")]
    driven(
        spark, query.query("q", sw.slack("20 s"), sink=sink, estimates=often), tmp_path, "columnar"
    )
    table = sink.table()
    assert table is not None
    estimates = [row for row in table.to_pylist() if row["kind"] == "estimate"]
    assert estimates
    assert all(row["whole"] < 0 and row["exact"] is None for row in estimates)


def test_the_interpreter_means_the_same(spark: SparkSession) -> None:
    values = {f"a{number}": text for number, text in enumerate(ANSWERS)}
    values |= {"whole": "sum(w)", "exact": "sum(huge)"}
    query = stream().window("10 s").group_by("k").aggregate(**values)
    plan = Pipeline((query.query("q", sw.slack("20 s")),)).plan.queries[0]
    interpreter = Interpreter(plan, "ts")
    found = [row for table in TABLES for row in interpreter.feed(table)] + interpreter.finish()
    interpreter.close()
    texts = ", ".join(f"{text} AS {name}" for name, text in values.items())
    wanted = plain(spark, f"SELECT {texts} FROM input GROUP BY window(ts, '10 seconds'), k")
    ours = sorted((_row({name: row[name] for name in values}) for row in found), key=repr)
    assert ours == wanted
