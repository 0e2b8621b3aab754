"""Every sink of the house does what the engine relies on; and one that does not is found out."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import slackwater as sw
from slackwater.execute.sinks import MemorySink, Results, TableResults, Target
from slackwater.testing.checks import NonconformityError, Rows, check_sink


def test_parquet_conforms(tmp_path: Path) -> None:
    def read() -> Rows:
        found = sorted(tmp_path.glob("batch=*/*.parquet"))
        return [row for file in found for row in pq.ParquetFile(file).read().to_pylist()]

    check_sink(lambda: sw.parquet(tmp_path), read)


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
        lambda: sink, lambda: [r for t in stored.values() for r in t.to_pylist()], hides=False
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
