"""Questions about whole windows beside plain Spark: seconds for all rows, equal answers.

Readings of some sensors in Parquet files, a file a batch; one question after the other:

* ``above half``: how many values of a window are above half of its largest (a correlated
  aggregate). Spark has no such step in a stream: it collects the values of each window into a list
  and filters that;
* ``median``: an exact one, beside a sum;
* ``distinct``: an exact count of values.

Ours is durable and writes Parquet files; so is Spark's stream (``stream``, append mode). ``once``
is Spark over all files as one batch job, as people write it in SQL. DuckDB judges all answers.

    python benchmarks/whole.py [ROWS] [--sensors N] [--json FILE]      # 5,000,000 rows, 100 sensors
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import slackwater as sw
from slackwater.bench import native
from slackwater.query.stream import Stream, Windowed
from slackwater.units import SECOND

BEGIN = 1_767_225_600 * SECOND
FILES, LENGTH = 10, 60  # batches, seconds of event time in each
SCHEMA = "ts timestamp, key bigint, v bigint"
WINDOW = "60 seconds"


@dataclass(frozen=True)
class Question:
    """A question as each of them is asked."""

    name: str
    ours: Callable[[Windowed], Stream]
    streamed: Callable[[Any], DataFrame]  # grouped rows of plain Spark to its answers
    once: str  # SQL over ``rows``, for Spark and DuckDB alike but for what stands in ``words``
    words: tuple[str, str] = ("", "")


QUESTIONS = (
    Question(
        "above half",
        lambda w: w.relate("SELECT count(*) AS n FROM window WHERE v > "
                           "(SELECT max(v) / 2 FROM window)"),
        lambda g: g.agg(F.collect_list("v").alias("l")).select(
            "window", "key", F.expr("size(filter(l, x -> x > array_max(l) / 2)) AS n")),
        "SELECT begun, key, count(*) AS n FROM rows AS r WHERE v > "
        "(SELECT max(v) / 2 FROM rows AS s WHERE s.begun = r.begun AND s.key = r.key) "
        "GROUP BY begun, key",
    ),
    Question(
        "median",
        lambda w: w.aggregate(n="median(v)"),
        lambda g: g.agg(F.expr("median(v) AS n")).select("window", "key", "n"),
        "SELECT begun, key, median(v) AS n FROM rows GROUP BY begun, key",
    ),
    Question(
        "distinct",
        lambda w: w.aggregate(n="count(DISTINCT v)"),
        lambda g: g.agg(F.collect_set("v").alias("s")).select(
            "window", "key", F.expr("size(s) AS n")),
        "SELECT begun, key, count(DISTINCT v) AS n FROM rows GROUP BY begun, key",
    ),
)  # fmt: skip


def write(folder: Path, rows: int, sensors: int) -> None:
    """One file for each batch; event times are in order but for some seconds."""
    for number in range(FILES):
        draw, each = np.random.default_rng(number), rows // FILES
        late = draw.integers(0, 5 * SECOND, each)
        times = BEGIN + number * LENGTH * SECOND + draw.integers(0, LENGTH * SECOND, each) - late
        table = pa.table(
            {
                "ts": pa.array(times, pa.timestamp("us", "UTC")),
                "key": pa.array(draw.integers(0, sensors, each), pa.int64()),
                "v": pa.array(draw.integers(0, 1_000_000, each), pa.int64()),
            }
        )
        pq.write_table(table, folder / f"{number:03}.parquet")


def ours(spark: SparkSession, asked: Question, data: Path, folder: Path) -> float:
    rows = sw.stream("r", sw.files(str(data), format="parquet", files_per_batch=1), time="ts")
    query = asked.ours(rows.window(WINDOW).group_by("key"))
    done = sw.pipeline(query.query("q", sw.slack("10 s"), sink=sw.parquet(str(folder / "out"))))
    began = perf_counter()
    done.run(str(folder / "checkpoint"), spark=spark, flush=True)
    return perf_counter() - began


def streamed(spark: SparkSession, asked: Question, data: Path, folder: Path) -> float:
    rows = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).parquet(str(data))
    grouped = rows.withWatermark("ts", "10 seconds").groupBy(F.window("ts", WINDOW), "key")
    found = asked.streamed(grouped).select(F.col("window.start").alias("window_start"), "key", "n")
    began = perf_counter()
    native.drain(spark, found, folder, "rocksdb", tuned=True)
    return perf_counter() - began


def once(spark: SparkSession, asked: Question, data: Path, folder: Path) -> float:
    began = perf_counter()
    rows = spark.read.schema(SCHEMA).parquet(str(data))
    rows.withColumn("begun", F.window("ts", WINDOW)["start"]).createOrReplaceTempView("rows")
    spark.sql(asked.once).withColumnRenamed("begun", "window_start").write.parquet(
        str(folder / "results")
    )
    return perf_counter() - began


def same(found: Path, asked: Question, data: Path, closed: bool) -> bool:
    """Whether answers are DuckDB's; a stream of Spark's leaves the last windows open."""
    duck = duckdb.connect()
    duck.execute("SET TimeZone = 'UTC'")
    duck.execute(
        f"CREATE VIEW rows AS SELECT *, time_bucket(INTERVAL '{WINDOW}', ts) AS begun "
        f"FROM read_parquet('{data}/*.parquet')"
    )
    duck.execute(
        "CREATE TABLE answers AS SELECT epoch_us(window_start) AS begun, key, n::DOUBLE AS n "
        f"FROM read_parquet('{found}/**/*.parquet', hive_partitioning=false)"
    )
    limit = "" if closed else "WHERE begun <= (SELECT max(begun) FROM answers)"
    wanted = f"SELECT epoch_us(begun) AS begun, key, n::DOUBLE AS n FROM ({asked.once})"
    one, other = f"SELECT * FROM ({wanted}) {limit}", "SELECT begun, key, n FROM answers"
    pairs = ((one, other), (other, one))
    return not any(duck.execute(f"({a}) EXCEPT ALL ({b})").fetchall() for a, b in pairs)


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("rows", nargs="?", type=int, default=5_000_000)
    given.add_argument("--sensors", type=int, default=100)
    given.add_argument("--json", type=Path)
    options = given.parse_args()
    cases = []
    spark = sw.local_session(cores=2)
    with tempfile.TemporaryDirectory() as place:
        data = Path(place) / "data"
        data.mkdir()
        write(data, options.rows, options.sensors)
        for asked in QUESTIONS:
            case: dict[str, Any] = {"question": asked.name, "rows": options.rows}
            for name, way in (("ours", ours), ("stream", streamed), ("once", once)):
                folder = Path(place) / f"{name}-{asked.name.replace(' ', '-')}"
                case[f"{name}_s"] = round(way(spark, asked, data, folder), 2)
                results = folder / ("out" if name == "ours" else "results")
                case[f"{name}_equal"] = same(results, asked, data, closed=name != "stream")
            cases.append(case)
            print(json.dumps(case), flush=True)
    spark.stop()
    if options.json:
        options.json.write_text(json.dumps({"bench": "whole", "cases": cases}, indent=2))


if __name__ == "__main__":
    main()
