"""Killed at any moment and started again, a pipeline ends as if nothing had happened."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from slackwater.plan.stage import describe
from slackwater.query.stream import Query
from slackwater.spark import pipeline, stages
from slackwater.spark.checkpoint import Checkpoint
from slackwater.spark.intake import join_streams
from slackwater.spark.loop import Loop
from slackwater.spark.pipeline import Options, Pipeline
from tests.spark.child import Child
from tests.spark.driver import batch, frame, readings, run
from tests.spark.mortal import Reaper, mortal
from tests.spark.story import batches, ending, leftovers, missing, queries, write_input

pytestmark = pytest.mark.kill


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
            loop.finish(self.spark)
        finally:
            if loop is not None:
                loop.close()
            checkpoint.close()


@pytest.mark.parametrize("tier", ["columnar", "spark"])
def test_death_at_any_write_changes_nothing(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tier: str
) -> None:
    told = queries(readings("1 day"))
    told = told if tier == "columnar" else told[1:]
    tables = batches(9 if tier == "columnar" else 6)
    monkeypatch.setattr(stages, "FAN_IN", 3)
    run(spark, told, tables, tmp_path / "calm", tier=tier)
    expected = ending(tmp_path / "calm")

    lives = Lives(spark, told, tmp_path / "killed", tier=tier)
    shapes = pipeline.shapes(spark, lives.pipeline.plan, lives.intake.schemas)
    monkeypatch.setattr(pipeline, "shapes", lambda *_: shapes)
    reaper = Reaper(lives.folder)
    died = True
    while died:
        with mortal(reaper):
            lives.live(tables)
        died = reaper.is_dead

    assert ending(lives.folder) == expected
    assert leftovers(lives.folder) == []
    assert len(reaper.deaths) > 25
    steps = {point.rsplit(" ", 1)[0] for point in reaper.deaths}
    assert {"before write", "middle of write", "before replace", "before rename"} <= steps
    assert {"before unlink", "middle of job", "before event", "middle of event"} <= steps


# real processes, real SIGKILL ---------------------------------------------------------------------

KILLS = 10  # for each tier


@contextmanager
def children(*arguments: object) -> Iterator[Iterator[Child]]:
    """One child after the other; the next one starts its JVM while the last one lives."""
    born: list[Child] = []

    def birth() -> Child:
        born.append(Child(*arguments))
        return born[-1]

    def line() -> Iterator[Child]:
        waiting = birth()
        while True:
            current, waiting = waiting, birth()
            yield current

    try:
        yield line()
    finally:
        for child in born:
            child.bury()


class Fate:
    """When to kill: before the first commit of a life, or somewhere in the batch after it."""

    def __init__(self, seed: str) -> None:
        self.draw = random.Random(seed)
        self.pace = 3.0  # seconds from the start to the first commit, as seen so far

    def strike(self, child: Child, *, alone: bool) -> bool:
        """Wait for a random moment and kill; not if the child was done before."""
        began = time.monotonic()
        if self.draw.random() < 0.6:
            child.wait_for(1, 180)
            self.pace = time.monotonic() - began
            time.sleep(self.draw.uniform(0, self.pace / 2))
        else:
            time.sleep(self.draw.uniform(0, 1.2 * self.pace))
        if child.is_done:
            return False
        child.kill(alone=alone)
        return True


@pytest.mark.slow
@pytest.mark.parametrize("tier", ["columnar", "spark"])
def test_sigkill_at_random_moments_changes_nothing(
    spark: SparkSession, tmp_path: Path, tier: str
) -> None:
    """Every second time Python alone is killed: its JVM is then still there for a moment."""
    tables = batches(16 if tier == "columnar" else 8)
    run(spark, queries(readings("1 day")), tables, tmp_path / "calm")
    expected = ending(tmp_path / "calm")
    write_input(tmp_path / "in", tables)
    fate = Fate(f"slackwater {tier}")
    kills, stories, lives = 0, 0, 0
    with children(tmp_path / "in", tier) as line:
        while kills < KILLS or lives:
            child = next(line)
            checkpoint = tmp_path / f"killed-{stories}"
            child.go(checkpoint)
            lives += 1
            if kills < KILLS and fate.strike(child, alone=kills % 2 == 1):
                kills += 1
                continue
            child.wait_for_end(300)
            assert ending(checkpoint) == expected
            assert leftovers(checkpoint) == []
            stories, lives = stories + 1, 0
