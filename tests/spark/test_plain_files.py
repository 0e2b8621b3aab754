"""Files that are read where they are worked on: the same results, and Spark reads what is odd."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pyarrow.csv as pcsv
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.control.records import Policy
from slackwater.events import log
from slackwater.query.stream import Query
from slackwater.runs.offsets import SparkLog
from slackwater.spark.read.plain import Plain

SCHEMA = {"ts": "timestamp", "k": "bigint", "v": "double"}
SECOND = 1_000_000


def rows(random: Random, number: int) -> pa.Table:
    times = [(4 * number + random.randrange(-3, 9)) * SECOND for _ in range(50)]
    return pa.table(
        {
            "ts": pa.array([max(0, t) for t in times], pa.timestamp("us", "UTC")),
            "k": pa.array([random.choice([1, 2, 3, None]) for _ in times], pa.int64()),
            "v": pa.array([random.choice([None, -0.5, n]) for n in range(50)], pa.float64()),
        }
    )


def write(table: pa.Table, file: Path, age: int) -> None:
    """A file as others would write it; batches take the oldest first."""
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.suffix == ".parquet":
        pq.write_table(table, file)
    elif file.suffix == ".csv":
        naive = table.set_column(0, "ts", table["ts"].cast(pa.timestamp("us")))
        pcsv.write_csv(naive, file)
    else:
        text = table.set_column(0, "ts", table["ts"].cast(pa.timestamp("us")).cast(pa.string()))
        file.write_text("".join(_line(row) for row in text.to_pylist()))
    os.utime(file, (1_000_000 + age, 1_000_000 + age))


def _line(row: dict[str, Any]) -> str:
    shown = {k: f'"{v}"' if isinstance(v, str) else v for k, v in row.items() if v is not None}
    return "{" + ", ".join(f'"{k}": {v}' for k, v in shown.items()) + "}\n"


def files(folder: Path, kind: str, seed: int, count: int = 5) -> Path:
    random = Random(seed)
    for number in range(count):
        write(rows(random, number), folder / f"{number}.{kind}", number)
    return folder


def queries(folder: Path, kind: str) -> tuple[Query, ...]:
    stream = sw.stream(
        "r", sw.files(folder / "r", kind, schema=SCHEMA, files_per_batch=1), time="ts"
    )
    other = sw.stream(
        "o", sw.files(folder / "other", kind, schema=SCHEMA, files_per_batch=1), time="ts"
    )
    totals = stream.where("v IS NULL OR v > 0").window("6 s", "2 s").group_by("k")
    pairs = sw.join(stream.named("a"), other.named("b"), on="k", within="1 s")
    return (
        totals.aggregate(n="count(*)", s="sum(v)").query("totals", sw.slack("2 s"), late="side"),
        pairs.select("a.v AS av", "b.v AS bv").query("pairs", sw.slack("2 s")),
    )


def told(spark: SparkSession, folder: Path, kind: str, ck: Path, tier: str) -> dict[str, Any]:
    handle = sw.pipeline(*queries(folder, kind)).run(str(ck), tier=tier, flush=True, spark=spark)
    found: dict[str, Any] = {}
    for file in sorted(ck.glob("[rs]*/*/batch=*/*.parquet")):
        if file.parts[-4] in ("results", "side"):
            table = pq.ParquetFile(file).read()
            shown = [n for n in table.column_names if n != "emitted_at"]
            place = str(file.parent.relative_to(ck))
            found.setdefault(place, Counter()).update(map(repr, table.select(shown).to_pylist()))
    batches = [event for event in handle.events() if event["event"] == "batch"]
    found["streams"] = [event["streams"] for event in batches]
    found["late"] = [{n: q["late"] for n, q in event["queries"].items()} for event in batches]
    return found


FEW = [("csv", "columnar"), ("json", "spark")]
MORE = [("csv", "spark"), ("json", "columnar"), ("parquet", "columnar"), ("parquet", "spark")]
MARKED = [pytest.param(*more, marks=pytest.mark.slow) for more in MORE]


@pytest.mark.parametrize(("kind", "tier"), [*FEW, *MARKED])
def test_results_are_those_of_files_that_spark_reads(
    spark: SparkSession, tmp_path: Path, kind: str, tier: str
) -> None:
    seed = Random().randrange(10**6)
    folder = tmp_path / "in"
    files(folder / "r", kind, seed)
    files(folder / "other", kind, seed + 1)
    with patch.object(Plain, "of", return_value=None):
        by_spark = told(spark, folder, kind, tmp_path / "spark", tier)
    with patch.object(Plain, "seen", autospec=True, side_effect=Plain.seen) as asked:
        here = told(spark, folder, kind, tmp_path / "here", tier)
    assert asked.call_count > 4
    assert any(place.startswith("results/pairs") for place in here)
    assert here == by_spark, seed


@pytest.mark.parametrize("tier", ["columnar", pytest.param("spark", marks=pytest.mark.slow)])
def test_a_file_that_may_mean_something_else_is_left_to_spark(
    spark: SparkSession, tmp_path: Path, tier: str
) -> None:
    folder = tmp_path / "in"
    files(folder / "r", "csv", 3)
    files(folder / "other", "csv", 4)
    odd = folder / "r" / "2.csv"
    odd.write_text(odd.read_text() + "1970-01-01 00:00:12,twelve,1.5\n")
    os.utime(odd, (1_000_002, 1_000_002))
    with patch.object(Plain, "of", return_value=None):
        by_spark = told(spark, folder, "csv", tmp_path / "spark", tier)
    assert told(spark, folder, "csv", tmp_path / "here", tier) == by_spark
    notices = [e for e in log.read(tmp_path / "here" / "events.jsonl") if e["event"] == "notice"]
    assert [(e["batch"], e["text"].split(":")[0]) for e in notices] == [
        (2, "Spark reads the files of this batch, which takes longer")
    ]


def test_spark_reads_what_has_options_or_types_of_its_own(
    spark: SparkSession, tmp_path: Path
) -> None:
    files(tmp_path, "csv", 1)
    for options, schema in (
        ({"mode": "DROPMALFORMED"}, SCHEMA),
        ({"cleanSource": "delete"}, SCHEMA),
        ({}, {**SCHEMA, "v": "interval day to second"}),
    ):
        source = sw.files(tmp_path, "csv", schema=schema, options=options)
        stream = sw.stream("r", source, time="ts")
        pipeline = sw.pipeline(stream.window("1 s").aggregate(n="count(v)").query("q"))
        assert plain_of(spark, pipeline) is None
    stream = sw.stream("r", sw.files(tmp_path, "csv", schema=SCHEMA), time="ts")
    grouped = stream.window("1 s")
    assert plain_of(spark, sw.pipeline(grouped.aggregate(n="count(v)").query("q"))) is not None
    sketched = grouped.aggregate(n="approx_count_distinct(v)").query("q")
    assert plain_of(spark, sw.pipeline(sketched)) is None


def plain_of(spark: SparkSession, pipeline: sw.Pipeline) -> Plain | None:

    sources = {name: one.source for name, one in pipeline._streams.items()}
    return Plain.of(spark, Policy(pipeline.plan), sources, SparkLog(Path("nowhere")))
