"""A stream of Spark's whose checkpoint is in a store goes on where nothing is left of it."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.errors import QueryError
from slackwater.events import log
from slackwater.execute.sinks import Results, Target
from slackwater.spark.pipeline import Options
from tests.stand_in import StandIn, copy_of, stand_in
from tests.story import batches, write_input

__all__ = ["stand_in"]
AT = "s3://bucket/job"
Rows = list[tuple[Any, ...]]


class DyingError(Exception):
    """The machine is lost, in the middle of a batch."""


class Sink:
    """Remembers, beyond all machines, what it was given by batch; lets a machine die."""

    def __init__(self) -> None:
        self.shown: dict[int, Rows] = {}
        self.waiting: dict[int, Rows] = {}
        self.dies_at = -1

    def open(self, target: Target) -> None:
        self.waiting.clear()

    def prepare(self, batch: int, results: Results) -> int:
        if batch == self.dies_at:
            self.dies_at = -1
            raise DyingError("gone")
        table = results.arrow().drop(["emitted_at"])
        self.waiting[batch] = sorted((tuple(r.values()) for r in table.to_pylist()), key=repr)
        return int(table.num_rows)

    def commit(self, batch: int) -> None:
        if batch in self.waiting:
            self.shown[batch] = self.waiting.pop(batch)

    def recover(self, last: int) -> None:
        """It forgets what waits when it is opened."""


def started(spark: SparkSession, files: Path, sink: Sink, at: str, **how: Any) -> Any:
    rows = sw.stream("r", sw.files(files, files_per_batch=1), time="ts")
    counted = rows.window("4 s", "2 s").group_by("k").aggregate(n="count(*)", s="sum(v)")
    query = counted.query("q", sw.slack("2 s"), sink=sink)
    return sw.pipeline(query).start(at, trigger="available-now", spark=spark, **how)


@pytest.mark.slow
@pytest.mark.parametrize("tier", ["columnar", "spark"])
def test_spark_goes_on_with_the_same_rows_on_another_machine(
    spark: SparkSession, stand_in: StandIn, tmp_path: Path, tier: str
) -> None:
    tables = batches(16)
    write_input(tmp_path / "all", tables)
    calm, sink = Sink(), Sink()
    started(spark, tmp_path / "all", calm, str(tmp_path / "calm"), tier=tier).await_termination()
    write_input(tmp_path / "in", tables[:12])  # the log of files is made compact after ten
    sink.dies_at = 11
    handle = started(spark, tmp_path / "in", sink, AT, tier=tier)
    with pytest.raises(DyingError):
        handle.await_termination()
    head = stand_in.head("job")
    assert "decision/00000011.json" in head["files"]
    assert "manifest/00000011.json" not in head["files"]
    assert len([name for name in head["files"] if name.startswith("spark/")]) < 30
    shutil.rmtree(tmp_path / "work")
    write_files(tmp_path / "in", tables)
    started(spark, tmp_path / "in", sink, AT, tier=tier).await_termination()
    assert sink.shown == calm.shown
    told = [e for e in log.read(copy_of(AT) / "events.jsonl") if e["event"] == "batch"]
    assert {e["batch"]: e["streams"]["r"]["rows"] for e in told}[11] == tables[11].num_rows


def write_files(folder: Path, tables: list[pa.Table]) -> None:
    """The rest of the files comes."""
    rest = folder.with_name("rest")
    write_input(rest, tables)
    for file in rest.iterdir():
        if not (folder / file.name).exists():
            shutil.move(file, folder / file.name)


def test_a_stream_of_prods_is_refused(
    spark: SparkSession, stand_in: StandIn, tmp_path: Path
) -> None:
    write_input(tmp_path / "in", batches(1))
    prods = spark.readStream.format("rate").load().selectExpr("'q' AS query")
    with pytest.raises(QueryError, match="a stream of prods keeps its offsets in a folder"):
        started(spark, tmp_path / "in", Sink(), AT, prods=prods)
    assert stand_in.keys() == []


def test_executors_elsewhere_have_no_state_in_a_store(tmp_path: Path) -> None:
    rows = sw.stream("r", sw.generator(10), time="ts")
    costly = rows.costly(5).window("4 s").aggregate(n="count(*)").query("late", sw.slack("2 s"))
    cluster: Any = SimpleNamespace(sparkContext=SimpleNamespace(master="spark://127.0.0.1:7077"))
    with pytest.raises(QueryError) as caught:
        sw.pipeline(costly)._check_copied(Options(), cluster)
    text = str(caught.value)
    assert "executors do not see the files of a checkpoint in a store" in text
    assert 'use tier="columnar"' in text
    assert "rows of late may wait" in text
    plain = rows.window("4 s").aggregate(n="count(*)").query("plain", sw.slack("2 s"))
    sw.pipeline(plain)._check_copied(Options(tier="columnar"), cluster)
