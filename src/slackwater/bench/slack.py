"""Quality-driven slack on Spark: was the promise kept, and how long did results take?

One pipeline per regime of disorder, with one query for each error bound. The truth is computed
from all rows; Max-K and the best fixed slack, chosen in hindsight, on the same micro-batches. All
results are judged, from the first one on; the end of the stream closes what is open.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import duckdb
import numpy as np
from pyspark.sql import SparkSession

from slackwater.bench import cases, ours
from slackwater.bench import data as windows_data
from slackwater.bench.hindsight import Given, Hindsight
from slackwater.bench.methods import USUAL
from slackwater.bench.regimes import DDL, REGIMES, Stream, draw, prepare
from slackwater.bench.session import own_session
from slackwater.errors import Problem, QueryError
from slackwater.execute.sinks import ParquetSink
from slackwater.query.contract import Contract, Method, max_error, slack
from slackwater.spark.pipeline import pipeline, stream
from slackwater.stats.relative_error import relative_errors
from slackwater.units import SECOND

EPSILONS = (0.001, 0.01, 0.05)
CONFIDENCE = 0.95
SIZE, SLIDE = 10, 5
STRETCH, SHORT = 200, 0.93  # results that people look at together, and when they fall short

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One regime, bound and method; latencies in seconds of event time, mean over all results.

    ``best_fixed`` is the smallest fixed slack that would have given the same fulfilment,
    ``least_fixed`` the smallest that would have kept the promise at all. ``short`` is the share of
    stretches of 200 results of which fewer than 93 % keep the bound.
    """

    regime: str
    method: Method
    epsilon: float
    short: float
    fulfilment: float
    latency_s: float
    fulfilment_maxk: float
    latency_maxk_s: float
    latency_best_fixed_s: float
    fulfilment_least_fixed: float
    latency_least_fixed_s: float
    measured: int
    fulfilment_measured: float | None
    decision_ms: float

    @property
    def against_fixed(self) -> float:
        """Latency as a multiple of that of the fixed slack with the same fulfilment."""
        return self.latency_s / self.latency_best_fixed_s

    def to_json(self) -> dict[str, Any]:
        return {
            "regime": self.regime,
            "eps": self.epsilon,
            **{
                name: getattr(self, name)
                for name in self.__slots__
                if name not in ("regime", "epsilon")
            },
        }


def measure(
    spark: SparkSession,
    regimes: Sequence[str] = (),
    *,
    methods: Sequence[Method] = USUAL,
    seconds: int = 1800,
    cache: Path | None = None,
    tell: Tell = lambda _: None,
) -> Iterator[Outcome]:
    """Measure regimes one after the other; ``tell`` hears of each step."""
    _check(regimes)
    session = own_session(spark)
    with tempfile.TemporaryDirectory(prefix="slackwater-slack-") as scratch:
        for regime in regimes or tuple(REGIMES):
            wanted = Stream(regime, seconds)
            tell(f"{regime}: input")
            folder = prepare(wanted, cache or Path(scratch) / "data")
            case = Case(wanted, tuple(methods), folder, Path(scratch) / regime)
            yield from _regime(session, case, tell)


def _check(regimes: Sequence[str]) -> None:
    unknown = [name for name in regimes if name not in REGIMES]
    if unknown:
        known = ", ".join(REGIMES)
        raise QueryError(
            [
                Problem("REGIME_UNKNOWN", "bench slack", f"no regime {name!r}; there are: {known}")
                for name in unknown
            ]
        )


@dataclass(frozen=True, slots=True)
class Case:
    """A stream, the methods that choose slacks for it, its files, and where to work."""

    wanted: Stream
    methods: tuple[Method, ...]
    data: Path
    scratch: Path


def _regime(spark: SparkSession, case: Case, tell: Tell) -> Iterator[Outcome]:
    wanted, data, scratch = case.wanted, case.data, case.scratch
    tell(f"{wanted.regime}: in hindsight")
    past = Hindsight(draw(wanted), SIZE * SECOND, SLIDE * SECOND)
    frame = spark.readStream.schema(DDL).option("maxFilesPerTrigger", 1).parquet(f"file://{data}")
    rows = stream("rows", frame, time="ts", max_ahead=None)
    sums = rows.window(f"{SIZE} s", f"{SLIDE} s").aggregate(total="sum(v)")
    terms = [(method, epsilon) for method in case.methods for epsilon in EPSILONS]
    names = {(m, e): f"{m}-{e:g}".replace(".", "_") for m, e in terms}
    sinks = {term: ParquetSink(str(scratch / name)) for term, name in names.items()}
    contracts = {(m, e): max_error(e, confidence=CONFIDENCE, method=m) for m, e in terms}
    queries = [sums.query(names[t], contracts[t], sink=sinks[t]) for t in terms]
    batches = wanted.seconds / wanted.batch
    handle = pipeline(*queries).run(
        str(scratch / "checkpoint"),
        tier="columnar",
        spark=spark,
        flush=True,
        on_batch=lambda e: tell(f"{wanted.regime}: batch {e['batch']} of about {batches:.0f}"),
    )
    events = [event for event in handle.events() if event["event"] == "batch"]
    clocks = [event["streams"]["rows"]["clock"] for event in events]
    for term, name in names.items():
        given = _given(past, sinks[term].folder, clocks)
        ms = median(event["ms"]["decide"] for event in events) / len(terms)
        yield _judged((wanted.regime, *term), given, past, handle.quality()[name], ms)


def _given(past: Hindsight, folder: Path, clocks: list[int]) -> Given:
    """The results as they lie in the sink, against the truth of the same windows."""
    with duckdb.connect(":memory:") as duck:
        found = duck.sql(
            "SELECT epoch_us(window_end) AS ends, total, batch::BIGINT AS batch "
            f"FROM read_parquet('{folder}/*/*.parquet', hive_partitioning = true)"
        ).to_arrow_table()
    clock = np.asarray([c for c in clocks if c is not None])
    errors, latency = np.ones(past.ends.size), np.full(past.ends.size, np.nan)
    known = np.isin(found["ends"].to_numpy(), past.ends)
    at = np.searchsorted(past.ends, found["ends"].to_numpy()[known])
    wrong = relative_errors(past.exact[at], found["total"].to_numpy()[known])
    errors[at] = np.where(wrong < 1e-9, 0, wrong)
    batch = np.minimum(found["batch"].to_numpy()[known], clock.size - 1)
    latency[at] = clock[batch] - past.ends[at]
    return Given(past.ends, errors, latency)


def _judged(
    term: tuple[str, Method, float],
    given: Given,
    past: Hindsight,
    quality: dict[str, Any],
    decision_ms: float,
) -> Outcome:
    regime, method, epsilon = term
    most = past.max_k()
    best = past.best_fixed(epsilon, CONFIDENCE)
    fixed = past.fixed(best)
    same = past.best_fixed(epsilon, given.fulfilment(epsilon))
    return Outcome(
        regime=regime,
        method=method,
        epsilon=epsilon,
        short=round(given.short(epsilon, SHORT, STRETCH), 4),
        fulfilment=round(given.fulfilment(epsilon), 4),
        latency_s=round(given.mean_latency, 3),
        fulfilment_maxk=round(most.fulfilment(epsilon), 4),
        latency_maxk_s=round(most.mean_latency, 3),
        latency_best_fixed_s=round(past.fixed(same).mean_latency, 3),
        fulfilment_least_fixed=round(fixed.fulfilment(epsilon), 4),
        latency_least_fixed_s=round(fixed.mean_latency, 3),
        measured=quality["measured"],
        fulfilment_measured=quality["fulfilment"],
        decision_ms=round(decision_ms, 3),
    )


def overhead(
    spark: SparkSession, *, batches: int = 30, rounds: int = 3, cache: Path | None = None
) -> dict[str, Any]:
    """The cost of an error bound: the tumbling query of ``bench windows`` with and without."""
    session = own_session(spark)
    case = cases.choose(["tumbling-200k-1k-columnar"], batches=batches)[0]
    terms: dict[str, Contract] = {
        "fixed": slack(f"{case.slack} seconds"),
        "bound": max_error(0.01, of="total"),
    }
    seconds: dict[str, list[float]] = {name: [] for name in terms}
    decided: dict[str, list[float]] = {name: [] for name in terms}
    with tempfile.TemporaryDirectory(prefix="slackwater-slack-") as scratch:
        data = windows_data.prepare(case.workload, cache or Path(scratch) / "data")
        for number in range(rounds + 1):  # the first round warms up
            for name, contract in terms.items():
                folder = Path(scratch) / f"{name}-{number}"
                run = ours.run(session, case, data, folder, contract)
                if number:
                    seconds[name] += run.steady(case.warmup, case.batches)
                    parts = run.parts[case.warmup : case.batches]
                    decided[name] += [part["decide"] for part in parts]
    fixed, bound = (median(seconds[name]) for name in terms)
    deciding = median(decided["bound"]) - median(decided["fixed"])
    return {
        "fixed_s": round(fixed, 4),
        "bound_s": round(bound, 4),
        "share": round(bound / fixed - 1, 4),
        "adaptation_share": round(deciding / fixed, 4),
    }


def report(outcomes: Sequence[Outcome], cost: dict[str, Any] | None) -> dict[str, Any]:
    """The benchmark's JSON."""
    found: dict[str, Any] = {"bench": "slack", "cases": [o.to_json() for o in outcomes]}
    return found if cost is None else {**found, "overhead": cost}
