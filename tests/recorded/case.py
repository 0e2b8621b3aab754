"""Small pipelines whose checkpoints are recorded: streams in files, one file a micro-batch.

A query that changes no longer fits the archive of its name; add another case instead.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.query.stream import Query, Stream
from tests.spark.driver import ROWS
from tests.story import batches

SINKS = ("out", "checkpoint/results", "checkpoint/side", "checkpoint/quality")
Ask = Callable[[Path], Query]


@dataclass(frozen=True)
class Case:
    """A query over the streams of a folder, and how far it came when its checkpoint was recorded.

    ``before`` batches were done. If ``dies``, one more was decided, and its manifest is missing.
    """

    name: str
    ask: Ask
    tier: str = "columnar"
    before: int = 6
    batches: int = 9
    dies: bool = False

    def run(self, spark: SparkSession, folder: Path, *, ends: bool) -> None:
        """Take in what lies in the folder; with ``ends`` the stream is over then."""
        pipeline = sw.pipeline(self.ask(folder))
        pipeline.run(str(folder / "checkpoint"), tier=self.tier, flush=ends, spark=spark)


def stream(folder: Path, name: str) -> Stream:
    rows = sw.files(folder / name, schema=ROWS, files_per_batch=1)
    return sw.stream(name, rows, time="ts")


def bounded(folder: Path) -> Query:
    """Tumbling windows under an error bound, estimated, late rows aside, results outside."""
    often = [sw.estimates(every="2 s"), sw.estimates(accuracy=0.8, where="k > 0")]
    counted = stream(folder, "a").where("v IS NULL OR v > -8").window("4 s").group_by("k")
    return counted.aggregate(n="count(*)", s="sum(v)", mean="avg(v)").query(
        "bounded",
        sw.max_error(0.2, confidence=0.8, of=["n", "s"]),
        late="side",
        estimates=often,
        sink=sw.parquet(folder / "out"),
    )


def revised(folder: Path) -> Query:
    """Two levels, late rows folded into revisions of both."""
    small = stream(folder, "a").window("4 s", "2 s").group_by("k")
    counted = small.aggregate(n="count(*)", s="sum(v)", top="max(v)")
    large = counted.where("n < 9").window("12 s", "4 s").group_by("k % 2 AS odd")
    above = large.aggregate(windows="count(*)", rows="sum(n)", total="sum(s)", best="max(top)")
    return above.query("revised", sw.slack("1 s"), late="revise", keep="9 s")


def recalled(folder: Path) -> Query:
    """Three inputs from two streams, inner results kept, a recall contract, revisions."""
    first, second = stream(folder, "a"), stream(folder, "b")
    joined = sw.join(
        first,
        second.where("v > 0"),
        first.named("c").where("v > 10"),
        on="k",
        within={"a": "3 s", "b": "2 s", "c": "4 s"},
        order="((a b) c)",
    ).select("a.k AS k", "a.v AS av", "b.v AS bv", "c.v AS cv")
    return joined.query("recalled", sw.min_recall(0.7, over="8 s"), late="revise", keep="4 s")


def counted(folder: Path) -> Query:
    """An aggregate above an ordered join, estimated."""
    pairs = sw.join(
        stream(folder, "a"),
        stream(folder, "b"),
        on=["k", "abs(a.v - b.v) < 15"],
        within="3 s",
        emit="ordered",
    ).select("a.k AS k", "a.v + b.v AS v")
    window = pairs.window("6 s", "3 s").group_by("k")
    return window.aggregate(n="count(*)", s="sum(v)").query(
        "counted", sw.slack("2 s"), estimates=sw.estimates(every="4 s")
    )


def costly(folder: Path) -> Query:
    """More rows than the budget: some wait, others were set aside."""
    dear = stream(folder, "a").costly(8, aside="3:1", starve="10 s").where("v > 0")
    window = dear.window("8 s", "4 s").group_by("k")
    return window.aggregate(n="count(*)", s="sum(v)").query(
        "costly", sw.slack("2 s"), estimates=sw.estimates(every="4 s")
    )


CASES = (
    Case("bounded", bounded),
    Case("bounded-spark", bounded, tier="spark"),
    Case("bounded-died", bounded, dies=True),
    Case("revised", revised),
    Case("revised-died", revised, dies=True),
    Case("recalled", recalled),
    Case("recalled-spark", recalled, tier="spark"),
    Case("recalled-died", recalled, dies=True),
    Case("counted", counted),
    Case("costly", costly),
)


def write_batches(folder: Path, numbers: Sequence[int], count: int) -> None:
    """Files of both streams, older ones first by their times of change too."""
    for name, seed in (("a", 7), ("b", 8)):
        (folder / name).mkdir(parents=True, exist_ok=True)
        tables = batches(count, rows=14, seed=seed)
        for number in numbers:
            path = folder / name / f"{number:04d}.parquet"
            pq.write_table(tables[number], path, compression="snappy")
            os.utime(path, (1_000_000 + number, 1_000_000 + number))


def told(folder: Path) -> dict[str, list[str]]:
    """Every row of every sink with its batch, but for the time of emission."""
    found: dict[str, list[str]] = {}
    for kind in SINKS:
        for path in sorted((folder / kind).rglob("batch=*/*.parquet")):
            output = str(path.parent.parent.relative_to(folder))
            rows = pq.ParquetFile(path).read()
            found.setdefault(output, []).extend(_shown(path.parent.name, rows))
    return {output: sorted(rows) for output, rows in found.items()}


def _shown(batch: str, rows: pa.Table) -> list[str]:
    plain = rows.drop_columns(["emitted_at"] if "emitted_at" in rows.column_names else [])
    return [f"{batch} {sorted(row.items())!r}" for row in plain.to_pylist()]
