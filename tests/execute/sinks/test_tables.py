"""Tables of Delta Lake and Iceberg do what the engine relies on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable
from pyiceberg.catalog import load_catalog

import slackwater as sw
from slackwater.execute.sinks import Sink, TableResults, Target
from slackwater.testing import check_latest, check_sink


@dataclass(frozen=True)
class Place:
    """A kind of table in a folder of its own."""

    make: Callable[..., Sink]
    read: Callable[[], pa.Table]

    def rows(self) -> list[dict[str, object]]:
        return self.read().to_pylist()


def delta(folder: Path) -> Place:
    def read() -> pa.Table:
        return DeltaTable(folder / "answers").to_pyarrow_table()

    return Place(lambda **options: sw.delta(folder / "answers", **options), read)


def iceberg(folder: Path) -> Place:
    uri, warehouse = f"sqlite:///{folder}/catalog.db", folder / "warehouse"

    def read() -> pa.Table:
        found = load_catalog("default", uri=uri, warehouse=warehouse.as_uri())
        return found.load_table("monitoring.answers").scan().to_arrow()

    def make(**options: Any) -> Sink:
        return sw.iceberg("monitoring.answers", uri, warehouse=warehouse, **options)

    return Place(make, read)


@pytest.fixture(params=[delta, iceberg])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    found: Place = request.param(tmp_path)
    return found


@pytest.mark.parametrize("mode", ["append", "latest"])
def test_a_table_conforms(place: Place, mode: str) -> None:
    check_sink(lambda: place.make(mode=mode), place.rows)


def test_of_each_key_the_row_that_counts_is_kept(place: Place) -> None:
    check_latest(lambda: place.make(mode="latest"), place.rows)


def test_columns_of_bytes_are_taken_batch_after_batch(place: Place) -> None:
    """As late rows of a topic have them: their columns are known with the first rows."""
    sink = place.make()
    sink.open(Target("q", "late rows"))
    for batch, key in enumerate([b"\x00\xff", None]):
        sink.prepare(batch, TableResults(pa.table({"_key": pa.array([key], pa.binary())})))
        sink.commit(batch)
    place.make().open(Target("q", "late rows", schema=pa.schema({"_key": pa.binary()})))
    found = [row["_key"] for row in place.rows()]
    assert sorted(found, key=repr) == [None, b"\x00\xff"]
