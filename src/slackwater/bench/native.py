"""The query in plain Structured Streaming: watermark, window, append mode, Parquet sink."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from slackwater.bench.cases import Case, Windowed
from slackwater.bench.data import open_frame
from slackwater.bench.measured import Measured, batch_times
from slackwater.spark.session import direct_checkpoint_files

_PROVIDER = "spark.sql.streaming.stateStore.providerClass"
_CHANGELOG = "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled"
_STATE = "org.apache.spark.sql.execution.streaming.state"

# Both stores in their best settings: RocksDB uploads changes, not whole snapshots, per batch.
STORES: dict[str, dict[str, str]] = {
    "hdfs": {_PROVIDER: f"{_STATE}.HDFSBackedStateStoreProvider"},
    "rocksdb": {_PROVIDER: f"{_STATE}.RocksDBStateStoreProvider", _CHANGELOG: "true"},
}


def run(
    spark: SparkSession, case: Case, data: Path, folder: Path, store: str, *, tuned: bool = False
) -> Measured:
    """Run the query over all files with one of the ``STORES``.

    Settings are Spark's own; ``tuned`` adds the one that Slackwater chooses for its streams, files
    of the checkpoint written without a fork.
    """
    return drain(spark, query(open_frame(spark, data), case), folder, store, tuned=tuned)


def drain(
    spark: SparkSession, rows: DataFrame, folder: Path, store: str, *, tuned: bool
) -> Measured:
    """Write a streaming frame to Parquet files until its sources are empty, in append mode."""
    for name, value in STORES[store].items():
        spark.conf.set(name, value)
    results = folder / "results"
    writer = (
        rows.writeStream.format("parquet")
        .outputMode("append")
        .option("path", f"file://{results}")
        .option("checkpointLocation", f"file://{folder}/checkpoint")
        .trigger(availableNow=True)
    )
    restore = direct_checkpoint_files(spark) if tuned else None
    query = writer.start()
    query.awaitTermination()
    if restore is not None:
        restore()
    seconds, parts = batch_times(query)
    return Measured(f"native-{store}", seconds, results, parts)


def drain_to(
    spark: SparkSession,
    rows: DataFrame,
    folder: Path,
    keep: Callable[[DataFrame, int], None],
    mode: str,
) -> Measured:
    """Hand a streaming frame to a function batch by batch, in any output mode, default store."""
    for name, value in STORES["hdfs"].items():
        spark.conf.set(name, value)
    writer = rows.writeStream.foreachBatch(keep).outputMode(mode)
    writer = writer.option("checkpointLocation", f"file://{folder}/checkpoint")
    query = writer.trigger(availableNow=True).start()
    query.awaitTermination()
    seconds, parts = batch_times(query)
    return Measured(f"native-{mode}", seconds, folder / "results", parts)


def chained(one: DataFrame, other: DataFrame, condition: str, window: int) -> DataFrame:
    """A join more: columns are called ``stream_column``, all event times at most a window apart."""
    name = other.columns[0].partition("_")[0]
    conditions = [condition]
    for column in one.columns:
        if column.endswith("_ts"):
            conditions.append(f"{column} <= {name}_ts + INTERVAL {window} SECONDS")
            conditions.append(f"{name}_ts <= {column} + INTERVAL {window} SECONDS")
    joined = one.join(other, F.expr(" AND ".join(conditions)))
    # one event-time column is all that Spark allows from here on: the other becomes a plain one
    return joined.withColumn(f"{name}_ts", F.expr(f"timestamp_micros(unix_micros({name}_ts))"))


def query(rows: DataFrame, case: Windowed, key: str = "key") -> DataFrame:
    """Sum and count by window and key."""
    window = F.window("ts", f"{case.size} seconds", f"{case.slide} seconds")
    return (
        rows.withWatermark("ts", f"{case.slack} seconds")
        .groupBy(window, key)
        .agg(F.sum("v").alias("total"), F.count("*").alias("n"))
        .select(
            F.col("window.start").alias("window_start"),
            F.col("window.end").alias("window_end"),
            key,
            "total",
            "n",
        )
    )
