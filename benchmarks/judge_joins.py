"""Was a recall contract kept? Judged from raw rows and sink alone, from the first result on.

The truth is the join of all rows by DuckDB; nothing that the engine says of itself is read. Beside
it the smallest fixed slack, in hindsight on the same files, that keeps as many periods: what it
costs in latency (ordered results) and in rows held (immediate ones). Run by ``judge.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

import slackwater as sw
from slackwater.execute.sinks import ParquetSink
from slackwater.units import SECOND

Ints = npt.NDArray[np.int64]
NEVER = -(1 << 60)
WITHIN, OVER = 5 * SECOND, 60 * SECOND


@dataclass(frozen=True)
class JudgedJoin:
    """Shares of all periods that have results, and latencies in seconds of event time."""

    results: int
    given: int
    periods: int
    kept: float
    least: float
    latency_s: float
    held: float
    fixed_slack_s: float
    fixed_kept: float
    fixed_latency_s: float
    fixed_held: float


class RawJoin:
    """All results of two streams: event time, oldest member, and the batch that completed each."""

    def __init__(self, inputs: Sequence[Sequence[Path]]) -> None:
        tables = [[pq.read_table(file) for file in files] for files in inputs]
        self.times = [_times(some) for some in tables]
        self.batches = [
            np.repeat(np.arange(len(some)), [table.num_rows for table in some]) for some in tables
        ]
        highs = [
            np.maximum.accumulate([ts[batch == n].max() for n in range(len(some))])
            for ts, batch, some in zip(self.times, self.batches, tables, strict=True)
        ]
        self.clocks: Ints = np.min(highs, axis=0)
        with duckdb.connect(":memory:") as duck:
            for name, some, ts, batch in zip("ab", tables, self.times, self.batches, strict=True):
                keys = pa.concat_tables(some)["k"]
                duck.register(name, pa.table({"t": ts, "k": keys, "n": batch}))
            found = duck.execute(
                "SELECT greatest(a.t, b.t) AS ts, least(a.t, b.t) AS oldest, "
                "greatest(a.n, b.n) AS n FROM a JOIN b ON a.k = b.k "
                f"AND b.t BETWEEN a.t - {WITHIN} AND a.t + {WITHIN}"
            ).fetchnumpy()
        self.ts, self.oldest, self.complete = (
            np.asarray(found[name], dtype=np.int64) for name in ("ts", "oldest", "n")
        )

    def under(self, slack: int, emit: str) -> tuple[Ints, Ints]:
        """Event times of the results that a fixed slack finds, and the clock when it gives them."""
        marks = self.clocks - slack
        after = np.r_[NEVER, marks[:-1]][self.complete]
        found = after <= (self.ts if emit == "ordered" else self.oldest + WITHIN)
        times, given = self.ts[found], self.complete[found]
        if emit == "ordered":
            given = np.minimum(np.searchsorted(marks, times, side="right"), marks.size - 1)
        return times, self.clocks[given]

    def recall(self, found: Ints) -> npt.NDArray[np.float64]:
        """Of each period that has results."""
        edges = np.arange(self.ts.min() // OVER, self.ts.max() // OVER + 2) * OVER
        true, seen = np.histogram(self.ts, edges)[0], np.histogram(found, edges)[0]
        return np.asarray(seen[true > 0] / true[true > 0])

    def held(self, marks: Ints) -> float:
        """Mean rows within reach of a watermark, over all batches."""
        total = 0
        for ts, batch in zip(self.times, self.batches, strict=True):
            total += sum(
                int((ts[: np.searchsorted(batch, n, side="right")] >= mark - WITHIN).sum())
                for n, mark in enumerate(marks)
            )
        return total / marks.size

    def best_fixed(self, gamma: float, emit: str, kept: float) -> int:
        """The smallest fixed slack that keeps as many periods, to a tenth of a second."""
        low, high, grain = -1, int(self.clocks[-1] - self.ts.min()) * 10 // SECOND, SECOND // 10
        while high - low > 1:
            middle = (low + high) // 2
            found, _ = self.under(middle * grain, emit)
            low, high = (
                (low, middle) if (self.recall(found) >= gamma).mean() >= kept else (middle, high)
            )
        return high * grain


def run(
    inputs: dict[str, list[Path]], scratch: Path, *, gamma: float, emits: Sequence[str]
) -> list[tuple[str, JudgedJoin, dict[str, Any]]]:
    """Run a contract for each way of emission over the same files, and judge each."""
    streams = [
        sw.stream(name, sw.files(files[0].parent, files_per_batch=1), time="ts", max_ahead=None)
        for name, files in inputs.items()
    ]
    sinks = {emit: ParquetSink(str(scratch / emit)) for emit in emits}
    contract = sw.min_recall(gamma, over=f"{OVER // SECOND} seconds")
    queries = [
        sw.join(*streams, on="k", within=f"{WITHIN // SECOND} seconds", emit=emit)
        .select("a.ts AS a_ts", "b.ts AS b_ts")
        .query(emit, contract, sink=sink)
        for emit, sink in sinks.items()
    ]
    handle = sw.pipeline(*queries).run(str(scratch / "checkpoint"), flush=True)
    events = [event for event in handle.events() if event["event"] == "batch"]
    raw = RawJoin(list(inputs.values()))
    found = []
    for emit, sink in sinks.items():
        marks = [event["queries"][emit]["watermark"] for event in events][: raw.clocks.size]
        held = raw.held(np.array([NEVER if mark is None else mark for mark in marks]))
        found.append((emit, judge(raw, sink.folder, gamma, emit, held), handle.quality()[emit]))
    return found


def judge(raw: RawJoin, sink: Path, gamma: float, emit: str, held: float) -> JudgedJoin:
    with duckdb.connect(":memory:") as duck:
        said = duck.sql(
            "SELECT epoch_us(event_time) AS ts, batch::BIGINT AS n "
            f"FROM read_parquet('{sink}/*/*.parquet', hive_partitioning = true)"
        ).fetchnumpy()
    times, batch = (np.asarray(said[name], dtype=np.int64) for name in ("ts", "n"))
    recall = raw.recall(times)
    assert (recall <= 1).all(), "a result given twice"
    kept = float((recall >= gamma).mean())
    when = raw.clocks[np.minimum(batch, raw.clocks.size - 1)]
    slack = raw.best_fixed(gamma, emit, kept)
    fixed, clocks = raw.under(slack, emit)
    return JudgedJoin(
        results=raw.ts.size,
        given=times.size,
        periods=recall.size,
        kept=round(kept, 4),
        least=round(float(recall.min()), 4),
        latency_s=_mean(np.maximum(0, when - times)),
        held=round(held, 1),
        fixed_slack_s=round(slack / SECOND, 1),
        fixed_kept=round(float((raw.recall(fixed) >= gamma).mean()), 4),
        fixed_latency_s=_mean(np.maximum(0, clocks - fixed)),
        fixed_held=round(raw.held(raw.clocks - slack), 1),
    )


def _mean(micros: Ints) -> float:
    return round(float(micros.mean()) / SECOND, 1)


def _times(tables: Sequence[pa.Table]) -> Ints:
    ts = pa.concat_tables(tables)["ts"].cast(pa.timestamp("us", "UTC"))
    return np.asarray(ts.cast(pa.int64()).to_numpy(), dtype=np.int64)
