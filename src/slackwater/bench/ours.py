"""The same query in Slackwater: durable state, Parquet sink."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from slackwater.bench.cases import Case
from slackwater.bench.data import open_frame
from slackwater.bench.measured import Measured, batch_times
from slackwater.execute.sinks import ParquetSink
from slackwater.query.contract import Contract, slack
from slackwater.query.estimates import Estimates
from slackwater.spark.handle import Handle
from slackwater.spark.pipeline import Pipeline, pipeline, stream
from slackwater.spark.sources import Source


def run(
    spark: SparkSession,
    case: Case,
    data: Path,
    folder: Path,
    contract: Contract | None = None,
    *,
    estimates: Sequence[Estimates] = (),
) -> Measured:
    """Run the query over all files on the tier of the case."""
    results, checkpoint = folder / "results", folder / "checkpoint"
    stored: list[int] = []
    handle = build(spark, case, data, results, contract, estimates=estimates).run(
        str(checkpoint),
        tier=case.tier,
        spark=spark,
        on_batch=lambda _: stored.append(_bytes(checkpoint / "runs")),
    )
    found = measured(handle, results)
    return replace(found, extra={**found.extra, "state_bytes": stored})


def measured(handle: Handle, results: Path) -> Measured:
    """What a pipeline left behind."""
    seconds, parts = batch_times(handle.query)
    batches = [event for event in handle.events() if event["event"] == "batch"]
    laps = [{name: ms / 1000 for name, ms in event["ms"].items()} for event in batches]
    merged = tuple({**part, **lap} for part, lap in zip(parts, laps, strict=True))
    extra = {
        "state_rows": [event["state"]["rows"] for event in batches],
        "estimates": [event["queries"]["answers"].get("estimates") for event in batches],
        "dropped": sum(event["queries"]["answers"]["dropped"] for event in batches),
    }
    return Measured("slackwater", seconds, results, merged, extra)


def build(
    spark: SparkSession,
    case: Case,
    data: Path,
    results: Path,
    contract: Contract | None = None,
    *,
    estimates: Sequence[Estimates] = (),
) -> Pipeline:
    """The pipeline over the files of a case."""
    return over(open_frame(spark, data), case, results, contract, estimates=estimates)


def over(
    source: DataFrame | Source,
    case: Case,
    results: Path,
    contract: Contract | None = None,
    *,
    estimates: Sequence[Estimates] = (),
) -> Pipeline:
    """The pipeline; no bound on how far a row may be ahead, because the sentinel is."""
    rows = stream("rows", source, time="ts", max_ahead=None)
    answers = (
        rows.window(f"{case.size} seconds", f"{case.slide} seconds")
        .group_by("key")
        .aggregate(total="sum(v)", n="count(*)")
    )
    sink = ParquetSink(str(results))
    terms = contract or slack(f"{case.slack} seconds")
    return pipeline(answers.query("answers", terms, sink=sink, estimates=estimates))


def _bytes(folder: Path) -> int:
    """What the runs of the newest and of the last few manifests take on disk."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
