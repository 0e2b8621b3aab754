"""Files of a folder: whole jobs of plain Spark and of Slackwater, which reads them itself.

Sum and count by window and key over one hour of rows in twenty files, five a micro-batch, all
there from the start. A job is timed from the definition of its query to its end, by the clock.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from slackwater.bench import native
from slackwater.bench.folder import FILES, SCHEMA, SLACK, Hour, prepare_hour, scan
from slackwater.bench.measured import AgainstSpark
from slackwater.bench.session import own_session
from slackwater.bench.sums import Sums, once
from slackwater.errors import Problem, QueryError
from slackwater.execute.sinks import ParquetSink
from slackwater.query.contract import slack
from slackwater.spark.pipeline import pipeline, stream
from slackwater.spark.sources import files
from slackwater.units import SECOND

ROWS, QUICK_ROWS = 20_000_000, 1_000_000
WARM_ROWS = 200_000
FILES_PER_BATCH = 5
TWICE = ("hdfs", "hdfs")
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class FileCase:
    """Files of a format, windows in seconds; ``stores`` are those of plain Spark's rounds."""

    format: str
    size: int
    slide: int
    tier: str = "columnar"
    rows: int = ROWS
    stores: tuple[str, ...] = TWICE
    slack: int = SLACK

    @property
    def label(self) -> str:
        tier = "" if self.tier == "columnar" else f"-{self.tier}"
        return f"{self.format}-{self.size}-{self.slide}{tier}"

    @property
    def hour(self) -> Hour:
        return Hour(self.rows, self.format)


# One case takes both state stores; the others the faster one, and slow ones once.
CASES: tuple[FileCase, ...] = (
    FileCase("csv", 60, 60, stores=("hdfs", "rocksdb")),
    FileCase("csv", 60, 6, stores=("hdfs",)),
    FileCase("csv", 60, 1, stores=("hdfs",)),
    FileCase("csv", 60, 60, "spark"),
    FileCase("parquet", 60, 60),
    FileCase("json", 60, 60),
)


def choose(
    names: Sequence[str] = (), *, quick: bool = False, rows: int | None = None
) -> tuple[FileCase, ...]:
    """The cases to measure (all, if none is named); raises on a name that is none.

    Parameters
    ----------
    quick
        A million rows, and every engine once.
    rows
        So many rows instead.
    """
    known = [case.label for case in CASES]
    if found := _problems(names, known, rows):
        raise QueryError(found)
    cases = [case for case in CASES if not names or case.label in names]
    if quick:
        cases = [replace(case, rows=QUICK_ROWS, stores=case.stores[:1]) for case in cases]
    return tuple(case if rows is None else replace(case, rows=rows) for case in cases)


def _problems(names: Sequence[str], known: Sequence[str], rows: int | None) -> list[Problem]:
    found = []
    if unknown := [name for name in names if name not in known]:
        text = f"no case {', '.join(unknown)}; there are: {', '.join(known)}"
        found.append(Problem("CASE_UNKNOWN", "bench files, cases", text))
    if rows is not None and rows < FILES:
        text = f"{rows} is below {FILES}, one for each file"
        found.append(Problem("OPTION_INVALID", "bench files, rows", text))
    return found


@dataclass(frozen=True, slots=True)
class Job:
    """One run of one engine: seconds from definition to end, its batches, where results lie.

    ``by_spark`` are the rows that Spark read.
    """

    seconds: float
    batches: int
    by_spark: int
    results: Path


@dataclass(frozen=True, slots=True)
class Outcome(AgainstSpark):
    """One case measured: seconds of whole jobs, and whether all results are right.

    ``duckdb_s`` is the floor: the same answers, once, over all files, in DuckDB.
    ``by_spark`` are rows that Spark read for Slackwater: none, where files are plain.
    """

    case: FileCase
    stores: dict[str, float]
    slackwater_s: float
    duckdb_s: float
    batches: int
    by_spark: int
    results: int
    equal: bool

    @property
    def of_duckdb(self) -> float:
        """How many times as long as DuckDB Slackwater takes."""
        return self.slackwater_s / self.duckdb_s

    def to_json(self) -> dict[str, Any]:
        return {
            "case": self.case.label,
            "format": self.case.format,
            "tier": self.case.tier,
            "rows": self.case.hour.workload.rows * FILES,
            "files": FILES,
            "batches": self.batches,
            "spark_s": round(self.native_s, 4),
            "slackwater_s": round(self.slackwater_s, 4),
            "ratio": round(self.ratio, 3),
            "duckdb_once_s": round(self.duckdb_s, 4),
            "of_duckdb": round(self.of_duckdb, 3),
            "store": self.store,
            "stores_s": {name: round(s, 4) for name, s in self.stores.items()},
            "rows_read_by_spark": self.by_spark,
            "results": self.results,
            "equal": self.equal,
        }


def report(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The benchmark's JSON."""
    return {"bench": "files", "cases": [outcome.to_json() for outcome in outcomes]}


def measure(
    spark: SparkSession,
    cases: Sequence[FileCase],
    *,
    cache: Path | None = None,
    warm: bool = True,
    tell: Tell = lambda _: None,
) -> Iterator[Outcome]:
    """Measure cases one after the other; ``tell`` hears of each step.

    Parameters
    ----------
    cache
        Where input files are kept for the next time; a temporary folder by default.
    warm
        Before a case is measured, run it in every engine over few rows.
    """
    session = own_session(spark)
    with tempfile.TemporaryDirectory(
        prefix="slackwater-files-", ignore_cleanup_errors=True
    ) as scratch:
        base = cache or Path(scratch) / "data"
        for number, case in enumerate(cases):
            folder = Path(scratch) / f"run-{number}"
            if warm:
                tell(f"{case.label}: warm up")
                small = replace(case, rows=min(WARM_ROWS, case.rows), stores=case.stores[:1])
                _rounds(session, small, prepare_hour(small.hour, base), folder / "warm")
            tell(f"{case.label}: input")
            data = prepare_hour(case.hour, base)
            yield _measure_case(session, case, data, folder, tell)


def _measure_case(
    spark: SparkSession, case: FileCase, data: Path, folder: Path, tell: Tell
) -> Outcome:
    plain, mine, floor = _rounds(spark, case, data, folder, tell)
    tell(f"{case.label}: compare")
    with Sums(scan(data, case.format), case.size * SECOND, case.slide * SECOND) as sums:
        jobs = [*(job for jobs in plain.values() for job in jobs), *mine]
        equal = all(sums.are_right(job.results) for job in jobs)
        return Outcome(
            case,
            {store: median(job.seconds for job in jobs) for store, jobs in plain.items()},
            median(job.seconds for job in mine),
            median(floor),
            mine[0].batches,
            max(job.by_spark for job in mine),
            sums.rows,
            equal,
        )


def _rounds(
    spark: SparkSession, case: FileCase, data: Path, folder: Path, tell: Tell = lambda _: None
) -> tuple[dict[str, list[Job]], list[Job], list[float]]:
    """Plain Spark, Slackwater and DuckDB in turn, once for each store."""
    plain: dict[str, list[Job]] = {}
    mine, floor = [], []
    for number, store in enumerate(case.stores):
        tell(f"{case.label}: plain Spark, {store} store")
        job = _native(spark, case, data, folder / f"native-{number}", store)
        plain.setdefault(store, []).append(job)
        tell(f"{case.label}: Slackwater, {case.tier} tier")
        mine.append(_ours(spark, case, data, folder / f"ours-{number}"))
        tell(f"{case.label}: DuckDB")
        answers, rows = folder / f"once-{number}.parquet", scan(data, case.format)
        floor.append(once(rows, case.size * SECOND, case.slide * SECOND, answers))
    return plain, mine, floor


def _native(spark: SparkSession, case: FileCase, data: Path, folder: Path, store: str) -> Job:
    """Watermark, window, append mode, Parquet sink, Spark's own settings."""
    begin = time.perf_counter()
    rows = native.query(_open(spark, case, data), case, "k")
    run = native.drain(spark, rows, folder, store, tuned=False)
    seconds = time.perf_counter() - begin
    return Job(seconds, len(run.seconds), case.hour.workload.rows * FILES, run.results)


def _open(spark: SparkSession, case: FileCase, data: Path) -> DataFrame:
    columns = ", ".join(f"{name} {kind}" for name, kind in SCHEMA.items())
    reader = spark.readStream.format(case.format).schema(columns)
    reader = reader.option("maxFilesPerTrigger", FILES_PER_BATCH)
    if case.format == "csv":
        reader = reader.option("header", "true")
    return reader.load(f"file://{data}")


def _ours(spark: SparkSession, case: FileCase, data: Path, folder: Path) -> Job:
    """The same; no bound on how far a row may be ahead, because the sentinel is."""
    results = folder / "results"
    begin = time.perf_counter()
    source = files(data, case.format, schema=SCHEMA, files_per_batch=FILES_PER_BATCH)
    answers = (
        stream("rows", source, time="ts", max_ahead=None)
        .window(f"{case.size} seconds", f"{case.slide} seconds")
        .group_by("k")
        .aggregate(total="sum(v)", n="count(*)")
    )
    query = answers.query("answers", slack(f"{case.slack} seconds"), sink=ParquetSink(str(results)))
    handle = pipeline(query).run(str(folder / "checkpoint"), tier=case.tier, spark=spark)
    seconds = time.perf_counter() - begin
    batches = sum(event["event"] == "batch" for event in handle.events())
    by_spark = sum(progress["numInputRows"] for progress in handle.query.recentProgress)
    return Job(seconds, batches, by_spark, results)
