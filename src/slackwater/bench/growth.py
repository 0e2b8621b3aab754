"""How cost grows: with windows per row, with keys, with history, with open panes."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from pyspark.sql import SparkSession

from slackwater.bench import native, ours
from slackwater.bench.cases import Case, K, M
from slackwater.bench.data import prepare
from slackwater.bench.measured import Measured
from slackwater.bench.session import own_session
from slackwater.bench.windows import Tell, warm_up
from slackwater.errors import Problem, QueryError

STORE = "hdfs"
_BASE = Case("growth", 10, 10, 100 * K, 1 * K, batches=9, warmup=4)

OVERLAPS = (1, 2, 5, 10, 20, 60, 120)
KEYS = (100, 1 * K, 10 * K, 100 * K, 1 * M)
SLACKS = (0, 10, 30, 60, 120, 240)
HISTORY = replace(_BASE, rows=5 * K, keys=100, batches=240, warmup=40)
OPEN = replace(_BASE, slide=1, rows=20 * K, batches=36, warmup=30)


@dataclass(frozen=True, slots=True)
class Bench:
    """Where and on what to measure."""

    spark: SparkSession
    cache: Path
    scratch: Path
    tell: Tell
    quick: bool = False

    def ours(self, case: Case) -> Measured:
        self.tell(f"Slackwater, {case.tier} tier: {_describe(case)}")
        with tempfile.TemporaryDirectory(dir=self.scratch) as folder:
            return ours.run(self.spark, case, prepare(case.workload, self.cache), Path(folder))

    def native(self, case: Case) -> Measured:
        self.tell(f"plain Spark, {STORE} store: {_describe(case)}")
        # not removed at once: Spark's state store looks after its files for a while
        folder = Path(tempfile.mkdtemp(dir=self.scratch))
        return native.run(self.spark, case, prepare(case.workload, self.cache), folder, STORE)

    def some(self, values: Sequence[int]) -> Sequence[int]:
        """All values, or three of them when in a hurry."""
        return values[:: (len(values) - 1) // 2] if self.quick else values


def _describe(case: Case) -> str:
    what = f"{case.size} s / {case.slide} s, {case.rows:,} rows, {case.keys:,} keys"
    return f"{what}, slack {case.slack} s"


def _micros_per_row(run: Measured, case: Case) -> float:
    return round(median(run.steady(case.warmup, case.batches)) / case.rows * 1e6, 4)


def by_overlap(bench: Bench) -> list[dict[str, Any]]:
    """Microseconds per row against size/slide; state is steady before the measured batches."""
    found = []
    for overlap in bench.some(OVERLAPS):
        steady = -(-overlap // _BASE.workload.span) + 1  # batches until a window is full
        case = replace(_BASE, size=overlap, slide=1, batches=steady + 6, warmup=steady + 1)
        point = {"overlap": overlap, "slackwater_us": _micros_per_row(bench.ours(case), case)}
        if overlap <= 60:
            point["native_us"] = _micros_per_row(bench.native(case), case)
        found.append(point)
    return found


def by_keys(bench: Bench) -> list[dict[str, Any]]:
    """Microseconds per row against the number of keys, on both tiers."""
    found = []
    for keys in bench.some(KEYS):
        case = replace(_BASE, keys=keys, rows=200 * K)
        found.append(
            {
                "keys": keys,
                "native_us": _micros_per_row(bench.native(case), case),
                "columnar_us": _micros_per_row(bench.ours(case), case),
                "spark_us": _micros_per_row(bench.ours(replace(case, tier="spark")), case),
            }
        )
    return found


def by_history(bench: Bench) -> dict[str, Any]:
    """Seconds of each of many small batches, and the last quarter against the first."""
    case = replace(HISTORY, batches=80) if bench.quick else HISTORY
    run = bench.ours(case)
    steady = run.steady(case.warmup, case.batches)
    quarter = len(steady) // 4
    grown = median(steady[-quarter:]) / median(steady[:quarter])
    return {
        "seconds": [round(s, 4) for s in run.steady(0, case.batches)],
        "state_rows": run.extra["state_rows"][: case.batches],
        "warmup": case.warmup,
        "last_to_first": round(grown, 3),
    }


def by_open_panes(bench: Bench) -> list[dict[str, Any]]:
    """Rows and bytes of state against the slack: every second of it keeps a pane open."""
    found = []
    for slack in bench.some(SLACKS):
        case = replace(OPEN, slack=slack)
        run = bench.ours(case)
        rows = run.extra["state_rows"][case.warmup : case.batches]
        stored = run.extra["state_bytes"][case.warmup : case.batches]
        found.append(
            {
                "slack_s": slack,
                "open_panes": slack + case.size,
                "state_rows": max(rows),
                "state_bytes": max(stored),
                "slackwater_us": _micros_per_row(run, case),
            }
        )
    return found


SERIES: dict[str, Callable[[Bench], Any]] = {
    "overlap": by_overlap,
    "keys": by_keys,
    "history": by_history,
    "panes": by_open_panes,
}


def measure(
    spark: SparkSession,
    only: Sequence[str] = (),
    *,
    cache: Path | None = None,
    quick: bool = False,
    tell: Tell = lambda _: None,
) -> dict[str, Any]:
    """All series (or only those named) as the benchmark's JSON."""
    if unknown := [name for name in only if name not in SERIES]:
        text = f"{', '.join(unknown)}: there are {', '.join(SERIES)}"
        raise QueryError([Problem("SERIES_UNKNOWN", "bench growth, only", text)])
    with tempfile.TemporaryDirectory(
        prefix="slackwater-bench-", ignore_cleanup_errors=True
    ) as folder:
        scratch = Path(folder)
        bench = Bench(own_session(spark), cache or scratch / "data", scratch, tell, quick)
        warm_up(bench.spark, _BASE, prepare(_BASE.workload, bench.cache), scratch / "warm", tell)
        names = only or list(SERIES)
        return {"bench": "growth", **{name: SERIES[name](bench) for name in names}}
