"""Plain Spark against Slackwater: alternating runs, medians, results compared exactly."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from slackwater.bench import native, ours
from slackwater.bench.answer import Answers
from slackwater.bench.cases import Case
from slackwater.bench.data import prepare
from slackwater.bench.measured import AgainstSpark, Measured, median_of
from slackwater.bench.session import own_session

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Outcome(AgainstSpark):
    """One case measured: median batch of both engines in seconds, and whether they agree.

    ``stores`` has the median of plain Spark for each state store; the faster one counts.
    ``duckdb_s`` is the limit of the machine: the same answer once, over all files, in DuckDB.
    """

    case: Case
    stores: dict[str, float]
    slackwater_s: float
    duckdb_s: float
    results: int
    equal: bool

    def to_json(self) -> dict[str, Any]:
        return {
            "case": self.case.case,
            "rows_per_batch": self.case.rows,
            "keys": self.case.keys,
            "native_s": round(self.native_s, 4),
            "slackwater_s": round(self.slackwater_s, 4),
            "ratio": round(self.ratio, 3),
            "equal": self.equal,
            "tier": self.case.tier,
            "store": self.store,
            "stores_s": {name: round(s, 4) for name, s in self.stores.items()},
            "duckdb_once_s": round(self.duckdb_s, 4),
            "batches": self.case.batches,
            "warmup": self.case.warmup,
            "results": self.results,
        }


def report(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The benchmark's JSON."""
    return {"bench": "windows", "cases": [outcome.to_json() for outcome in outcomes]}


def measure(
    spark: SparkSession,
    cases: Sequence[Case],
    *,
    cache: Path | None = None,
    warm: bool = True,
    tuned: bool = False,
    tell: Tell = lambda _: None,
) -> Iterator[Outcome]:
    """Measure cases one after the other; ``tell`` hears of each step.

    Parameters
    ----------
    cache
        Where input files are kept for the next time; a temporary folder by default.
    warm
        Run both engines once before anything is measured.
    tuned
        Give plain Spark the settings that Slackwater chooses for its own streams.
    """
    session = own_session(spark)
    with tempfile.TemporaryDirectory(
        prefix="slackwater-bench-", ignore_cleanup_errors=True
    ) as scratch:
        for number, case in enumerate(cases):
            tell(f"{case.label}: input")
            data = prepare(case.workload, cache or Path(scratch) / "data")
            if warm and number == 0:
                warm_up(session, case, data, Path(scratch) / "warm", tell)
            # a folder per case: Spark's state stores look after theirs for a while after the end
            yield _measure_case(
                session, case, data, Path(scratch) / f"run-{number}", tell, tuned=tuned
            )


def warm_up(spark: SparkSession, case: Case, data: Path, scratch: Path, tell: Tell) -> None:
    """Run both engines once unmeasured: a fresh JVM is several times slower than a used one."""
    tell(f"{case.label}: warm up")
    native.run(spark, case, data, scratch / "native", next(iter(native.STORES)))
    ours.run(spark, case, data, scratch / "ours")


def _measure_case(
    spark: SparkSession, case: Case, data: Path, scratch: Path, tell: Tell, *, tuned: bool
) -> Outcome:
    tell(f"{case.label}: from scratch in DuckDB")
    with Answers(case, data) as answers:
        plain: dict[str, list[Measured]] = {}
        mine: list[Measured] = []
        for number, store in enumerate(case.stores):  # plain, ours, plain, ours
            tell(f"{case.label}: plain Spark, {store} store")
            folder = scratch / f"native-{number}"
            run = native.run(spark, case, data, folder, store, tuned=tuned)
            plain.setdefault(store, []).append(run)
            tell(f"{case.label}: Slackwater, {case.tier} tier")
            mine.append(ours.run(spark, case, data, scratch / f"ours-{number}"))
        tell(f"{case.label}: compare {answers.rows:,} results")
        return judge(case, plain, mine, answers)


def judge(
    case: Case, plain: dict[str, list[Measured]], mine: Sequence[Measured], answers: Answers
) -> Outcome:
    """Medians, and equality of every run with the truth and of both engines with each other."""
    theirs = [run for runs in plain.values() for run in runs]
    equal = all(answers.is_right(run.results) for run in [*theirs, *mine])
    equal = equal and answers.agree(theirs[0].results, mine[0].results)
    steady = (case.warmup, case.batches)
    stores = {store: median_of(runs, *steady) for store, runs in plain.items()}
    return Outcome(case, stores, median_of(mine, *steady), answers.seconds, answers.rows, equal)
