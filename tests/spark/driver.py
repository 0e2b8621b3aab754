"""Drive the loop by hand on Spark: micro-batches from Arrow tables, no stream, no waiting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from slackwater.execute.derive import arrow_type
from slackwater.execute.loop import Loop
from slackwater.plan.meaning import words
from slackwater.plan.stage import PipelinePlan, describe
from slackwater.query.stream import Query
from slackwater.runs.checkpoint import Checkpoint
from slackwater.spark.pipeline import Options, Pipeline
from slackwater.spark.read.streams import join_streams
from slackwater.spark.schemas import as_frame
from tests.driver import ARROW, ROWS, Batch, Driver, answers, batch, readings, replayed

__all__ = ["ARROW", "ROWS", "Batch", "answers", "batch", "readings", "replayed"]


@dataclass(frozen=True)
class SparkDriver(Driver):
    """Rows are read by Spark; their state is in the driver, or on the executors."""

    session: SparkSession | None = None

    def make_loop(self, queries: Sequence[Query], folder: Path, **options: Any) -> Loop[Any]:
        assert self.session is not None
        return make_loop(self.session, tuple(queries), folder, tier=self.tier, **options)

    def feed(self, loop: Loop[Any], table: Batch, number: int | None = None) -> None:
        assert self.session is not None
        rows = frame(self.session, loop, table)
        loop.process(rows, loop.batch + 1 if number is None else number)


def make_loop(
    session: SparkSession,
    queries: tuple[Query, ...],
    folder: Path,
    *,
    empty: Mapping[str, pa.Table] | None = None,
    **options: Any,
) -> Loop:
    """``empty`` has tables without rows for streams whose types Arrow has no word for."""
    pipeline = Pipeline(queries)
    none = {**empty_tables(pipeline.plan, empty or {}), **(empty or {})}
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
    none = {**empty_tables(loop.policy.plan, given), **(empty or {})}
    frames = {name: as_frame(session, given.get(name, none.get(name))) for name in names}
    return join_streams(loop.policy.plan, frames)[0]


def empty_tables(
    plan: PipelinePlan, given: Mapping[str, pa.Table] | None = None
) -> dict[str, pa.Table]:
    """A table without rows for each stream that is not given."""
    kinds = {
        stream.name: {c.name: arrow_type(c.type) for c in stream.schema.columns}
        for stream in plan.streams
        if stream.name not in (given or {})
    }
    return {name: pa.schema(columns).empty_table() for name, columns in kinds.items()}


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
