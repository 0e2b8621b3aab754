"""Recall contracts on Spark: was the recall reached, and what did it cost?

One pipeline per regime of disorder with a query for each recall and way of emission. The truth is
the join over all rows, and every period from the first counts. Max-K, and the best fixed slack, are
judged in hindsight on the same micro-batches. Ordered results cost latency, immediate ones memory:
both are reported.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyspark.sql import SparkSession

from slackwater.bench.methods import USUAL
from slackwater.bench.regimes import DDL, Rows, Stream, draw, prepare
from slackwater.bench.session import own_session
from slackwater.errors import Problem, QueryError
from slackwater.execute.sinks import ParquetSink
from slackwater.query.contract import Method, min_recall
from slackwater.query.join import Emit, join
from slackwater.spark.pipeline import pipeline, stream
from slackwater.units import SECOND

GAMMAS = (0.9, 0.95, 0.99)
EMITS: tuple[Emit, ...] = ("ordered", "immediate")
REGIMES = ("light", "heavy-tail", "sudden-shift")
WINDOW = 2
KEYS = 1_000
OVER = 10
NEVER = -(1 << 60)  # a watermark that was not there yet
GRAIN = SECOND // 50

Tell = Callable[[str], None]
Term = tuple[Method, float, Emit]
Instants = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One regime, method, recall and way of emission.

    ``fulfilment`` is the share of periods with a recall of ``gamma`` at least, ``nearly`` of
    0.99 ``gamma``. Latency is event time from a result to the clock when it was given; ``held``
    is the mean number of rows that the slack makes a join hold, rows kept for measuring apart.
    ``fixed_slack_s`` is the smallest fixed slack that keeps as large a share of the periods.
    """

    regime: str
    method: Method
    gamma: float
    emit: str
    periods: int
    fulfilment: float
    nearly: float
    recall: float
    latency_s: float
    latency_maxk_s: float
    held: float
    held_maxk: float
    recall_maxk: float
    fixed_slack_s: float
    latency_fixed_s: float
    held_fixed: float
    measured: float | None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def report(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The benchmark's JSON."""
    return {"bench": "recall", "cases": [outcome.to_json() for outcome in outcomes]}


def measure(
    spark: SparkSession,
    regimes: Sequence[str] = (),
    *,
    methods: Sequence[Method] = USUAL,
    seconds: int = 600,
    cache: Path | None = None,
    tell: Tell = lambda _: None,
) -> Iterator[Outcome]:
    """Measure regimes one after the other; ``tell`` hears of each step."""
    unknown = [name for name in regimes if name not in REGIMES]
    if unknown:
        text = f"no regime {', '.join(unknown)}; there are: {', '.join(REGIMES)}"
        raise QueryError([Problem("REGIME_UNKNOWN", "bench recall", text)])
    session = own_session(spark)
    with tempfile.TemporaryDirectory(prefix="slackwater-recall-") as scratch:
        for regime in regimes or REGIMES:
            wanted = [Stream(regime, seconds, seed=seed) for seed in (3, 4)]
            tell(f"{regime}: input")
            data = [prepare(one, cache or Path(scratch) / "data") for one in wanted]
            terms = [(m, gamma, emit) for m in methods for gamma in GAMMAS for emit in EMITS]
            yield from _regime(session, terms, wanted, data, Path(scratch) / regime, tell=tell)


def _regime(
    spark: SparkSession,
    terms: Sequence[Term],
    wanted: Sequence[Stream],
    data: Sequence[Path],
    scratch: Path,
    *,
    tell: Tell,
) -> Iterator[Outcome]:
    regime = wanted[0].regime
    names = {(m, g, emit): f"{m}-{emit}-{g:g}".replace(".", "_") for m, g, emit in terms}
    sinks = {term: ParquetSink(str(scratch / name)) for term, name in names.items()}
    inputs = []
    for name, folder in zip("ab", data, strict=True):
        reader = spark.readStream.schema(DDL).option("maxFilesPerTrigger", 1)
        rows = stream(name, reader.parquet(f"file://{folder}"), time="ts", max_ahead=None)
        inputs.append(rows.select("ts", f"CAST(v * 100000 AS BIGINT) % {KEYS} AS k"))
    queries = []
    for term, name in names.items():
        method, gamma, emit = term
        pairs = join(*inputs, on="k", within=f"{WINDOW} seconds", emit=emit)
        shown = pairs.select("a.ts AS a_ts", "b.ts AS b_ts")
        contract = min_recall(gamma, over=f"{OVER} seconds", granularity="20 ms", method=method)
        queries.append(shown.query(name, contract, sink=sinks[term]))
    batches = wanted[0].seconds / wanted[0].batch
    handle = pipeline(*queries).run(
        str(scratch / "checkpoint"),
        tier="columnar",
        spark=spark,
        flush=True,
        on_batch=lambda e: tell(f"{regime}: batch {e['batch']} of about {batches:.0f}"),
    )
    events = [event for event in handle.events() if event["event"] == "batch"]
    tell(f"{regime}: in hindsight")
    past = Past([draw(one) for one in wanted])
    for term, name in names.items():
        marks = [event["queries"][name]["watermark"] for event in events]
        marks = [NEVER if mark is None else mark for mark in marks]
        clocks = [min(s["clock"] or 0 for s in event["streams"].values()) for event in events]
        given = _given(sinks[term].folder, np.array(clocks))
        measured = handle.quality()[name]["fulfilment"]
        yield _judged(past, (regime, *term), given, np.array(marks), measured)


class Past:
    """All results of two streams, and when each was complete."""

    def __init__(self, streams: Sequence[Rows]) -> None:
        size = max(rows.cuts.size - 1 for rows in streams)
        self.rows = streams
        self.clocks = np.min([_clocks(rows, size) for rows in streams], axis=0)
        with duckdb.connect(":memory:") as duck:
            for name, rows in zip("ab", streams, strict=True):
                table = {
                    "t": rows.ts,
                    "k": (rows.values * 100_000).astype(np.int64) % KEYS,
                    "n": np.repeat(np.arange(rows.cuts.size - 1), np.diff(rows.cuts)),
                }
                duck.register(f"{name}_rows", pa.table(table))
            step = WINDOW * SECOND
            found = duck.execute(
                "SELECT greatest(a.t, b.t) AS ts, greatest(a.n, b.n) AS n, "
                "least(a.t, b.t) AS oldest FROM "
                f"(SELECT *, t // {step} AS s FROM a_rows) AS a JOIN "
                f"(SELECT *, t // {step} + unnest([-1, 0, 1]) AS s FROM b_rows) AS b "
                f"ON a.k = b.k AND a.s = b.s AND abs(a.t - b.t) <= {step}"
            ).fetchnumpy()
        columns = [np.asarray(found[name], dtype=np.int64) for name in ("ts", "n", "oldest")]
        self.ts, self.complete, self.oldest = columns

    def max_k(self) -> Instants:
        """The watermark after each batch with the largest delay so far as slack."""
        largest = np.zeros(self.clocks.size, dtype=np.int64)
        for rows in self.rows:
            lows = np.minimum.reduceat(rows.ts, rows.cuts[:-1])
            before = np.r_[lows[0], self.clocks[: lows.size - 1]]
            largest[: lows.size] = np.maximum(largest[: lows.size], before - lows)
        return np.maximum.accumulate(self.clocks - np.maximum.accumulate(largest))

    def fixed(self, slack: int) -> Instants:
        """The watermark after each batch with a fixed slack."""
        return np.asarray(self.clocks - slack)

    def found(self, marks: Instants, emit: str) -> tuple[Instants, Instants]:
        """Event times and latencies of the results that these watermarks find in time."""
        after = np.r_[NEVER, marks[:-1]][self.complete]
        is_ordered = emit == "ordered"
        found = after <= (self.ts if is_ordered else self.oldest + WINDOW * SECOND)
        times, given = self.ts[found], self.complete[found]
        if is_ordered:
            given = np.minimum(np.searchsorted(marks, times, side="right"), marks.size - 1)
        return times, np.asarray(np.maximum(0, self.clocks[given] - times))

    def kept(self, found: Instants, gamma: float) -> float:
        """The share of periods with their recall."""
        return float((self.periods(found) >= gamma).mean())

    def best_fixed(self, gamma: float, emit: str, kept: float) -> int:
        """The smallest fixed slack that keeps as large a share of the periods."""
        low, high = -1, int((self.clocks[-1] - self.ts.min()) // GRAIN)
        while high - low > 1:
            middle = (low + high) // 2
            times, _ = self.found(self.fixed(middle * GRAIN), emit)
            low, high = (low, middle) if self.kept(times, gamma) >= kept else (middle, high)
        return high * GRAIN

    def held(self, marks: Instants) -> float:
        """Mean rows within reach of the watermark after each batch."""
        total = np.zeros(marks.size)
        for rows in self.rows:
            arrived = np.zeros(marks.size)
            for batch in range(marks.size):
                upto = rows.cuts[min(batch + 1, rows.cuts.size - 1)]
                arrived[batch] = (rows.ts[:upto] >= marks[batch] - WINDOW * SECOND).sum()
            total += arrived
        return float(total.mean())

    def periods(self, found: Instants) -> npt.NDArray[np.float64]:
        """Recall of each period that has results, from the first on."""
        first, last = int(self.ts.min()), int(self.ts.max())
        edges = np.arange(first // (OVER * SECOND), last // (OVER * SECOND) + 2) * OVER * SECOND
        true, seen = np.histogram(self.ts, edges)[0], np.histogram(found, edges)[0]
        return np.asarray(seen[true > 0] / true[true > 0])


def _clocks(rows: Rows, size: int) -> Instants:
    highs = np.maximum.accumulate(np.maximum.reduceat(rows.ts, rows.cuts[:-1]))
    return np.asarray(np.r_[highs, np.repeat(highs[-1], size - highs.size)])


def _given(folder: Path, clocks: Instants) -> tuple[Instants, Instants]:
    """Event times of the results in a sink, and their latencies."""
    with duckdb.connect(":memory:") as duck:
        found = duck.execute(
            "SELECT epoch_us(event_time) AS ts, batch::BIGINT AS n "
            f"FROM read_parquet('{folder}/*/*.parquet', hive_partitioning = true)"
        ).fetchnumpy()
    times = np.asarray(found["ts"], dtype=np.int64)
    return times, np.maximum(0, clocks[np.asarray(found["n"], dtype=np.int64)] - times)


def _judged(
    past: Past,
    case: tuple[str, Method, float, Emit],
    given: tuple[Instants, Instants],
    marks: Instants,
    measured: float | None,
) -> Outcome:
    regime, method, gamma, emit = case
    times, latency = given
    most = past.max_k()
    late, waits = past.found(most, emit)
    recall = past.periods(times)
    slack = past.best_fixed(gamma, emit, past.kept(times, gamma))
    fixed = past.fixed(slack)
    return Outcome(
        regime=regime,
        method=method,
        gamma=gamma,
        emit=emit,
        periods=int(recall.size),
        fulfilment=round(past.kept(times, gamma), 4),
        nearly=round(float((recall >= 0.99 * gamma).mean()), 4),
        recall=round(float(recall.mean()), 4),
        latency_s=round(float(latency.mean()) / SECOND, 3),
        latency_maxk_s=round(float(waits.mean()) / SECOND, 3),
        held=round(past.held(marks[: past.clocks.size]), 1),
        held_maxk=round(past.held(most), 1),
        recall_maxk=round(float(past.periods(late).mean()), 4),
        fixed_slack_s=round(slack / SECOND, 3),
        latency_fixed_s=round(float(past.found(fixed, emit)[1].mean()) / SECOND, 3),
        held_fixed=round(past.held(fixed), 1),
        measured=None if measured is None else round(measured, 4),
    )
