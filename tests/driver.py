"""Drive the loop by hand: micro-batches from Arrow tables, no stream, no waiting, no Java.

``tests/spark/driver.py`` does the same with a Spark session. A test that takes the fixture
``driver`` runs both ways.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from slackwater import testing
from slackwater.control.error_slack import ErrorBound
from slackwater.control.records import Tier
from slackwater.execute.loop import Loop
from slackwater.execute.sinks import MemorySink
from slackwater.plan.build import check
from slackwater.plan.stage import lay_out
from slackwater.query.schema import Schema
from slackwater.query.stream import Query, Stream, StreamDef
from slackwater.replay.interpreter import Interpreter
from slackwater.testing import Micro, Settings

ROWS = Schema.of(ts="timestamp", k="bigint", v="bigint")
ARROW = pa.schema(
    {"ts": pa.timestamp("us", "UTC"), "k": pa.int64(), "v": pa.int64()}  # as ROWS
)
Batch = pa.Table | dict[str, pa.Table]


def readings(max_ahead: str | None = None, name: str = "r") -> Stream:
    """A base stream without a source, for batches made by hand."""
    return Stream(StreamDef(name, ROWS, "ts", max_ahead=max_ahead))


def batch(*rows: tuple[float | None, int | None, int | None]) -> pa.Table:
    """A micro-batch of (seconds, key, value) rows."""
    times = [None if t is None else round(t * 1_000_000) for t, _, _ in rows]
    return pa.table({"ts": times, "k": [k for _, k, _ in rows], "v": [v for _, _, v in rows]}).cast(
        ARROW
    )


def make_loop(queries: Sequence[Query], folder: Path | str, **options: Any) -> Loop[Micro]:
    return testing.make_loop(queries, folder, Settings(**options))


def feed(loop: Loop[Micro], table: Batch, number: int | None = None) -> None:
    """Give a loop its next batch; one table is given to every stream."""
    loop.process(testing.micro(loop, table), loop.batch + 1 if number is None else number)


def run(
    queries: Sequence[Query],
    batches: Sequence[Batch],
    folder: Path,
    *,
    flush: bool = True,
    **options: Any,
) -> Loop[Micro]:
    """Feed the batches through one loop and end it."""
    return testing.run(queries, batches, folder, Settings(**options), flush=flush)


@dataclass(frozen=True)
class Driver:
    """How a test drives its loops, to be handed about; this one needs no Java."""

    tier: Tier = "columnar"

    def make_loop(self, queries: Sequence[Query], folder: Path, **options: Any) -> Loop[Any]:
        return make_loop(queries, folder, **{"tier": self.tier, **options})

    def feed(self, loop: Loop[Any], table: Batch, number: int | None = None) -> None:
        feed(loop, table, number)

    def run(
        self,
        queries: Sequence[Query],
        batches: Sequence[Batch],
        folder: Path,
        *,
        flush: bool = True,
        **options: Any,
    ) -> Loop[Any]:
        """Feed the batches through one loop and end it."""
        loop = self.make_loop(queries, folder, **options)
        try:
            for number, table in enumerate(batches):
                self.feed(loop, table, number)
            if flush:
                loop.finish()
        finally:
            loop.close()
        return loop


def answers(sink: MemorySink, digits: int = 6) -> list[tuple[Any, ...]]:
    """The rows of a memory sink in a comparable form: everything but the time of emission."""
    table = sink.table()
    if table is None:
        return []
    hidden = ("emitted_at", "coverage", "kind", "boundary", "complete")
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
    plan = lay_out(check((query,))).queries[0]
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
