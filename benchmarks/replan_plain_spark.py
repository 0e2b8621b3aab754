"""What does it take to change the order of a join that runs, in plain Spark and in Slackwater?

Three streams are joined in the order a, b, c; after half of the input the order is to be b, c, a.
Plain Structured Streaming has three ways: go on with the same checkpoint; a new checkpoint, for
which a window of input is read again (all of it in one batch, the quickest it can be); a new
checkpoint that begins where the old one ended. Slackwater has ``handle.replan``. Same files for
all; what is lost and what comes twice is counted against DuckDB, which joins all rows from scratch.

    python benchmarks/replan_plain_spark.py [--rows 5000] [--window 16] [--batches 36]
        [--json FILE]

``rows`` of each stream in a batch, ``window`` in batches. Prints a line for each way.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import reduce
from pathlib import Path
from statistics import median
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from slackwater.bench import lockstep
from slackwater.bench.adapt import COLUMNS, AdaptCase, Truth, build
from slackwater.bench.data import files_of
from slackwater.bench.drift import NAMES, Drift, Phase, open_streams, prepare
from slackwater.bench.measured import Measured, batch_times
from slackwater.bench.native import chained, drain
from slackwater.bench.session import bench_session, own_session

SPAN = 10  # seconds of a batch
AROUND = 3  # batches before and after a change that tell what a batch takes
ON = {frozenset("ab"): "a_j = b_j", frozenset("bc"): "b_k = c_k"}
FIRST, SECOND = "abc", "bca"
TREES = {FIRST: "((a b) c)", SECOND: "((b c) a)"}


@dataclass(frozen=True)
class Change:
    """A way to change the order: what was read again, how long it took, what became of results.

    ``seconds``: until the new order had come to where the old one stopped, or until it failed; in
    Slackwater, by how much the batch that changed was longer than those around it.
    """

    way: str
    says: str
    rows_again: int
    seconds: float | None
    lost: int | None
    twice: int | None


@dataclass(frozen=True)
class Course:
    """The input: a case of so many files, the change after ``half`` of them."""

    case: AdaptCase
    data: Path
    window: int

    @property
    def files(self) -> list[Path]:
        return files_of(self.data)[:-1]

    @property
    def half(self) -> int:
        return len(self.files) // 2

    @property
    def batch_rows(self) -> int:
        return sum(self.case.drift.phases[0].rows)


def course(rows: int, window: int, batches: int, folder: Path) -> Course:
    """Half a partner of each row in each stream that it is joined with, within the window."""
    values = 4 * window * rows
    drift = Drift((Phase(batches, (rows,) * 3, j=values, k=values),), span=SPAN)
    case = AdaptCase("replan", drift, window=window * SPAN)
    return Course(case, prepare(drift, folder), window)


def linked(folder: Path, files: Sequence[Path]) -> Path:
    """A folder in which these files are found, beside those that are there."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in files:
        (folder / path.name).symlink_to(path)
    return folder


def ordered(spark: SparkSession, source: Path, order: str, window: int, files: int) -> DataFrame:
    """Chained joins in an order; a trigger takes so many files at most."""
    frames = []
    streams = open_streams(spark, source, files)
    for name in order:
        renamed = streams[name].toDF(*(f"{name}_{column}" for column in streams[name].columns))
        frames.append(renamed.withWatermark(f"{name}_ts", "1 second"))
    joined = reduce(lambda one, other: _joined(one, other, window), frames)
    return joined.select(*COLUMNS)


def _joined(one: DataFrame, other: DataFrame, window: int) -> DataFrame:
    name = other.columns[0].partition("_")[0]
    known = {column.partition("_")[0] for column in one.columns}
    [condition] = [on for pair, on in ON.items() if name in pair and pair - {name} <= known]
    return chained(one, other, condition, window)


class PlainSpark:
    """The three ways of plain Spark, each after the same first half."""

    def __init__(self, spark: SparkSession, given: Course, truth: Truth, folder: Path) -> None:
        self.spark, self.given, self.truth, self.folder = spark, given, truth, folder
        self.after = given.files[given.half :]
        self.before = self._run("before", given.files[: given.half], FIRST)

    def _run(self, name: str, files: Sequence[Path], order: str, at_once: int = 1) -> Measured:
        """Let a query read more files; of this name there is one checkpoint and one sink."""
        source, window = linked(self.folder / name / "input", files), self.given.case.window
        rows = ordered(self.spark, source, order, window, at_once)
        return drain(self.spark, rows, self.folder / name, "rocksdb", tuned=True)

    def replayed(self) -> Change:
        """A new checkpoint, and a window of input once more."""
        given = self.given
        again = given.files[max(0, given.half - given.window) : given.half]
        began = time.perf_counter()
        found = self._run("replayed", again, SECOND, at_once=len(again))
        took = time.perf_counter() - began
        self._run("replayed", self.after, SECOND)
        lost, twice = self.truth.differences([self.before.results, found.results])
        rows = len(again) * given.batch_rows
        return Change("plain Spark, new checkpoint, a window again", "", rows, took, lost, twice)

    def from_here(self) -> Change:
        """A new checkpoint that begins with what the old one has not read."""
        found = self._run("from-here", self.after, SECOND)
        lost, twice = self.truth.differences([self.before.results, found.results])
        return Change("plain Spark, new checkpoint from here on", "", 0, None, lost, twice)

    def same_checkpoint(self) -> Change:
        """The checkpoint of the old order; the last way, because it goes on in its folder."""
        way, began = "plain Spark, same checkpoint", time.perf_counter()
        try:
            self._run("before", self.after, SECOND)
        except PySparkException as error:
            took = time.perf_counter() - began
            return Change(way, _first_lines(error), 0, took, None, None)
        return Change(way, "nothing", 0, None, *self.truth.differences([self.before.results]))


def _first_lines(error: PySparkException) -> str:
    """What Spark says, without the trace of the JVM."""
    lines = [line.strip() for line in str(error).splitlines()]
    return " ".join(line for line in lines if line and not line.startswith("at "))[:800]


def slackwater(spark: SparkSession, given: Course, truth: Truth, folder: Path) -> dict[str, Any]:
    """The same change, asked for while the join runs."""
    source = linked(folder / "input", ())
    ready = build(spark, given.case, source, folder / "results", TREES[FIRST])
    handle = ready.start(str(folder / "checkpoint"), tier="columnar", spark=spark)
    try:
        lockstep.feed({source: handle}, given.files[: given.half])
        handle.replan(TREES[SECOND])
        lockstep.feed({source: handle}, given.files[given.half :], first=given.half)
        seconds, _ = batch_times(handle.query)
        trees = [
            event["queries"]["joined"]["controllers"]["join_plan"]["tree"]
            for event in handle.events()
            if event["event"] == "batch"
        ]
    finally:
        handle.stop()
    changed = [n for n in range(1, len(trees)) if trees[n] != trees[n - 1]]
    if changed != [given.half]:
        raise RuntimeError(f"the tree changed in the batches {changed}, not in {given.half}")
    half = given.half
    near = [*seconds[max(0, half - AROUND) : half], *seconds[half + 1 : half + 1 + AROUND]]
    lost, twice = truth.differences([folder / "results"])
    way = "Slackwater, `handle.replan`"
    change = Change(way, f"{trees[-1]}", 0, seconds[half] - median(near), lost, twice)
    return {"change": change, "batch_s": median(near)}


def measured(rows: int, window: int, batches: int, scratch: Path) -> dict[str, Any]:
    """All ways over the same files."""
    spark = own_session(bench_session())
    spark.conf.set(*lockstep.POLLING)
    given = course(rows, window, batches, scratch / "data")
    with Truth(given.case, given.data) as truth:
        plain = PlainSpark(spark, given, truth, scratch / "plain")
        ways = [plain.replayed(), plain.from_here(), plain.same_checkpoint()]
        ours = slackwater(spark, given, truth, scratch / "slackwater")
        results = truth.rows
    return {
        "bench": "replan_plain_spark",
        "rows": rows,
        "window_batches": window,
        "batches": batches,
        "results": results,
        "plain_batch_s": round(median(plain.before.seconds[-AROUND:]), 3),
        "slackwater_batch_s": round(ours["batch_s"], 3),
        "ways": [_rounded(way) for way in (*ways, ours["change"])],
    }


def _rounded(way: Change) -> dict[str, Any]:
    seconds = None if way.seconds is None else round(way.seconds, 3)
    return asdict(way) | {"seconds": seconds}


def show(found: dict[str, Any]) -> None:
    print(
        f"{found['rows']} rows of each of {len(NAMES)} streams in a batch, {found['batches']} "
        f"batches, window of {found['window_batches']}; {found['results']} results; a batch takes "
        f"{found['plain_batch_s']} s in plain Spark, {found['slackwater_batch_s']} s in Slackwater"
    )
    for way in found["ways"]:
        print(
            f"{way['way']}: {way['rows_again']} rows again, {way['seconds']} s, "
            f"{way['lost']} lost, {way['twice']} twice. {way['says']}".rstrip()
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    for name, usual in (("rows", 5_000), ("window", 16), ("batches", 36)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--json", type=Path, metavar="FILE")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(
        prefix="slackwater-replan-", ignore_cleanup_errors=True
    ) as scratch:
        found = measured(given.rows, given.window, given.batches, Path(scratch))
    show(found)
    if given.json is not None:
        given.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
