"""Late rows without Spark: names are people's."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa

import slackwater as sw
from slackwater.testing import rows, run


def test_an_input_of_a_join_may_have_a_quote_in_its_name(tmp_path: Path) -> None:
    left = rows("left", time="ts", ts="timestamp", k="bigint")
    right = rows("right", time="ts", ts="timestamp", k="bigint").named("o'clock")
    side = sw.memory()
    joined = sw.join(left, right, on="k", within="5 s").select("left.k AS k")
    query = joined.query("q", late="side", sink=sw.memory(), side=side)
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    stamps = pa.array([moment, None], pa.timestamp("us", "UTC"))
    run([query], [pa.table({"ts": stamps, "k": [1, 2]})], tmp_path)
    table = side.table()
    assert table is not None
    assert sorted(table["_input"].to_pylist()) == ["left", "o'clock"]
    assert set(table["_reason"].to_pylist()) == {"null_time"}


def test_rows_of_which_no_column_is_read_are_set_aside_too(tmp_path: Path) -> None:
    stream, side = rows("r", time="ts", ts="timestamp", k="bigint"), sw.memory()
    counted = stream.window("10 s").aggregate(n="count(*)")
    query = counted.query("q", late="drop", sink=sw.memory(), side=side)
    stamps = pa.array([datetime(2026, 1, 1, tzinfo=UTC), None], pa.timestamp("us", "UTC"))
    run([query], [pa.table({"ts": stamps, "k": [1, 2]})], tmp_path)
    table = side.table()
    assert table is not None
    assert table["_reason"].to_pylist() == ["null_time"]
