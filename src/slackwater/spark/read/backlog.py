"""Rows that wait for an expensive query: written as they come, read when it is their turn.

They wait on disk in either tier, one run for each batch, ordered by event time, so that places in
the run say which rows are meant.
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
from slackwater.execute.delta import Delta, pane_counts
from slackwater.plan.state import State
from slackwater.query.names import quoted
from slackwater.runs.run import Run
from slackwater.spark.parquet import described, read_runs, write_parquet
from slackwater.spark.session import few_cores

FEW = 100_000  # rows that are handed over faster than Spark finds them
GROUP_BYTES = 4 << 20  # of a run: what is read at least for any row


def admit(rows: DataFrame, state: State, run: Run, folder: Path) -> Delta:
    """Write the new rows of a stream down as they are; only their times are looked at."""
    beside = Observation() if "__beat" in rows.columns else None
    if beside is not None:
        rows = rows.observe(beside, F.max("__beat").alias("beat"))
        rows = rows.where("__beat IS NULL").drop("__beat", "__one")
    one = rows.coalesce(1) if few_cores(rows.sparkSession) else rows.repartition(1)
    ordered = one.sortWithinPartitions(F.col("__ts").asc_nulls_last())
    write_parquet(ordered, folder / run.path, group_bytes=GROUP_BYTES)
    times = pq.read_table(folder / run.path, columns=["__ts"])["__ts"]
    counts = pane_counts(times, state)
    beat = None if beside is None else beside.get.get("beat")
    lows = [count.low for count in counts if count.low is not None]
    highs = [count.high for count in counts if count.high is not None]
    if not lows:
        shutil.rmtree(folder / run.path)
        return Delta(state, None, None, counts, beat)
    written = replace(described(run, folder), low=min(lows), high=max(highs))
    return Delta(state, None, written, counts, beat)


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
