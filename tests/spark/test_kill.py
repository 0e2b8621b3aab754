"""Killed at any moment and started again, a pipeline ends as if nothing had happened."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
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
    reaper = Reaper(lives.folder, times=2 if tier == "columnar" else 1)
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


class Victim:
    """A child process with its own JVM, and what it said so far."""

    def __init__(self, source: Path, checkpoint: Path, tier: str) -> None:
        command = [sys.executable, "-m", "tests.spark.victim", str(source), str(checkpoint), tier]
        self.said: list[str] = []
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
            start_new_session=True,
        )
        self.complaints: list[str] = []
        self._ears = [
            Thread(target=self._listen, args=(self.process.stdout, self.said), daemon=True),
            Thread(target=self._listen, args=(self.process.stderr, self.complaints), daemon=True),
        ]
        for ear in self._ears:
            ear.start()

    @staticmethod
    def _listen(pipe: Any, heard: list[str]) -> None:
        heard.extend(line.strip() for line in pipe)

    @property
    def batches(self) -> list[int]:
        return [int(word) for word in self.said if word.isdigit()]

    @property
    def is_done(self) -> bool:
        return "done" in self.said

    def go(self) -> None:
        self._wait(lambda: "ready" in self.said, 120)
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def wait_for(self, committed: int, seconds: float) -> None:
        """Wait until so many batches were committed in this life, or it is over."""
        self._wait(lambda: len(self.batches) >= committed or self.is_done, seconds)

    def _wait(self, is_so: Any, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not is_so():
            if self.process.poll() is not None and not is_so():
                raise AssertionError("it died by itself:\n" + "\n".join(self.complaints[-30:]))
            assert time.monotonic() < deadline, f"nothing happened for {seconds} s: {self.said}"
            time.sleep(0.005)

    def kill(self, *, alone: bool = False) -> None:
        """SIGKILL for Python and its JVM, or for Python alone: the JVM then notices and goes."""
        with suppress(ProcessLookupError):
            if alone:
                self.process.kill()
            else:
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def bury(self) -> None:
        self.kill()
        for ear in self._ears:
            ear.join()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            with suppress(BrokenPipeError):
                pipe.close()


@contextmanager
def victims(source: Path, checkpoint: Path, tier: str) -> Iterator[Iterator[Victim]]:
    """One child after the other; the next one starts its JVM while the last one lives."""
    born: list[Victim] = []

    def birth() -> Victim:
        born.append(Victim(source, checkpoint, tier))
        return born[-1]

    def line() -> Iterator[Victim]:
        waiting = birth()
        while True:
            current, waiting = waiting, birth()
            yield current

    try:
        yield line()
    finally:
        for victim in born:
            victim.bury()


@pytest.mark.slow
@pytest.mark.parametrize("tier", ["columnar", "spark"])
def test_sigkill_at_random_moments_changes_nothing(
    spark: SparkSession, tmp_path: Path, tier: str
) -> None:
    draw = random.Random(f"slackwater {tier}")
    tables = batches(16 if tier == "columnar" else 8)
    run(spark, queries(readings("1 day")), tables, tmp_path / "calm")
    write_input(tmp_path / "in", tables)
    checkpoint = tmp_path / "killed"
    pause = 2.0 if tier == "columnar" else 6.0
    kills = 0
    began = time.monotonic()
    with victims(tmp_path / "in", checkpoint, tier) as line:
        while kills < KILLS:
            victim = next(line)
            victim.go()
            if draw.random() < 0.6:
                victim.wait_for(1, 120)
            time.sleep(draw.uniform(0, pause))
            assert not victim.is_done, "the stream is too short for so many kills"
            victim.kill(alone=kills % 2 == 1)
            kills += 1
            print(kills, round(time.monotonic() - began, 1), victim.batches)
        last = next(line)
        last.go()
        last._wait(lambda: last.is_done, 300)
    print(last.batches, round(time.monotonic() - began, 1))
    assert ending(checkpoint) == ending(tmp_path / "calm")
    assert leftovers(checkpoint) == []
