"""Drive the loop by hand on Spark: micro-batches from Arrow tables, no stream, no waiting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from slackwater.execute.loop import Loop
from slackwater.plan.meaning import words
from slackwater.plan.stage import describe
from slackwater.query.stream import Query
from slackwater.runs.checkpoint import Checkpoint
from slackwater.spark.pipeline import Options, Pipeline
from slackwater.spark.read.streams import join_streams
from slackwater.spark.schemas import as_frame
from tests.driver import ARROW, ROWS, Batch, answers, batch, readings, replayed

__all__ = ["ARROW", "ROWS", "Batch", "answers", "batch", "readings", "replayed"]


def make_loop(
    session: SparkSession,
    queries: tuple[Query, ...],
    folder: Path,
    *,
    empty: Mapping[str, pa.Table] | None = None,
    **options: Any,
) -> Loop:
    """``empty`` has a table without rows for each stream with other columns than ``ROWS``."""
    pipeline = Pipeline(queries)
    none = {s.name: (empty or {}).get(s.name, batch()) for s in pipeline.plan.streams}
    frames = {name: as_frame(session, table) for name, table in none.items()}
    _, intake = join_streams(pipeline.plan, frames)
    meaning = describe(pipeline.plan)
    said = words(pipeline.queries, meaning)
    checkpoint = Checkpoint.open(folder, pipeline.plan.identity, meaning, said)
    return pipeline.loop(Options(**options), session, intake, checkpoint)


def frame(
    session: SparkSession, loop: Loop, tables: Batch, empty: Mapping[str, pa.Table] | None = None
) -> DataFrame:
    """A micro-batch as Spark would hand it over; one table is given to every stream."""
    names = [stream.name for stream in loop.policy.plan.streams]
    given = tables if isinstance(tables, dict) else dict.fromkeys(names, tables)
    none = {name: (empty or {}).get(name, batch()) for name in names}
    frames = {name: as_frame(session, given.get(name, none[name])) for name in names}
    return join_streams(loop.policy.plan, frames)[0]


def run(
    session: SparkSession,
    queries: tuple[Query, ...],
    batches: Sequence[Batch],
    folder: Path,
    *,
    flush: bool = True,
    **options: Any,
) -> Loop:
    """Feed the batches through one loop and end it."""
    loop = make_loop(session, queries, folder, **options)
    try:
        for number, table in enumerate(batches):
            loop.process(frame(session, loop, table), number)
        if flush:
            loop.finish()
    finally:
        loop.close()
    return loop
