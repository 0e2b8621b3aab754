"""Power is lost at any moment, and what was not flushed is forgotten: every state recovers.

One real run is watched (``power.py``). From its moments states of the disk are drawn, Spark's files
and ours together, and the start-up of a pipeline is run on each: it goes on from a batch that
was committed, with Spark at the same place and the sinks' answers whole. Some states are run to the
end by Spark. The seed is new each time and is told where a state fails; ``POWER_SEED`` sets it.
"""

from __future__ import annotations

import os
import random
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.events.log import EventLog
from slackwater.execute.deliver import Outlets
from slackwater.execute.loop import Loop
from slackwater.runs.checkpoint import Checkpoint
from slackwater.runs.offsets import SparkLog
from slackwater.runs.run import verify
from slackwater.testing import ArrowRuntime
from slackwater.units import fingerprint
from tests.spark.power import Disk, Loss, Moment, without_flushes
from tests.spark.test_repair import pipeline, told, write_file

FILES = 12  # Spark gathers its lists of files in every tenth
SEED = int(os.environ.get("POWER_SEED", "0")) or random.SystemRandom().randrange(1, 1 << 32)


@dataclass(frozen=True)
class Story:
    """A run that was watched: its rows, its moments, and what it left in the end."""

    rows: Path
    checkpoint: Path
    moments: list[Moment]
    loop: Loop

    def open(self, folder: Path) -> Loop:
        """Start on another folder as a pipeline does, without Spark."""
        made, layout = pipeline(self.rows), self.loop.layout
        checkpoint = Checkpoint.open(folder, fingerprint(made.meaning), made.meaning)
        try:
            return Loop(
                policy=self.loop.policy,
                checkpoint=checkpoint,
                layout=layout,
                runtime=ArrowRuntime(
                    self.loop.policy, layout.shapes, layout.joins, checkpoint.runs
                ),
                outlets=Outlets.of(made.plan, made.queries, checkpoint),
                events=EventLog(checkpoint.events),
            )
        except BaseException:
            checkpoint.close()
            raise


@pytest.fixture(scope="module")
def story(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Story:
    return watched(spark, tmp_path_factory.mktemp("watched"), "columnar")


def watched(spark: SparkSession, folder: Path, tier: str, files: int = FILES) -> Story:
    for number in range(files):
        write_file(folder / "rows", number)
    (folder / "disk").mkdir()
    disk = Disk(folder / "disk")
    checkpoint = folder / "disk" / "checkpoint"
    with disk.watching():
        handle = pipeline(folder / "rows").run(str(checkpoint), tier=tier, flush=True, spark=spark)
    answers, aside = told(checkpoint)
    assert answers  # or the test shows nothing
    assert aside
    return Story(folder / "rows", checkpoint, disk.moments, handle._loop)


def drawn(moments: list[Moment], count: int, folder: Path) -> Iterator[tuple[str, Moment, Path]]:
    """States of the disk: from moments all over the run, each with a name that finds it again."""
    draw = random.Random(SEED)
    for number in range(count):
        moment = moments[draw.randrange(len(moments))]
        state = folder / str(number)
        Loss(moment, draw).leave(state)
        name = f"POWER_SEED={SEED}, state {number}, {moment.label}, batch {moment.committed} done"
        yield name, moment, state / "checkpoint"
        shutil.rmtree(state)


def wrong(story: Story, moment: Moment, checkpoint: Path) -> str | None:
    """What is wrong with where a start on this state goes on; ``None`` if all is well."""
    try:
        loop = story.open(checkpoint)
    except sw.SlackwaterError as error:
        return str(error)
    try:
        return _wrong(story, moment, loop)
    finally:
        loop.close()


def _wrong(story: Story, moment: Moment, loop: Loop) -> str | None:
    if loop.batch < moment.committed:
        return f"goes on from batch {loop.batch}"
    try:
        for run in loop.catalog.all():
            verify(run, loop.checkpoint.runs)
    except sw.CheckpointError as error:
        return str(error)
    if parts(loop.checkpoint.folder, loop.batch) != parts(story.checkpoint, loop.batch):
        return "the sinks have other answers"
    return None if loop.sealed else _wrong_in_spark(story, loop)


def _wrong_in_spark(story: Story, loop: Loop) -> str | None:
    log, whole = SparkLog(loop.checkpoint.spark), SparkLog(story.checkpoint / "spark")
    begun = log.newest("offsets")
    if begun not in (loop.batch, loop.batch + 1) or log.newest("commits") > loop.batch:
        return f"Spark has begun batch {begun} and finished {log.newest('commits')}"
    if loop.batch >= 0 and log.mark(loop.batch) != whole.mark(loop.batch):
        return f"Spark has other offsets of batch {loop.batch}"
    if loop.checkpoint.begun(begun) and log.mark(begun) != whole.mark(begun):
        return f"Spark has other offsets of batch {begun}, which was decided"
    for path in (loop.checkpoint.spark / "commits").glob("[0-9]*"):
        if not re.fullmatch(r"v\d+\n\{.*\}", path.read_text()):
            return f"Spark cannot read its {path.name}"
    if begun >= 0 and log._files_after(begun):
        return f"Spark would read files of batch {begun + 1} together with those of the next"
    return log.lacks(begun, None) if begun >= 0 else None


def parts(checkpoint: Path, upto: int) -> Counter[Any]:
    """The files of results and rows set aside, of batches that are done."""
    found: Counter[Any] = Counter()
    for path in checkpoint.glob("[rs]*/*/batch=*/*.parquet"):
        if int(path.parent.name.removeprefix("batch=")) <= upto:
            found[path.relative_to(checkpoint).as_posix(), path.read_bytes()] += 1
    return found


def failures(story: Story, moments: list[Moment], count: int, folder: Path) -> Iterator[str]:
    for name, moment, checkpoint in drawn(moments, count, folder):
        if reason := wrong(story, moment, checkpoint):
            yield f"{name}: {reason}"


def test_every_state_that_a_loss_of_power_leaves_is_recovered_from(
    story: Story, tmp_path: Path
) -> None:
    assert len(story.moments) > 200
    assert list(failures(story, story.moments, 100, tmp_path)) == []


@pytest.mark.parametrize("place", ["spark", "offsets", "0", "runs", "results", "manifest"])
def test_without_one_of_its_flushes_some_state_is_lost(
    story: Story, tmp_path: Path, place: str
) -> None:
    """The model can fail: what is flushed at a place is flushed for a reason."""
    careless = [without_flushes(moment, place) for moment in story.moments]
    assert next(failures(story, careless, 200, tmp_path), None) is not None


def finish(spark: SparkSession, story: Story, checkpoint: Path) -> None:
    """Start again after the loss, and run to the end."""
    try:
        pipeline(story.rows).run(str(checkpoint), flush=True, spark=spark)
    except sw.CheckpointError as error:
        if error.condition != "CHECKPOINT_SEALED":  # the end was decided before
            raise


def test_after_a_loss_of_power_spark_goes_on_to_the_same_answers(
    spark: SparkSession, story: Story, tmp_path: Path
) -> None:
    for name, _, checkpoint in drawn(story.moments, 2, tmp_path):
        finish(spark, story, checkpoint)
        assert told(checkpoint) == told(story.checkpoint), name


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("tier", ["columnar", "spark"])
def test_many_losses_of_power_in_both_tiers(
    spark: SparkSession, story: Story, tmp_path: Path, tier: str
) -> None:
    here = story if tier == "columnar" else watched(spark, tmp_path, tier, 5)
    for folder in ("states", "careless"):
        (tmp_path / folder).mkdir()
    assert list(failures(here, here.moments, 800, tmp_path / "states")) == []
    careless = [without_flushes(moment, "runs") for moment in here.moments]
    assert next(failures(here, careless, 200, tmp_path / "careless"), None) is not None
    for name, _, checkpoint in drawn(here.moments, 8, tmp_path / "states"):
        finish(spark, here, checkpoint)
        assert told(checkpoint) == told(here.checkpoint), name
