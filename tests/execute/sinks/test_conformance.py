"""Every sink of the house does what the engine relies on; and one that does not is found out."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import slackwater as sw
from slackwater.execute.sinks import MemorySink, Results, Sink, TableResults, Target
from slackwater.runs.checkpoint import Owner
from slackwater.testing.checks import NonconformityError, Rows, check_sink
from tests.stand_in import StandIn, stand_in

__all__ = ["stand_in"]


def test_parquet_conforms(tmp_path: Path) -> None:
    def read() -> Rows:
        found = sorted(tmp_path.glob("batch=*/*.parquet"))
        return [row for file in found for row in pq.ParquetFile(file).read().to_pylist()]

    check_sink(lambda: sw.parquet(tmp_path), read)


def test_parquet_in_a_store_conforms(stand_in: StandIn) -> None:
    check_sink(lambda: sw.parquet("s3://bucket/out"), lambda: stand_in.rows("out"))


def test_what_a_writer_staged_that_was_replaced_is_in_nobodys_way(stand_in: StandIn) -> None:
    def opened(epoch: int, committed: int, last: int) -> Sink:
        sink = sw.parquet("s3://bucket/job/results/q")
        owner = Owner("me", "s3://bucket/job", "results", epoch=epoch, committed=committed)
        sink.open(Target("q", owner=owner))
        sink.recover(last)
        return sink

    def rows(number: int) -> TableResults:
        return TableResults(pa.table({"n": [number]}))

    old = opened(1, 0, -1)
    old.prepare(0, rows(1))
    new = opened(2, 1, 0)  # the old one had committed batch 0, and died before it was shown
    assert stand_in.rows("job") == [{"n": 1}]
    new.prepare(1, rows(2))
    old.prepare(1, rows(3))  # it does not know yet; its manifest will be refused
    new.commit(1)
    assert opened(3, 2, 1) is not None
    assert sorted(row["n"] for row in stand_in.rows("job")) == [1, 2]
    assert [key for key in stand_in.keys("job") if "_staging" in key] == []


def test_parquet_shows_batches_whose_renaming_a_loss_of_power_undid(tmp_path: Path) -> None:
    sink = sw.parquet(tmp_path)
    sink.open(Target("q"))
    for number in range(4):
        sink.prepare(number, TableResults(pa.table({"n": [number]})))
        sink.commit(number)
    (tmp_path / "batch=1").rename(tmp_path / "_batch=1")  # as if it had never been renamed
    sink.recover(2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["batch=0", "batch=1", "batch=2"]


def test_memory_conforms() -> None:
    sink = MemorySink()
    check_sink(
        lambda: sink, lambda: [] if (t := sink.table()) is None else t.to_pylist(), hides=False
    )


def test_a_callback_that_stores_the_id_conforms() -> None:
    stored: dict[int, pa.Table] = {}
    sink = sw.callback(stored.__setitem__)
    check_sink(
        lambda: sink,
        lambda: [r for t in stored.values() for r in t.to_pylist()],
        hides=False,
        goes_back=False,
    )


@dataclass
class Careless:
    """Shows what was prepared at the commit, and forgets what was not committed when it died."""

    shown: list[dict[str, object]] = field(default_factory=list)
    waiting: list[dict[str, object]] = field(default_factory=list)

    def open(self, target: Target) -> None:
        self.waiting.clear()

    def prepare(self, batch: int, results: Results) -> int:
        self.waiting = results.arrow().to_pylist()
        return len(self.waiting)

    def commit(self, batch: int) -> None:
        self.shown += self.waiting
        self.waiting = []

    def recover(self, last: int) -> None:
        pass


def test_a_sink_that_loses_rows_between_manifest_and_commit_is_found_out() -> None:
    sink = Careless()
    with pytest.raises(NonconformityError, match="after its manifest is not lost"):
        check_sink(lambda: sink, lambda: sink.shown)
