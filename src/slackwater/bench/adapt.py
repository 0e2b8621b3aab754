"""Plans that follow the stream: an adaptive join against every fixed plan, on the same files.

The adaptive join and one for each plan get the same batch in turn, so that whatever disturbs the
machine disturbs all of them alike. Loads are such that the wrong plan joins for longer than a batch
takes anyway. Plain Spark, whose plan is fixed, runs through the first phase, alone. Results are
compared with DuckDB over all rows.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path
from statistics import median
from typing import Any

import duckdb
from pyspark.sql import DataFrame, SparkSession

from slackwater.bench import lockstep
from slackwater.bench.data import BEGIN, files_of
from slackwater.bench.drift import NAMES, Drift, Phase, first_files, open_streams, prepare
from slackwater.bench.measured import Measured, batch_times
from slackwater.bench.native import chained, drain
from slackwater.bench.session import own_session
from slackwater.errors import Problem, QueryError
from slackwater.execute.sinks import ParquetSink
from slackwater.plan.resources import bytes_of
from slackwater.query.contract import slack
from slackwater.query.join import join
from slackwater.query.resources import resources
from slackwater.spark.handle import Handle
from slackwater.spark.pipeline import Pipeline, pipeline, stream
from slackwater.units import SECOND

ADAPTIVE = "adaptive"
PLANS = ("(b a c)", "((a b) c)", "(a (b c))")  # without a Cartesian product: ((a c) b) is one
WARM = 6  # batches of the first phase that are not counted: windows fill, the engine gets warm
COLUMNS = tuple(f"{name}_{column}" for name in NAMES for column in ("ts", "v"))
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class AdaptCase:
    """A drift, the window in seconds, and the limit of the adaptive join if any."""

    case: str
    drift: Drift
    window: int = 160
    limit: str | None = None
    tier: str = "columnar"
    plans: tuple[str, ...] = PLANS
    quick: bool = False


FEW, MANY = 330_000_000, 660_000  # values of a key: hundredths of a partner in a window, or five
EVEN = (200_000, 200_000, 200_000)
ONE = Phase(28, EVEN, j=FEW, k=MANY)
OTHER = replace(ONE, j=MANY, k=FEW)
# ten partners of the middle stream for each row of the fast one; that one rests before the other
# begins, else rows of both would meet by the hundred million
FAST_A = Phase(26, (400_000, 160_000, 1_000), j=128_000, k=128_000)
LULL = replace(FAST_A, batches=9, rows=(1_000, 160_000, 1_000))
FAST_C = replace(FAST_A, rows=(1_000, 160_000, 400_000))
SMALL = Phase(24, (100_000, 100_000, 100_000), j=3_300_000, k=1_650_000)
LARGE = replace(SMALL, rows=EVEN)
CASES: tuple[AdaptCase, ...] = (
    AdaptCase("steady", Drift((replace(ONE, batches=32),))),
    AdaptCase("selectivities swap", Drift((ONE, OTHER)), quick=True),
    AdaptCase("rates swap", Drift((FAST_A, LULL, FAST_C)), window=80),
    AdaptCase("four swaps", Drift((ONE, OTHER, ONE, OTHER, ONE))),
    AdaptCase("memory limit", Drift((SMALL, LARGE)), limit="300 MB"),
    AdaptCase("selectivities swap, spark", Drift((ONE, OTHER)), tier="spark"),
)


def choose(only: Sequence[str] = (), *, quick: bool = False) -> tuple[AdaptCase, ...]:
    """The cases to measure; raises on a name that is none."""
    known = {case.case: case for case in CASES}
    unknown = [name for name in only if name not in known]
    if unknown:
        text = f"no case {', '.join(unknown)}; there are: {', '.join(known)}"
        raise QueryError([Problem("CASE_UNKNOWN", "bench adapt", text)])
    return tuple(c for c in CASES if (c.case in only if only else c.quick or not quick))


@dataclass(frozen=True, slots=True)
class Side:
    """One join of several that get the same batches: seconds, rows and bytes held, by batch.

    ``moved`` are the batches in which a tree was changed by moving state, ``trees`` those in force.
    """

    run: Measured
    rows: tuple[int, ...]
    bytes: tuple[int, ...]
    trees: tuple[str, ...]
    moved: tuple[int, ...] = ()
    predicted: tuple[tuple[float, float], ...] = ()

    def seconds(self, first: int, last: int) -> float:
        return sum(self.run.seconds[first:last])


@dataclass(frozen=True, slots=True)
class Outcome:
    """A case measured: seconds of all batches that count; ``native_s`` of the first phase's."""

    case: AdaptCase
    adaptive: Side
    plans: dict[str, Side]
    native_s: float | None
    equal: bool
    results: int = 0

    def _spans(self) -> list[tuple[int, int]]:
        """The batches of each phase that count."""
        drift = self.case.drift
        starts = drift.starts()
        ends = [*starts[1:], drift.batches]
        return [(max(WARM, start), end) for start, end in zip(starts, ends, strict=True)]

    @property
    def hindsight_s(self) -> float:
        """The best plan of each phase, changed at no cost."""
        return sum(
            min(side.seconds(*span) for side in self.plans.values()) for span in self._spans()
        )

    def total(self, side: Side) -> float:
        return side.seconds(WARM, self.case.drift.batches)

    @property
    def adaptive_s(self) -> float:
        return self.total(self.adaptive)

    @property
    def best_static_s(self) -> float:
        return min(map(self.total, self.plans.values()))

    @property
    def worst_static_s(self) -> float:
        return max(map(self.total, self.plans.values()))

    @property
    def longest_pause_s(self) -> float:
        """By how much a batch that moved state was longer than those around it."""
        seconds = self.adaptive.run.seconds
        return max(
            (seconds[n] - median(_around(seconds, n)) for n in self.adaptive.moved), default=0.0
        )

    @property
    def batch_s(self) -> float:
        """A usual batch of the adaptive join."""
        return median(self.adaptive.run.seconds[WARM : self.case.drift.batches])

    @property
    def course(self) -> str:
        """The plans, with the batch from which on each was in force."""
        trees = self.adaptive.trees
        told = [f"{tree} from {n}" for n, tree in enumerate(trees) if not n or trees[n - 1] != tree]
        return ", ".join(told)

    @property
    def peaks(self) -> dict[str, int]:
        """The most bytes that each fixed plan held."""
        return {name: max(side.bytes) for name, side in self.plans.items()}

    def to_json(self) -> dict[str, Any]:
        rows, held = max(self.adaptive.rows), max(self.adaptive.bytes)
        limit = None if self.case.limit is None else bytes_of(self.case.limit)
        return {
            "case": self.case.case,
            "tier": self.case.tier,
            "adaptive_s": round(self.adaptive_s, 3),
            "best_static_s": round(self.best_static_s, 3),
            "worst_static_s": round(self.worst_static_s, 3),
            "hindsight_s": round(self.hindsight_s, 3),
            "native_s": None if self.native_s is None else round(self.native_s, 3),
            "adaptive_first_phase_s": round(self.adaptive.seconds(*self._spans()[0]), 3),
            "plans_s": {name: round(self.total(side), 3) for name, side in self.plans.items()},
            "migrations": len(self.adaptive.moved),
            "longest_pause_s": round(self.longest_pause_s, 3),
            "batch_s": round(self.batch_s, 3),
            "peak_rows": rows,
            "limit_rows": None if limit is None else round(limit * rows / held),
            "peak_bytes": held,
            "limit_bytes": limit,
            "plans_peak_bytes": self.peaks,
            "results": self.results,
            "equal": self.equal,
            "batches": {
                "adaptive": _rounded(self.adaptive.run.seconds),
                **{name: _rounded(side.run.seconds) for name, side in self.plans.items()},
            },
            "trees": list(self.adaptive.trees),
            "predicted_measured_s": [*self.adaptive.predicted],
        }


def _around(seconds: Sequence[float], batch: int) -> Sequence[float]:
    return [*seconds[max(0, batch - 3) : batch], *seconds[batch + 1 : batch + 4]]


def _rounded(seconds: Sequence[float]) -> list[float]:
    return [round(one, 3) for one in seconds]


def report(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The benchmark's JSON."""
    return {"bench": "adapt", "cases": [outcome.to_json() for outcome in outcomes]}


def measure(
    spark: SparkSession,
    cases: Sequence[AdaptCase],
    *,
    cache: Path | None = None,
    native: bool = True,
    tell: Tell = lambda _: None,
) -> Iterator[Outcome]:
    """Measure cases one after the other."""
    session = own_session(spark)
    session.conf.set(*lockstep.POLLING)
    with tempfile.TemporaryDirectory(
        prefix="slackwater-adapt-", ignore_cleanup_errors=True
    ) as scratch:
        for number, case in enumerate(cases):
            tell(f"{case.case}: input")
            data = prepare(case.drift, cache or Path(scratch) / "data")
            folder = Path(scratch) / f"run-{number}"
            if not number:
                tell(f"{case.case}: warm up")
                _warm(session, case, data, folder / "warm")
            sides = _sides(session, case, data, folder, tell)
            tell(f"{case.case}: compare")
            with Truth(case, data) as truth:
                equal = all(truth.is_right(side.run.results) for side in sides.values())
                native_s = None
                if native:
                    tell(f"{case.case}: plain Spark")
                    phase = case.drift.phases[0].batches
                    plain = _native(session, case, data, folder / "native")
                    native_s = sum(plain.seconds[WARM:phase])
                    equal = equal and truth.is_right(plain.results, phase)
                yield Outcome(case, sides.pop(ADAPTIVE), sides, native_s, equal, truth.rows)


def _sides(
    spark: SparkSession, case: AdaptCase, data: Path, folder: Path, tell: Tell
) -> dict[str, Side]:
    """All joins, each given the same file in turn."""
    handles: dict[str, Handle] = {}
    orders = (ADAPTIVE, *case.plans)
    folders = {order: folder / f"side-{number}" for number, order in enumerate(orders)}
    try:
        for order, here in folders.items():
            (here / "input").mkdir(parents=True)
            ready = build(spark, case, here / "input", here / "results", order)
            handles[order] = ready.start(str(here / "checkpoint"), tier=case.tier, spark=spark)
        sides = {here / "input": handles[order] for order, here in folders.items()}
        files = files_of(data)
        for number, file in enumerate(files):
            tell(f"{case.case}: batch {number + 1} of {len(files)}")
            lockstep.feed(sides, [file], first=number)
        return {order: _side(handles[order], here / "results") for order, here in folders.items()}
    finally:
        for handle in handles.values():
            handle.stop()


def _side(handle: Handle, results: Path) -> Side:
    seconds, parts = batch_times(handle.query)
    events = list(handle.events())
    batches = [event for event in events if event["event"] == "batch"]
    found = [event["queries"]["joined"]["controllers"] for event in batches]
    adapted = [one.get("adapt", {}) for one in found]
    pairs = [(one.get("predicted_s"), one.get("measured_s")) for one in adapted]
    return Side(
        Measured("slackwater", seconds, results, parts),
        tuple(event["state"]["rows"] for event in batches),
        tuple(event["state"]["bytes"] for event in batches),
        tuple(one["join_plan"]["tree"] for one in found),
        tuple(event["batch"] for event in events if event["event"] == "migration"),
        tuple((p, m) for p, m in pairs if p is not None and m is not None),
    )


def build(spark: SparkSession, case: AdaptCase, data: Path, results: Path, order: str) -> Pipeline:
    """The join by a plan, or by whatever plan is best."""
    streams = open_streams(spark, data)
    inputs = [stream(name, rows, time="ts", max_ahead=None) for name, rows in streams.items()]
    joined = join(
        *inputs, on=["a.j = b.j", "b.k = c.k"], within=f"{case.window} seconds", order=order
    )
    shown = joined.select(*(f"{n}.{c} AS {n}_{c}" for n in NAMES for c in ("ts", "v")))
    limits = resources(memory=case.limit) if case.limit and order == ADAPTIVE else None
    sink = ParquetSink(str(results))
    return pipeline(shown.query("joined", slack("1 second"), sink=sink, resources=limits))


def _warm(spark: SparkSession, case: AdaptCase, data: Path, folder: Path) -> None:
    """Let the engine run a few batches, so that the first join measured is not the slowest."""
    some = first_files(data, folder / "input", WARM)
    ready = build(spark, case, some, folder / "results", ADAPTIVE)
    ready.run(str(folder / "checkpoint"), tier=case.tier, spark=spark)


def _native(spark: SparkSession, case: AdaptCase, data: Path, folder: Path) -> Measured:
    """Plain Spark through the first phase: chained joins in the written order, all that it has."""
    some = first_files(data, folder / "input", case.drift.phases[0].batches)
    frames = []
    for name, rows in open_streams(spark, some).items():
        renamed = rows.toDF(*(f"{name}_{column}" for column in rows.columns))
        frames.append(renamed.withWatermark(f"{name}_ts", "1 second"))
    joined = reduce(lambda one, other: _chained(one, other, case.window), frames)
    return drain(spark, joined.select(*COLUMNS), folder, "rocksdb", tuned=False)


def _chained(one: DataFrame, other: DataFrame, window: int) -> DataFrame:
    name = other.columns[0].partition("_")[0]
    return chained(one, other, "a_j = b_j" if name == "b" else "b_k = c_k", window)


class Truth:
    """The results of a join over all rows, and the judge of others.

    Two multisets of rows are equal if as many rows have the same sum of hashes, twice: millions of
    results of several plans are too many to be sorted against each other.
    """

    def __init__(self, case: AdaptCase, data: Path) -> None:
        self._duck = duckdb.connect(":memory:")
        self._duck.execute("SET TimeZone = 'UTC'")
        self._duck.execute(f"CREATE TABLE truth AS {_from_scratch(case, data)}")
        self._span = case.drift.span * SECOND
        self._digests: dict[str, tuple[int, ...]] = {}

    def __enter__(self) -> Truth:
        return self

    def __exit__(self, *_: object) -> None:
        self._duck.close()

    @property
    def rows(self) -> int:
        return self._of_truth("true")[0]

    def is_right(self, results: Path, batches: int | None = None) -> bool:
        """Whether files hold exactly the right results, of all batches or of the first ones."""
        end = "true"
        if batches is not None:
            last = " , ".join(f"epoch_us({name}_ts)" for name in NAMES)
            end = f"greatest({last}) < {BEGIN + batches * self._span}"
        return self._digest(f"FROM ({_given([results])})") == self._of_truth(end)

    def _of_truth(self, end: str) -> tuple[int, ...]:
        if end not in self._digests:
            self._digests[end] = self._digest(f"FROM truth WHERE {end}")
        return self._digests[end]

    def _digest(self, rows: str) -> tuple[int, ...]:
        """How many rows there are, and the sums of two independent hashes of them."""
        values = ", ".join(
            f"epoch_us({column})" if column.endswith("_ts") else f"CAST({column} AS BIGINT)"
            for column in COLUMNS
        )
        found = self._duck.execute(
            f"SELECT count(*), sum(CAST(hash({values}) AS HUGEINT)), "
            f"sum(CAST(hash({values}, 'again') AS HUGEINT)) {rows}"
        ).fetchone()
        assert found is not None
        return tuple(0 if one is None else int(one) for one in found)

    def differences(self, results: Sequence[Path]) -> tuple[int, int]:
        """How many results files lack, and how many they have too often, or wrongly."""
        mine, truth = _given(results), f"SELECT {', '.join(COLUMNS)} FROM truth"
        return self._count(truth, mine), self._count(mine, truth)

    def _count(self, one: str, other: str) -> int:
        counted = f"SELECT count(*) FROM (({one}) EXCEPT ALL ({other}))"
        found = self._duck.execute(counted).fetchone()
        return 0 if found is None else int(found[0])


def _given(results: Sequence[Path]) -> str:
    """All rows of some sinks."""
    files = ", ".join(f"'{folder}/**/*.parquet'" for folder in results)
    rows = f"read_parquet([{files}], hive_partitioning=false)"
    return f"SELECT {', '.join(COLUMNS)} FROM {rows}"


def _from_scratch(case: AdaptCase, data: Path) -> str:
    rows = f"read_parquet('{data}/[0-9]*.parquet')"
    source = {name: f"(SELECT * FROM {rows} WHERE s = {n})" for n, name in enumerate(NAMES)}
    near = " AND ".join(
        f"abs(epoch_us({one}.ts) - epoch_us({other}.ts)) <= {case.window * SECOND}"
        for one, other in (("a", "b"), ("b", "c"), ("a", "c"))
    )
    columns = ", ".join(f"{n}.{c} AS {n}_{c}" for n in NAMES for c in ("ts", "v"))
    return (
        f"SELECT {columns} FROM {source['a']} a JOIN {source['b']} b ON a.j = b.j "
        f"JOIN {source['c']} c ON b.k = c.k WHERE {near}"
    )
