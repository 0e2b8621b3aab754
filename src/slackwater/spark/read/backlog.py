"""Rows that wait for an expensive query: written as they come, read when it is their turn.

They wait on disk in either tier, one run for each batch and input, ordered by queue and event time,
so that places in the run say which rows are meant.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import LongType, StructField, StructType

from slackwater.control.orders import Piece, rows_of
from slackwater.execute.backlog import places_of, read_part
from slackwater.execute.delta import Delta
from slackwater.execute.queues import queue_counts, seen_of, value_counts
from slackwater.plan.ranks import Ranking
from slackwater.plan.sql.dialect import SqlWriter
from slackwater.plan.sql.queues import QUEUE, queue_columns, seen_columns
from slackwater.plan.state import State
from slackwater.query.names import quoted
from slackwater.runs.run import Run
from slackwater.spark.parquet import described, read_runs, write_parquet
from slackwater.spark.session import few_cores

ODD = ("map", "variant", "interval")  # types of which Spark has no hash
FEW = 100_000  # rows that are handed over faster than Spark finds them
GROUP_BYTES = 4 << 20  # of a run: what is read at least for any row


def admit(
    rows: DataFrame, state: State, run: Run, folder: Path, ranking: Ranking | None = None
) -> Delta:
    """Write the new rows of a stream down as they are; only what tells them apart is looked at."""
    beside = Observation() if "__beat" in rows.columns else None
    if beside is not None:
        rows = rows.observe(beside, F.max("__beat").alias("beat"))
        rows = rows.where("__beat IS NULL").drop("__beat", "__one")
    one = rows.coalesce(1) if few_cores(rows.sparkSession) else rows.repartition(1)
    write_parquet(_queued(one, state, ranking), folder / run.path, group_bytes=GROUP_BYTES)
    seen = pq.read_table(folder / run.path, columns=seen_of(ranking))
    counts, values = queue_counts(seen, state), value_counts(seen, ranking)
    beat = None if beside is None else beside.get.get("beat")
    lows = [count.low for count in counts if count.low is not None]
    highs = [count.high for count in counts if count.high is not None]
    if not lows:
        shutil.rmtree(folder / run.path)
        return Delta(state, None, None, counts, beat, values=values)
    written = replace(described(run, folder), low=min(lows), high=max(highs))
    return Delta(state, None, written, counts, beat, values=values)


def _queued(rows: DataFrame, state: State, ranking: Ranking | None) -> DataFrame:
    """Rows in the order in which they wait, with the columns that say so."""
    if ranking is None:
        return rows.sortWithinPartitions(F.col("__ts").asc_nulls_last())
    writer = SqlWriter("spark")
    types = {field.name: field.dataType.simpleString() for field in rows.schema.fields}
    plain = [name for name, kind in types.items() if not any(odd in kind for odd in ODD)]
    draw = f"xxhash64({', '.join(map(quoted, plain))})"
    told = rows.selectExpr("*", *seen_columns(writer, ranking, state.input))
    told = told.selectExpr("*", *queue_columns(writer, ranking, draw))
    last = F.col("__ts").isNull()
    return told.sortWithinPartitions(last, *QUEUE, "__ts")


def chosen_rows(
    session: SparkSession,
    folder: Path,
    runs: Sequence[Run],
    pieces: Sequence[Piece],
    schema: StructType,
) -> DataFrame:
    """The rows of some pieces, for all cores to work on."""
    wanted = {piece.batch for piece in pieces}
    files = {run.batch: folder / run.path / name for run in runs for name in run.parts}
    rows = StructType([*schema.fields, StructField("__ts", LongType())])
    read = read_runs(session, folder, [run for run in runs if run.batch in wanted], rows)
    places = [(files[batch], first, end) for batch, first, end in places_of(pieces)]
    if rows_of(pieces) <= FEW:
        parts = [read_part(*place, rows.names) for place in places]
        return session.createDataFrame(pa.concat_tables(parts), rows)
    times = min(piece.low for piece in pieces), max(piece.high for piece in pieces)
    near = read.where(F.col("__ts").between(*times))  # other pages of a run are passed over
    return _only(session, near, places).select(*map(quoted, rows.names))


def _only(
    session: SparkSession, rows: DataFrame, places: Sequence[tuple[Path, int, int]]
) -> DataFrame:
    """Rows of files that Spark reads, by their places, in a piece for each core at least."""
    table = pa.table(
        {
            "__file": pa.array([file.name for file, _, _ in places], pa.string()),
            "__first": pa.array([first for _, first, _ in places], pa.int64()),
            "__end": pa.array([end for _, _, end in places], pa.int64()),
        }
    )
    file = rows.metadataColumn("_metadata")
    placed = rows.select("*", file["file_name"].alias("__of"), file["row_index"].alias("__row"))
    is_chosen = F.expr("__of = __file AND __row >= __first AND __row < __end")
    chosen = placed.join(F.broadcast(session.createDataFrame(table)), is_chosen, "leftsemi")
    return chosen.repartition(session.sparkContext.defaultParallelism)
