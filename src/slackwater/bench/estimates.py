"""Estimates: what they cost, how fast one is given on demand, and beside Spark's update mode.

The queries of ``bench windows`` with and without one estimate per batch, side by side on the same
files; finals are compared row by row. Then the same query in plain Spark's update mode, which emits
every change.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from statistics import mean, median
from typing import Any

import duckdb
from pyspark.sql import DataFrame, SparkSession

from slackwater.bench import lockstep, native, ours
from slackwater.bench.answer import Answers
from slackwater.bench.cases import Case, K
from slackwater.bench.data import BEGIN, files_of, open_frame, prepare
from slackwater.bench.measured import Measured
from slackwater.bench.session import own_session
from slackwater.errors import Problem, QueryError, SlackwaterError
from slackwater.query.estimates import Estimates, estimates
from slackwater.spark.handle import Handle
from slackwater.units import SECOND

Tell = Callable[[str], None]
ROUNDS = 3
PAUSE = 0.2

CASES: tuple[Case, ...] = (
    Case("tumbling-60", 60, 60, 200 * K, 1 * K, batches=72, warmup=12, quick=True),
    Case("sliding-10", 60, 6, 200 * K, 1 * K, batches=36, warmup=12),
    Case("tumbling-60", 60, 60, 200 * K, 1 * K, "spark", batches=36, warmup=12),
)


def choose(only: Sequence[str] = (), *, quick: bool = False) -> list[Case]:
    """The cases to measure; raises on a name that is none."""
    known = {case.label: case for case in CASES}
    if unknown := [name for name in only if name not in known]:
        text = f"no case {', '.join(unknown)}; there are: {', '.join(known)}"
        raise QueryError([Problem("CASE_UNKNOWN", "bench estimates", text)])
    found = [c for c in CASES if (c.label in only if only else c.quick or not quick)]
    return [replace(c, batches=12, warmup=6) for c in found] if quick else found


@dataclass(frozen=True, slots=True)
class Outcome:
    """One case: batches of each round with and without estimates, seconds of one on demand."""

    case: Case
    finals: tuple[tuple[float, ...], ...]
    estimates: tuple[tuple[float, ...], ...]
    estimate_s: float
    estimate_worst_s: float
    asked: int
    rows: int
    accuracy: float | None
    equal: bool

    @property
    def finals_only_s(self) -> float:
        """The mean batch: estimates are paid for in most batches, judged where windows close."""
        return mean(chain(*self.finals))

    @property
    def with_estimates_s(self) -> float:
        return mean(chain(*self.estimates))

    @property
    def overhead(self) -> float:
        """Share of the batch time that one estimate per batch adds."""
        return self.with_estimates_s / self.finals_only_s - 1

    def to_json(self) -> dict[str, Any]:
        return {
            "case": self.case.label,
            "tier": self.case.tier,
            "finals_only_s": round(self.finals_only_s, 4),
            "with_estimates_s": round(self.with_estimates_s, 4),
            "overhead": round(self.overhead, 4),
            "rounds_s": self._each(mean),
            "rounds_median_s": self._each(median),
            "estimate_s": round(self.estimate_s, 4),
            "estimate_worst_s": round(self.estimate_worst_s, 4),
            "asked": self.asked,
            "rows_per_estimate": self.rows,
            "accuracy_of_total": self.accuracy,
            "equal_finals": self.equal,
        }

    def _each(self, of: Callable[[Sequence[float]], float]) -> dict[str, list[float]]:
        """One figure of each round."""
        return {
            "finals": [round(of(batches), 4) for batches in self.finals],
            "estimates": [round(of(batches), 4) for batches in self.estimates],
        }


@dataclass(frozen=True, slots=True)
class Emission:
    """How a way of answering looks from outside.

    ``rows_per_result`` counts what is written for one window and key until it is final;
    ``first_s`` is event time from the start of a window until its first answer.
    """

    mode: str
    batch_s: float
    rows_per_result: float
    first_s: float
    labelled: bool

    def to_json(self) -> dict[str, Any]:
        return {
            "mode": self.mode,
            "batch_s": round(self.batch_s, 4),
            "rows_per_result": round(self.rows_per_result, 2),
            "first_answer_s": round(self.first_s, 2),
            "labelled": self.labelled,
        }


def report(outcomes: Sequence[Outcome], emissions: Sequence[Emission]) -> dict[str, Any]:
    """The benchmark's JSON."""
    return {
        "bench": "estimates",
        "cases": [outcome.to_json() for outcome in outcomes],
        "update_mode": [emission.to_json() for emission in emissions],
    }


def measure(
    spark: SparkSession,
    cases: Sequence[Case],
    *,
    cache: Path | None = None,
    rounds: int = ROUNDS,
    tell: Tell = lambda _: None,
) -> Iterator[Outcome]:
    """Measure cases one after the other; the first round of each is not counted."""
    session = own_session(spark)
    session.conf.set(*lockstep.POLLING)
    with tempfile.TemporaryDirectory(prefix="slackwater-estimates-") as scratch:
        for case in cases:
            tell(f"{case.label}: input")
            data = prepare(case.workload, cache or Path(scratch) / "data")
            yield _measure_case(session, case, data, Path(scratch) / case.label, rounds, tell)


def _measure_case(  # noqa: PLR0917
    spark: SparkSession, case: Case, data: Path, folder: Path, rounds: int, tell: Tell
) -> Outcome:
    pairs: list[dict[str, Measured]] = []
    for number in range(rounds + 1):
        tell(f"{case.label}: round {number or 'to warm up'}")
        pairs.append(_side_by_side(spark, case, data, folder / str(number)))
    tell(f"{case.label}: on demand")
    asked, last = _on_demand(spark, case, data, folder / "asked")
    tell(f"{case.label}: compare finals")
    steady = (case.warmup, case.batches)
    told = pairs[-1]["estimates"].extra["estimates"]
    return Outcome(
        case,
        tuple(pair["finals"].steady(*steady) for pair in pairs[1:]),
        tuple(pair["estimates"].steady(*steady) for pair in pairs[1:]),
        median(asked),
        max(asked),
        len(asked),
        last,
        told[-1]["accuracy"]["total"]["mean"],
        _are_equal(case, data, [run for pair in pairs for run in pair.values()]),
    )


def _side_by_side(spark: SparkSession, case: Case, data: Path, folder: Path) -> dict[str, Measured]:
    """Two pipelines, one with an estimate in every batch, each given the same files in turn."""
    ways: dict[str, Sequence[Estimates]] = {"finals": (), "estimates": (estimates(every=0),)}
    handles: dict[str, Handle] = {}
    try:
        for name, terms in ways.items():
            (folder / name / "input").mkdir(parents=True)
            ready = ours.build(
                spark, case, folder / name / "input", folder / name / "results", estimates=terms
            )
            checkpoint = str(folder / name / "checkpoint")
            handles[name] = ready.start(checkpoint, tier=case.tier, spark=spark)
        sides = {folder / name / "input": handle for name, handle in handles.items()}
        lockstep.feed(sides, files_of(data))
        return {n: ours.measured(h, folder / n / "results") for n, h in handles.items()}
    finally:
        for handle in handles.values():
            handle.stop()


def _on_demand(
    spark: SparkSession, case: Case, data: Path, folder: Path
) -> tuple[list[float], int]:
    """Seconds of estimates asked for while the stream runs, rows fetched; rows of the last one."""
    handle = ours.build(spark, case, data, folder / "results").start(
        str(folder / "checkpoint"), tier=case.tier, trigger="available-now", spark=spark
    )
    found: list[float] = []
    rows = 0
    while handle.is_active:
        begin = time.perf_counter()
        try:
            rows = handle.estimate("answers").toArrow().num_rows
            found.append(time.perf_counter() - begin)
        except SlackwaterError:
            pass  # nothing is open before the first batch
        time.sleep(PAUSE)
    handle.await_termination()
    return found[2:] or found, rows


def _are_equal(case: Case, data: Path, runs: Sequence[Measured]) -> bool:
    """Whether all finals are the right ones, and the same with and without estimates."""
    with Answers(case, data) as answers:
        return all(answers.is_right(run.results, "kind = 'final'") for run in runs)


def compare(
    spark: SparkSession,
    case: Case,
    *,
    cache: Path | None = None,
    tell: Tell = lambda _: None,
) -> list[Emission]:
    """Rows per result and time to the first answer: plain Spark's modes, and ours."""
    session = own_session(spark)
    case = replace(case, batches=min(case.batches, 24), warmup=min(case.warmup, 8))
    found: list[Emission] = []
    modes = {
        "plain Spark, append": None,
        "plain Spark, update": None,
        "finals only": (),
        "every batch": (estimates(every=0),),
        "every 20 s": (estimates(every=20),),
        "aggressiveness 0.25": (estimates(aggressiveness=0.25),),
    }
    with tempfile.TemporaryDirectory(prefix="slackwater-estimates-") as scratch:
        data = prepare(case.workload, cache or Path(scratch) / "data")
        for mode, terms in modes.items():
            tell(f"{mode}")
            folder = Path(scratch) / mode.replace(" ", "-").replace(",", "")
            if terms is None:
                run = _native(session, case, data, folder, mode.rpartition(" ")[2])
            else:
                run = ours.run(session, case, data, folder, estimates=terms)
            found.append(_emission(mode, case, run, labelled=terms is not None))
    return found


def _native(spark: SparkSession, case: Case, data: Path, folder: Path, mode: str) -> Measured:
    """Plain Spark, with its results in a folder per batch."""
    results = folder / "results"

    def keep(rows: DataFrame, batch: int) -> None:
        rows.write.parquet(f"file://{results}/batch={batch}")

    rows = native.query(open_frame(spark, data), case)
    return native.drain_to(spark, rows, folder, keep, mode)


def _emission(mode: str, case: Case, run: Measured, *, labelled: bool) -> Emission:
    """Read from what was written; the clock after batch n is where its rows end."""
    with duckdb.connect(":memory:") as duck:
        duck.execute("SET TimeZone = 'UTC'")
        last = BEGIN + (case.batches * case.workload.span - case.size) * SECOND
        found = duck.sql(
            "SELECT count(*), min(batch::BIGINT), epoch_us(window_start) AS began "
            f"FROM read_parquet('{run.results}/*/*.parquet', hive_partitioning = true) "
            f"WHERE epoch_us(window_start) BETWEEN {BEGIN} AND {last} GROUP BY began, key"
        ).fetchall()
    span = case.workload.span * SECOND
    first = [(BEGIN + (batch + 1) * span - began) / SECOND for _, batch, began in found]
    seconds = median(run.steady(case.warmup, case.batches))
    return Emission(mode, seconds, mean(rows for rows, _, _ in found), mean(first), labelled)
