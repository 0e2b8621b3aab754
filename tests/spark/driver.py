"""Drive the loop by hand: micro-batches from Arrow tables, no stream, no waiting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from slackwater.control.error_slack import ErrorBound
from slackwater.plan.meaning import words
from slackwater.plan.stage import describe
from slackwater.query.schema import Schema
from slackwater.query.stream import Query, Stream, StreamDef
from slackwater.replay.interpreter import Interpreter
from slackwater.spark.checkpoint import Checkpoint
from slackwater.spark.intake import join_streams
from slackwater.spark.loop import Loop
from slackwater.spark.pipeline import Options, Pipeline
from slackwater.spark.schemas import as_frame
from slackwater.spark.sinks import MemorySink

ROWS = Schema.of(ts="timestamp", k="bigint", v="bigint")
ARROW = pa.schema(
    {"ts": pa.timestamp("us", "UTC"), "k": pa.int64(), "v": pa.int64()}  # as ROWS
)


def readings(max_ahead: str | None = None, name: str = "r") -> Stream:
    """A base stream without a source, for batches made by hand."""
    return Stream(StreamDef(name, ROWS, "ts", max_ahead=max_ahead))


def batch(*rows: tuple[int | None, int | None, int | None]) -> pa.Table:
    """A micro-batch of (seconds, key, value) rows."""
    times = [None if t is None else round(t * 1_000_000) for t, _, _ in rows]
    return pa.table({"ts": times, "k": [k for _, k, _ in rows], "v": [v for _, _, v in rows]}).cast(
        ARROW
    )


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


Batch = pa.Table | dict[str, pa.Table]


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
            loop.finish(session)
    finally:
        loop.close()
    return loop


def answers(sink: MemorySink, digits: int = 6) -> list[tuple[Any, ...]]:
    """The rows of a memory sink in a comparable form: everything but the time of emission."""
    table = sink.table()
    if table is None:
        return []
    hidden = ("emitted_at", "coverage", "kind", "boundary")
    return sorted(
        (
            _row({k: v for k, v in row.items() if k not in hidden}, digits)
            for row in table.to_pylist()
        ),
        key=repr,
    )


def replayed(
    query: Query,
    batches: list[pa.Table],
    digits: int = 6,
    *,
    flush: bool = True,
    zone: str = "UTC",
) -> list[tuple[Any, ...]]:
    """The same query, tuple at a time."""
    plan = Pipeline((query,)).plan.queries[0]
    bound = ErrorBound.of(plan)
    slack = None if bound is None else bound.params
    interpreter = Interpreter(plan, "ts", slack, zone=zone)
    found = [row for table in batches for row in interpreter.feed(table)]
    found += interpreter.finish() if flush else []
    interpreter.close()
    rows = []
    for row in found:
        kind = pa.timestamp("us", None if plan.base.state.stamp == "timestamp_ntz" else "UTC")
        bounds = pa.array([row["__start"], row["__end"]], kind).to_pylist()
        shown = {"window_start": bounds[0], "window_end": bounds[1]}
        shown |= {k: v for k, v in row.items() if not k.startswith("__")}
        rows.append(_row(shown, digits))
    return sorted(rows, key=repr)


def _row(row: dict[str, Any], digits: int) -> tuple[Any, ...]:
    return tuple(
        (name, round(value, digits) if isinstance(value, float) else value)
        for name, value in sorted(row.items())
    )
