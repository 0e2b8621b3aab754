"""Dead at any write and started again, a pipeline ends as if nothing had happened.

The loop is driven by hand and dies once at every point where it changes a file
(``mortal.py``); ``test_kill.py`` kills real processes at random moments.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.events import log
from slackwater.events.segments import set_aside
from slackwater.execute.limits import Limits
from slackwater.execute.loop import Loop
from slackwater.plan.stage import describe
from slackwater.query.join import Emit
from slackwater.query.stream import Query, Stream
from slackwater.runs.checkpoint import Checkpoint
from slackwater.spark import pipeline
from slackwater.spark.pipeline import Options, Pipeline
from slackwater.spark.read.streams import join_streams
from slackwater.spark.tier.parquet import write_parquet
from tests.spark.driver import batch, frame, readings, run
from tests.spark.mortal import Reaper, mortal
from tests.story import batches, ending, leftovers, missing, queries

EMITS: tuple[Emit, ...] = ("immediate", "ordered")
pytestmark = [pytest.mark.kill, pytest.mark.slow, pytest.mark.timeout(1200)]


class Lives:
    """The same pipeline started again and again on one checkpoint, by hand."""

    def __init__(self, spark: SparkSession, told: tuple[Query, ...], folder: Path, **how: Any):
        self.spark = spark
        self.folder = folder
        self.pipeline = Pipeline(told)
        self.options = Options(**how)
        empty = spark.createDataFrame(batch())
        frames = {s.name: empty for s in self.pipeline.plan.streams}
        _, self.intake = join_streams(self.pipeline.plan, frames)

    def live(self, tables: list[pa.Table]) -> None:
        """One life: from the checkpoint to the end of the stream, or to death."""
        plan = self.pipeline.plan
        checkpoint = Checkpoint.open(self.folder, plan.identity, describe(plan))
        loop: Loop | None = None
        try:
            loop = self.pipeline.loop(self.options, self.spark, self.intake, checkpoint)
            if loop.sealed:
                return
            for number in range(loop.batch + 1, len(tables)):
                loop.process(frame(self.spark, loop, tables[number]), number)
                assert leftovers(self.folder) == []
                assert missing(self.folder) == []
            loop.finish()
        finally:
            if loop is not None:
                loop.close()
            checkpoint.close()


def die_until_done(lives: Lives, tables: list[Any], monkeypatch: pytest.MonkeyPatch) -> Reaper:
    """Live again after each death, until there is none; schemas are asked for once."""
    shapes = pipeline.shapes(lives.spark, lives.pipeline.plan, lives.intake.schemas)
    monkeypatch.setattr(pipeline, "shapes", lambda *_: shapes)
    reaper = Reaper(lives.folder)
    died = True
    while died:
        with mortal(reaper):
            lives.live(tables)
        died = reaper.is_dead
    return reaper


@pytest.mark.parametrize("tier", ["columnar", "spark"])
def test_death_at_any_write_changes_nothing(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tier: str
) -> None:
    told = queries(readings("1 day"))
    told = told if tier == "columnar" else (told[1], told[3])  # jobs are slow: the two richest
    tables = batches(9 if tier == "columnar" else 6)
    limits = Limits(fan_in=3, log_bytes=5_000)  # merged, and set aside, now and then
    run(spark, told, tables, tmp_path / "calm", tier=tier, limits=limits)
    expected = ending(tmp_path / "calm")

    lives = Lives(spark, told, tmp_path / "killed", tier=tier, limits=limits)
    reaper = die_until_done(lives, tables, monkeypatch)

    assert ending(lives.folder) == expected
    assert leftovers(lives.folder) == []
    assert set_aside(lives.folder / "events.jsonl")
    assert len(reaper.deaths) > 25
    steps = {point.rsplit(" ", 1)[0] for point in reaper.deaths}
    assert {"before write", "middle of write", "before replace", "before rename"} <= steps
    assert {"before unlink", "middle of job", "before event", "middle of event"} <= steps


def test_a_job_that_dies_in_the_middle_leaves_half_of_it(
    spark: SparkSession, tmp_path: Path
) -> None:
    whole, half = tmp_path / "whole", tmp_path / "half"
    rows = spark.range(100, numPartitions=3)
    write_parquet(rows, whole)
    reaper = Reaper(half)
    while "middle of job " not in reaper.deaths:
        with mortal(reaper):
            write_parquet(rows, half)
    assert len(list(half.glob("*.parquet"))) == len(list(whole.glob("*.parquet"))) - 1
    [torn] = (half / "_temporary").rglob("*.parquet")
    assert torn.stat().st_size > 0


def test_a_job_that_writes_nothing_is_not_taken_for_one_that_dies_in_the_middle(
    spark: SparkSession, tmp_path: Path
) -> None:
    nothing = spark.range(0).selectExpr("id", "id AS apart")
    reaper = Reaper(tmp_path / "empty")

    def die() -> None:
        while True:
            with mortal(reaper):
                write_parquet(nothing, tmp_path / "empty", apart="apart")
            assert reaper.is_dead

    with pytest.raises(AssertionError, match="no middle"):
        die()


def test_death_amid_a_backlog_changes_nothing(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    costly = readings("1 day").costly(8, aside="3:1", starve="10 s").where("v > 0")
    counted = costly.window("8 s", "4 s").group_by("k").aggregate(n="count(*)", s="sum(v)")
    told = (counted.query("q", sw.slack("2 s"), estimates=sw.estimates(every="4 s")),)
    tables = batches(8)
    run(spark, told, tables, tmp_path / "calm", tier="columnar")
    lives = Lives(spark, told, tmp_path / "killed", tier="columnar")
    reaper = die_until_done(lives, tables, monkeypatch)
    assert ending(lives.folder) == ending(tmp_path / "calm")
    assert leftovers(lives.folder) == []
    assert [point for point in reaper.deaths if "job" in point and "backlog" in point]


def test_death_amid_the_hold_of_a_recall_contract_changes_nothing(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = (sw.join(*map(_input, "ab"), on="k", within="2 s", emit=emit) for emit in EMITS)
    contract = sw.min_recall(0.8, over="4 s")
    told = tuple(pair.query(emit, contract) for emit, pair in zip(EMITS, pairs, strict=True))
    tables = batches(6)
    run(spark, told, tables, tmp_path / "calm", tier="columnar")
    events = [e for e in log.read(tmp_path / "calm" / "events.jsonl") if e["event"] == "batch"]
    phases = [event["queries"]["ordered"]["quality"]["phase"] for event in events]
    assert phases[:2] == ["holding"] * 2  # the first deaths at every write are in here
    assert "calibrated" in phases
    lives = Lives(spark, told, tmp_path / "killed", tier="columnar")
    reaper = die_until_done(lives, tables, monkeypatch)
    assert ending(lives.folder) == ending(tmp_path / "calm")
    assert ending(lives.folder)["results/ordered"]
    assert leftovers(lives.folder) == []
    assert len(reaper.deaths) > 10


def _input(name: str) -> Stream:
    return readings("1 day", name)
