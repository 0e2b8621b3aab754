"""All sources of a pipeline as one streaming DataFrame, each row tagged with its stream."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from slackwater.arrow_types import arrow_type
from slackwater.errors import SourceError
from slackwater.plan.calls import computed
from slackwater.plan.stage import PipelinePlan, StreamPlan
from slackwater.query.names import quoted
from slackwater.spark.schemas import spark_schema
from slackwater.spark.session import few_cores
from slackwater.spark.sources.heartbeat import heartbeat
from slackwater.spark.sources.topics.messages import MALFORMED

BEAT = -1


@dataclass(frozen=True, slots=True)
class Intake:
    """How the streams of a pipeline are read together, and taken apart again in each batch.

    ``malformed`` names those that may have messages which are no rows.
    """

    streams: tuple[StreamPlan, ...]
    schemas: dict[str, StructType]
    has_heartbeat: bool
    malformed: tuple[str, ...] = ()

    @property
    def is_tagged(self) -> bool:
        return len(self.streams) > 1 or self.has_heartbeat

    def rows_of(self, batch: DataFrame, stream: str, *, small: bool = False) -> DataFrame:
        """The rows of one stream (and heartbeats) with their own column names and ``__ts``."""
        if small and few_cores(batch.sparkSession):
            batch = batch.coalesce(1)  # one task, no shuffle: faster than spreading little work
        if not self.is_tagged:
            return batch
        number = next(n for n, s in enumerate(self.streams) if s.name == stream)
        mine = batch.where(f"__stream IN ({number}, {BEAT})")
        named = [F.col(quoted(f"s{number}_{c}")).alias(c) for c in self.streams[number].names]
        marks = [F.col("__ts")]
        if self.has_heartbeat:
            marks += [F.col("__beat"), F.expr("CASE WHEN __beat IS NULL THEN 1 END AS __one")]
        return mine.select(*named, *marks)


def open_streams(
    plan: PipelinePlan, frames: dict[str, DataFrame], session: SparkSession, beat: int | None
) -> tuple[DataFrame, Intake]:
    """One streaming DataFrame over all sources, and how to take its batches apart."""
    for name, frame in frames.items():
        if not frame.isStreaming:
            raise SourceError(
                "SOURCE_NOT_STREAMING",
                f"stream {name!r}: the DataFrame is not a streaming one",
                "build it with spark.readStream, or use sw.files / sw.recording",
            )
    beats = None if beat is None else heartbeat(session, beat)
    return join_streams(plan, frames, beats)


def join_streams(
    plan: PipelinePlan, frames: dict[str, DataFrame], beats: DataFrame | None = None
) -> tuple[DataFrame, Intake]:
    """All streams in one frame: only the columns that are read, plus ``__ts``, tagged if mixed."""
    schemas = {s.name: _schema(frames[s.name], s) for s in plan.streams}
    malformed = tuple(s.name for s in plan.streams if MALFORMED in frames[s.name].columns)
    intake = Intake(plan.streams, schemas, beats is not None, malformed)
    if not intake.is_tagged:
        only = plan.streams[0]
        columns = [F.col(quoted(c)) for c in only.columns]
        return frames[only.name].select(*columns, _time(only), *_marks(frames[only.name])), intake
    parts = [
        frames[s.name].select(
            F.lit(number).alias("__stream"),
            _time(s),
            *(F.col(quoted(c)).alias(f"s{number}_{c}") for c in s.columns),
            *_marks(frames[s.name]),
        )
        for number, s in enumerate(plan.streams)
    ]
    if beats is not None:
        marks = (f"{BEAT} AS __stream", "unix_micros(timestamp) AS __beat")
        parts.append(beats.selectExpr(*marks))
    return reduce(lambda a, b: a.unionByName(b, allowMissingColumns=True), parts), intake


def _marks(frame: DataFrame) -> list[Column]:
    """What says which rows are none, if a source does."""
    return [F.col(MALFORMED)] if MALFORMED in frame.columns else []


def _schema(frame: DataFrame, stream: StreamPlan) -> StructType:
    """What there is to read of a stream, with what functions add to it."""
    read = [field for field in frame.schema.fields if field.name in stream.columns]
    added = [pa.field(one.name, arrow_type(one.type)) for one in computed(stream.links)]
    return StructType([*read, *spark_schema(pa.schema(added)).fields])


def _time(stream: StreamPlan) -> Column:
    # of a timestamp_ntz these are microseconds on the wall: no cast, which would take the session's
    # zone and lose the hour that a clock skips; windows follow the wall, as Spark's own do
    return F.unix_micros(F.col(quoted(stream.time))).alias("__ts")
