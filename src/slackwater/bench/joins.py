"""Joins: plain Spark's chained stream-stream joins against Slackwater, on the same files.

Streams ``a``, ``b``, ... joined on a key, members at most a window apart; every row is at most the
slack late, so that neither engine drops any. Results are compared with each other and with DuckDB
over all rows at once.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from pyspark.sql import DataFrame, SparkSession

from slackwater.bench.data import Workload, open_frame, prepare
from slackwater.bench.measured import AgainstSpark, Measured, batch_times, median_of
from slackwater.bench.memory import Peak
from slackwater.bench.native import chained, drain
from slackwater.bench.session import own_session
from slackwater.errors import Problem, QueryError
from slackwater.execute.sinks import ParquetSink
from slackwater.query.contract import slack
from slackwater.query.join import join
from slackwater.query.stream import Stream
from slackwater.spark.pipeline import pipeline, stream

NAMES = ("a", "b", "c", "d", "e")
SLACK = 5
SPAN = 10
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class JoinCase:
    """``rows`` of each of ``ways`` streams a batch, that spans 10 seconds; window in seconds.

    The first batch is as long as ``first`` others, so that long windows are full from the start.
    """

    case: str
    ways: int
    rows: int
    keys: int
    window: int
    tier: str = "columnar"
    batches: int = 12
    warmup: int = 4
    quick: bool = False
    stores: tuple[str, ...] = ("hdfs", "rocksdb")
    first: int = 1

    @property
    def names(self) -> tuple[str, ...]:
        return NAMES[: self.ways]

    @property
    def label(self) -> str:
        return f"{self.case}-{self.tier}"

    def workload(self, number: int) -> Workload:
        return Workload(
            self.rows,
            self.keys,
            self.batches,
            span=SPAN,
            slack=SLACK,
            seed=100 + number,
            first=self.first,
        )


def _long(times: int, tier: str = "columnar") -> JoinCase:
    """Three streams in a window of so many batches: rows of a key are as many as in the others."""
    return JoinCase(
        f"3-way-long-{times}",
        3,
        20_000,
        20_000 * times,
        SPAN * times,
        tier,
        batches=9,
        warmup=3,
        stores=("hdfs",),
        first=times,
    )


TWICE = ("hdfs", "hdfs")  # the faster store wherever both were measured
CHEAPEST = JoinCase("2-way", 2, 30_000, 60_000, 10, quick=True)
# Half of a batch in the spark tier is planning, which gets faster for minutes: longer runs.
CASES: tuple[JoinCase, ...] = (
    CHEAPEST,
    JoinCase("3-way", 3, 20_000, 30_000, 10, quick=True),
    JoinCase("2-way", 2, 30_000, 60_000, 10, "spark", stores=TWICE, batches=36, warmup=12),
    JoinCase(
        "3-way", 3, 20_000, 30_000, 10, "spark", quick=True, stores=TWICE, batches=36, warmup=12
    ),
    JoinCase("5-way", 5, 12_000, 30_000, 10, batches=9, warmup=3, stores=TWICE),
    _long(10),
    _long(25),
    _long(50),
    _long(10, "spark"),
    _long(25, "spark"),
)


def choose(only: Sequence[str] = (), *, quick: bool = False) -> tuple[JoinCase, ...]:
    """The cases to measure; raises on a name that is none."""
    known = {case.label: case for case in CASES}
    unknown = [name for name in only if name not in known]
    if unknown:
        text = f"no case {', '.join(unknown)}; there are: {', '.join(known)}"
        raise QueryError([Problem("CASE_UNKNOWN", "bench joins", text)])
    found = tuple(c for c in CASES if (c.label in only if only else c.quick or not quick))
    return tuple(_lighter(c) for c in found) if quick else found


def _lighter(case: JoinCase) -> JoinCase:
    return replace(case, stores=case.stores[:1], batches=min(case.batches, 12), warmup=4)


@dataclass(frozen=True, slots=True)
class Outcome(AgainstSpark):
    """One case measured: median batch of both engines, the state held, and whether they agree.

    ``memory`` is the most that the driver (Python, with DuckDB in it) took while Slackwater ran.
    """

    case: JoinCase
    stores: dict[str, float]
    slackwater_s: float
    results: int
    state_rows: int
    state_bytes: int
    memory: int
    equal: bool

    def to_json(self) -> dict[str, Any]:
        return {
            "case": self.case.case,
            "ways": self.case.ways,
            "rows_per_batch": self.case.rows * self.case.ways,
            "window_s": self.case.window,
            "native_s": round(self.native_s, 4),
            "slackwater_s": round(self.slackwater_s, 4),
            "tier": self.case.tier,
            "ratio": round(self.ratio, 3),
            "equal": self.equal,
            "store": self.store,
            "stores_s": {name: round(s, 4) for name, s in self.stores.items()},
            "state_rows": self.state_rows,
            "state_bytes": self.state_bytes,
            "memory_bytes": self.memory,
            "results": self.results,
        }


def report(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The benchmark's JSON."""
    cases = [outcome.to_json() for outcome in outcomes]
    found = {"bench": "joins", "cases": cases, "crossing_state_rows": crossing(outcomes)}
    return {**found, "crossing_state_rows_spark": crossing(outcomes, "spark")}


def long_tiers(outcomes: Sequence[Outcome]) -> list[str]:
    """The tiers in which long windows of several sizes were measured."""
    tiers = dict.fromkeys(outcome.case.tier for outcome in outcomes)
    return [tier for tier in tiers if len(_long_ones(outcomes, tier)) > 1]


def _long_ones(outcomes: Sequence[Outcome], tier: str) -> list[Outcome]:
    return [one for one in outcomes if one.case.first > 1 and one.case.tier == tier]


def crossing(outcomes: Sequence[Outcome], tier: str = "columnar") -> float | None:
    """How many rows of state would make plain Spark as fast, on lines through the long windows.

    ``None`` if its time grows as fast as ours at least, or if too few sizes were measured.
    """
    sizes = _long_ones(outcomes, tier)
    if len(sizes) < 2:
        return None
    rows = [outcome.state_rows for outcome in sizes]
    mine, begin = np.polyfit(rows, [outcome.slackwater_s for outcome in sizes], 1)
    theirs, other = np.polyfit(rows, [outcome.native_s for outcome in sizes], 1)
    return None if mine <= theirs else float((other - begin) / (mine - theirs))


def measure(
    spark: SparkSession,
    cases: Sequence[JoinCase],
    *,
    cache: Path | None = None,
    tuned: bool = False,
    tell: Tell = lambda _: None,
) -> Iterator[Outcome]:
    """Measure cases one after the other; every engine is warmed up before on the cheapest one."""
    session = own_session(spark)
    warm: set[str] = set()
    with tempfile.TemporaryDirectory(
        prefix="slackwater-joins-", ignore_cleanup_errors=True
    ) as scratch:
        for number, case in enumerate(cases):
            tell(f"{case.label}: input")
            base = cache or Path(scratch) / "data"
            data = _prepare(case, base)
            folder = Path(scratch) / f"run-{number}"
            tell(f"{case.label}: warm up")
            if not warm:
                rows = _prepare(CHEAPEST, base)
                _native(session, CHEAPEST, rows, folder / "warm-native", "hdfs", tuned=tuned)
            if case.tier not in warm:
                cheap = replace(CHEAPEST, tier=case.tier)
                _ours(session, cheap, _prepare(cheap, base), folder / "warm-ours")
                warm.add(case.tier)
            yield _measure_case(session, case, data, folder, tell, tuned=tuned)


def _prepare(case: JoinCase, base: Path) -> list[Path]:
    return [prepare(case.workload(number), base) for number in range(case.ways)]


def _measure_case(
    spark: SparkSession,
    case: JoinCase,
    data: Sequence[Path],
    folder: Path,
    tell: Tell,
    *,
    tuned: bool,
) -> Outcome:
    plain: dict[str, list[Measured]] = {}
    mine: list[Measured] = []
    for number, store in enumerate(case.stores):
        for engine in ("native", "ours") if number % 2 == 0 else ("ours", "native"):
            here = folder / f"{engine}-{number}"
            if engine == "native":
                tell(f"{case.label}: plain Spark, {store} store")
                run = _native(spark, case, data, here, store, tuned=tuned)
                plain.setdefault(store, []).append(run)
            else:
                tell(f"{case.label}: Slackwater, {case.tier} tier")
                mine.append(_ours(spark, case, data, here))
    tell(f"{case.label}: compare")
    results, equal = _compare(case, data, [r for runs in plain.values() for r in runs] + mine)
    steady = (case.warmup, case.batches)
    return Outcome(
        case,
        {store: median_of(runs, *steady) for store, runs in plain.items()},
        median_of(mine, *steady),
        results,
        max(mine[0].extra["state_rows"]),
        max(mine[0].extra["state_bytes"]),
        max(run.extra["memory"] for run in mine),
        equal,
    )


def _native(
    spark: SparkSession,
    case: JoinCase,
    data: Sequence[Path],
    folder: Path,
    store: str,
    *,
    tuned: bool,
) -> Measured:
    """Joins in the written order, watermarks on all streams, append mode, Parquet sink."""
    frames = [_renamed(spark, name, path) for name, path in zip(case.names, data, strict=True)]
    joined = reduce(lambda one, other: _join(one, other, case.window), frames)
    columns = [f"{n}_{c}" for n in case.names for c in ("ts", "v")]
    return drain(spark, joined.select("a_key", *columns), folder, store, tuned=tuned)


def _renamed(spark: SparkSession, name: str, data: Path) -> DataFrame:
    rows = open_frame(spark, data)
    return rows.toDF(*(f"{name}_{c}" for c in rows.columns)).withWatermark(
        f"{name}_ts", f"{SLACK} seconds"
    )


def _join(one: DataFrame, other: DataFrame, window: int) -> DataFrame:
    name = other.columns[0].partition("_")[0]
    return chained(one, other, f"a_key = {name}_key", window)


def _ours(spark: SparkSession, case: JoinCase, data: Sequence[Path], folder: Path) -> Measured:
    inputs = [
        stream(name, open_frame(spark, path), time="ts", max_ahead=None)
        for name, path in zip(case.names, data, strict=True)
    ]
    results, checkpoint = folder / "results", folder / "checkpoint"
    query = matches(inputs, case.window).query(
        "matches", slack(f"{SLACK} seconds"), sink=ParquetSink(str(results))
    )
    with Peak() as peak:
        handle = pipeline(query).run(str(checkpoint), tier=case.tier, spark=spark)
    seconds, parts = batch_times(handle.query)
    batches = [event for event in handle.events() if event["event"] == "batch"]
    laps = [{name: ms / 1000 for name, ms in event["ms"].items()} for event in batches]
    extra = {
        "state_rows": [event["state"]["rows"] for event in batches],
        "state_bytes": [event["state"]["bytes"] for event in batches],
        "memory": peak.bytes,
    }
    merged = tuple({**part, **lap} for part, lap in zip(parts, laps, strict=True))
    return Measured("slackwater", seconds, results, merged, extra)


def matches(inputs: Sequence[Stream], window: int) -> Stream:
    """The join: same key, at most a window apart."""
    columns = [f"{s.name}.{c} AS {s.name}_{c}" for s in inputs for c in ("ts", "v")]
    joined = join(*inputs, on="key", within=f"{window} seconds")
    return joined.select("a.key AS a_key", *columns)


def _compare(case: JoinCase, data: Sequence[Path], runs: Sequence[Measured]) -> tuple[int, bool]:
    """Number of results, and whether every run has exactly those of a join over all rows."""
    columns = ["a_key", *(f"{n}_{c}" for n in case.names for c in ("ts", "v"))]
    shown = ", ".join(columns)
    with duckdb.connect(":memory:") as duck:
        duck.execute("SET TimeZone = 'UTC'")
        duck.execute("SET disabled_optimizers = 'join_order'")  # a key first, then times
        duck.execute(f"CREATE TABLE truth AS {_from_scratch(case, data)}")
        found = duck.execute("SELECT count(*) FROM truth").fetchone()
        equal = True
        for run in runs:
            path = f"{run.results}/**/*.parquet"
            mine = f"SELECT {shown} FROM read_parquet('{path}', hive_partitioning=false)"
            truth = f"SELECT {shown} FROM truth"
            for one, other in ((mine, truth), (truth, mine)):
                differ = duck.execute(f"({one}) EXCEPT ALL ({other}) LIMIT 1").fetchone()
                equal = equal and differ is None
    return (0 if found is None else int(found[0])), equal


def _from_scratch(case: JoinCase, data: Sequence[Path]) -> str:
    """The join over all rows; time in steps of the window is part of the key, for speed."""
    step = case.window * 1_000_000
    text = ""
    for n, (name, path) in enumerate(zip(case.names, data, strict=True)):
        rows = f"SELECT *, epoch_us(ts) AS t FROM read_parquet('{path}/*.parquet')"
        near = "0" if name == "a" else "unnest([-1, 0, 1])"
        source = f"(SELECT *, t // {step} + {near} AS step FROM ({rows})) AS {name}"
        conditions = [f"a.key = {name}.key", f"a.step = {name}.step"]
        conditions += [f"abs({name}.t - {o}.t) <= {step}" for o in case.names[:n]]
        text += f" JOIN {source} ON {' AND '.join(conditions)}" if n else source
    columns = ", ".join(f"{n}.ts AS {n}_ts, {n}.v AS {n}_v" for n in case.names)
    return f"SELECT a.key AS a_key, {columns} FROM {text}"
