"""Faults around Spark: no Java, an end that was begun, prods that come twice, another tier."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.events import log
from slackwater.runs.checkpoint import Checkpoint
from slackwater.runs.manifest import Manifest
from slackwater.runs.requests import Inbox
from slackwater.spark.session import local_session
from tests.execute.test_faults import FEW, Crash, crash_before_commit, per_key, tell, told
from tests.spark.driver import SparkDriver, batch
from tests.story import ending, leftovers, write_input


def test_missing_java_is_said_plainly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(sw.MachineError) as caught:
        local_session()
    assert caught.value.condition == "JAVA_MISSING"
    assert "JAVA_HOME" in caught.value.hint
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(sw.MachineError, match="JAVA_MISSING"):
        local_session()


def test_an_old_java_is_said_plainly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(sw.MachineError, match="JAVA_TOO_OLD"):
        local_session()


# crashes in between -------------------------------------------------------------------------------


def test_a_pipeline_that_is_started_again_finishes_its_end_before_it_takes_rows(
    spark: SparkSession, tmp_path: Path
) -> None:
    def pipeline() -> sw.Pipeline:
        rows = sw.generator(100, rows_per_batch=100, total_rows=200, seed=1)
        counts = sw.stream("r", rows, time="ts").window("1 s").aggregate(n="count(*)")
        return sw.pipeline(counts.query("q", sw.slack("1 s")))

    committing = Checkpoint.commit

    def crash_at_end(checkpoint: Checkpoint, manifest: Manifest) -> None:
        if manifest.sealed:
            raise Crash
        committing(checkpoint, manifest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Checkpoint, "commit", crash_at_end)
        with pytest.raises(Crash):
            pipeline().run(str(tmp_path), flush=True, spark=spark)
    with pytest.raises(sw.CheckpointError) as refused:
        pipeline().run(str(tmp_path), spark=spark)
    assert refused.value.condition == "CHECKPOINT_SEALED"
    found = pq.read_table(tmp_path / "results" / "q")["n"].to_pylist()
    assert sum(found) == 200
    assert [e["event"] for e in log.read(tmp_path / "events.jsonl")][-2:] == ["batch", "stop"]


@pytest.mark.parametrize("lost", ["nothing", "commit"])
def test_a_stream_of_prods_is_answered_once_though_the_process_dies_before_they_are_removed(
    spark: SparkSession, tmp_path: Path, lost: str
) -> None:
    """It dies right after the manifest; ``lost`` of the record of the stream of prods."""
    write_input(tmp_path / "later", [*FEW[:2], batch((9, 1, 1))])
    for folder in ("in", "demands"):
        (tmp_path / folder).mkdir()
    inbox = Inbox(tmp_path / "ck" / "prods")

    def give(number: int) -> None:
        name = f"{number:04d}.parquet"
        (tmp_path / "later" / name).rename(tmp_path / "in" / name)

    def start() -> sw.Handle:
        reader = spark.readStream.schema("ts TIMESTAMP, k BIGINT, v BIGINT")
        stream = sw.stream("r", reader.parquet(str(tmp_path / "in")), time="ts")
        answer = stream.window("1 day").group_by("k").aggregate(n="count(*)")
        query = answer.query("q", sw.slack(0), estimates=sw.estimates())
        prods = spark.readStream.schema("where STRING").json(str(tmp_path / "demands"))
        return sw.pipeline(query).start(str(tmp_path / "ck"), prods=prods, spark=spark)

    give(0)
    handle = start()
    wait_for(lambda: handle._loop.batch == 0)
    demands = '{"where": "k = 1"}\n{"where": "k IS NOT NULL"}'
    (tmp_path / "demands" / "0.json").write_text(demands)
    wait_for(lambda: len(inbox.waiting()) == 2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Inbox, "remove", die)
        give(1)
        with pytest.raises(RuntimeError, match="dead"):
            handle.await_termination(60)
    assert len(inbox.waiting()) == 2
    if lost == "commit":  # the stream gives its rows once more
        for file in (tmp_path / "ck" / "control" / "commits").glob("[!.]*"):
            file.unlink()
    handle = start()
    if lost == "commit":
        wait_for(lambda: len(inbox.waiting()) == 2)
    give(2)
    wait_for(lambda: handle._loop.batch == 2 and not inbox.waiting())
    handle.stop()
    told_of = [e for e in log.read(tmp_path / "ck" / "events.jsonl") if e["event"] == "prod"]
    assert {(e["prod"], e["batch"]) for e in told_of} == {("control-0-0", 1), ("control-0-1", 1)}
    found = pq.read_table(tmp_path / "ck" / "results" / "q").to_pylist()
    said = Counter(row["prod"] for row in found if row["kind"] == "estimate")
    assert said == {"control-0-0": 1, "control-0-1": 2}


def die(*_: Any) -> None:
    """As :func:`crash`, in a thread of Spark's."""
    raise RuntimeError("dead")


def wait_for(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.1)


@pytest.mark.parametrize("tiers", [("spark", "columnar"), ("columnar", "spark")])
def test_the_tier_may_change_between_a_crash_and_the_next_start(
    spark: SparkSession, tmp_path: Path, tiers: tuple[str, str]
) -> None:
    before, after = (SparkDriver(tier, spark) for tier in tiers)
    tell(tmp_path / "calm", FEW)
    told(tmp_path / "ck", FEW, 1, before)
    loop = before.make_loop((per_key(),), tmp_path / "ck")
    crash_before_commit(lambda: before.feed(loop, FEW[1], 1))
    loop.close()
    tell(tmp_path / "ck", FEW, after)
    assert ending(tmp_path / "ck") == ending(tmp_path / "calm")
    assert leftovers(tmp_path / "ck") == []
