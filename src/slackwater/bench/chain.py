"""A chain of four expensive filters, one of which drops nearly all rows; which one it is swings.

Whoever asks that one first has little left to ask the others. Each filter reads a column of its
own and works on every value that it is given, as a model would. All filters drop some rows, so that
their order is never the same to the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from slackwater import testing
from slackwater.bench.data import BEGIN
from slackwater.control.functions import FunctionMemory
from slackwater.execute.calls import CHUNK
from slackwater.execute.sinks import MemorySink
from slackwater.query.contract import slack
from slackwater.query.stream import Query
from slackwater.units import SECOND

COLUMNS = ("a", "b", "c", "d")
LIMIT = 900  # values below pass: of a thousand in a column, or of fifty thousand in the scarce one
USUAL, SCARCE = 1_000, 50_000
AGAIN = 50  # choices that are timed


def _rotated(first: int) -> str:
    return " ".join((*COLUMNS[first:], *COLUMNS[:first]))


@dataclass(frozen=True, slots=True)
class Chain:
    """So many ``warm`` batches that do not count, then those that are ``counted``.

    Each has so many ``rows``. A filter works for so many ``rounds`` on each value.
    """

    period: int
    warm: int = 12
    counted: int = 24
    rows: int = 20_000
    rounds: int = 400
    span: int = 10
    seed: int = 29

    @classmethod
    def of(cls, period: int) -> Chain:
        """Warm once every filter was the scarce one and that was learned; then each is so again."""
        turn = period * len(COLUMNS)
        return cls(period, warm=turn + 4, counted=max(12, turn))

    @property
    def batches(self) -> int:
        return self.warm + self.counted

    @property
    def plans(self) -> tuple[str, ...]:
        """The orders that are run as written: each filter is the first in one of them."""
        return tuple(_rotated(number) for number in range(len(COLUMNS)))

    def scarce(self, batch: int) -> str:
        """The filter that drops nearly all rows of a batch."""
        return COLUMNS[batch // self.period % len(COLUMNS)]

    def tables(self, batch: int) -> dict[str, pa.Table]:
        """The rows of a batch."""
        random = np.random.default_rng([self.seed, batch])
        span = self.span * SECOND
        time = BEGIN + batch * span + np.sort(random.integers(0, span, self.rows))
        found = {"ts": pa.array(time, pa.timestamp("us", tz="UTC"))}
        for name in COLUMNS:
            of = SCARCE if name == self.scarce(batch) else USUAL
            found[name] = pa.array(random.integers(0, of, self.rows))
        return {"r": pa.table(found | {"v": pa.array(random.integers(0, 1_000, self.rows))})}

    def query(self, order: str, sink: MemorySink) -> Query:
        """The filters by an order, counted and summed so that results can be compared."""
        columns = dict.fromkeys(COLUMNS, "bigint")
        stream = testing.rows("r", time="ts", ts="timestamp", v="bigint", **columns)
        is_plan = order in self.plans
        for name in order.split() if is_plan else COLUMNS:
            kind = "written" if is_plan else order
            stream = stream.where(_filter(name, self.rounds), name=f"keep_{name}", order=kind)
        counted = stream.window(f"{self.span} seconds").aggregate(n="count(*)", s="sum(v)")
        return counted.query("q", slack("0 seconds"), sink=sink)

    def told(self, controllers: Mapping[str, Any]) -> Any:
        """By which order a batch ran."""
        return controllers.get("functions", {}).get("order")

    def prepared(self, controllers: Sequence[Mapping[str, Any]]) -> Any:
        """How many orders were ready in the newest batch."""
        return controllers[-1].get("functions", {}).get("plans")

    def choosing(self, loop: Any) -> float:
        """Seconds to choose an order as often as a batch does: when it is decided, and for each
        part of its rows.
        """
        memory = loop.state.of("q").find(FunctionMemory)
        known = [] if memory is None else [one for one in memory.links.values() if one.prepared]
        found = []
        for _ in range(AGAIN if known else 0):
            began = perf_counter()
            known[0].prepared.cheapest(known[0].looks[-1], None)
            found.append(perf_counter() - began)
        return median(found) * (1 + -(-self.rows // CHUNK)) if found else 0.0

    def from_scratch(self) -> list[tuple[Any, ...]]:
        """The answers by DuckDB, by SQL."""
        passes = " AND ".join(f"{name} < {LIMIT}" for name in COLUMNS)
        size = self.span * SECOND
        text = (
            f"SELECT make_timestamptz(epoch_us(ts) // {size} * {size}) AS began, count(*), "
            f"sum(v)::BIGINT FROM r WHERE {passes} GROUP BY began"
        )
        found = []
        with duckdb.connect() as duck:
            duck.execute("SET TimeZone = 'UTC'")
            for batch in range(self.batches):
                duck.register("r", self.tables(batch)["r"])
                found += duck.execute(text).fetchall()
        return sorted(found)


def _filter(name: str, rounds: int) -> Callable[..., Any]:
    """Works on each value of a column, and keeps those below a limit."""

    def keep(rows: pa.RecordBatch) -> pa.Array:
        values = rows[name].to_numpy()
        score = values.astype(np.float64)
        for _ in range(rounds):
            score = np.sin(score)
        return pa.array((values < LIMIT) & (score <= 1))  # a sine is never more

    return keep
