"""What is said of files that come after the start: other types, missing columns, gone, tied."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from py4j.protocol import Py4JError

import slackwater as sw
from slackwater.errors import SourceError
from slackwater.execute.sinks import MemorySink
from slackwater.runs.offsets import SparkLog
from slackwater.spark.read.arrivals import Arrivals, Watched

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
SCHEMA = {"ts": "timestamp", "v": "double"}


def rows(first: int, kind: pa.DataType | None = None, unit: str = "us") -> pa.Table:
    """Ten seconds, a row each."""
    seconds = range(first, first + 10)
    times = pa.array([BEGIN + timedelta(seconds=s) for s in seconds], pa.timestamp(unit, "UTC"))
    return pa.table({"ts": times, "v": pa.array(seconds, pa.int64()).cast(kind or pa.float64())})


def test_a_file_that_is_not_as_the_others_is_named_and_nothing_is_lost(
    spark: SparkSession, tmp_path: Path
) -> None:
    folder = tmp_path / "in %20#é"
    folder.mkdir()
    sink = MemorySink()

    def go(**options: Any) -> list[str]:
        stream = sw.stream("r", sw.files(folder, schema=SCHEMA), time="ts")
        query = stream.window("10 s").aggregate(n="count(*)", s="sum(v)").query("q", sink=sink)
        handle = sw.pipeline(query).run(str(tmp_path / "cp"), spark=spark, **options)
        return [event["text"] for event in handle.events() if event["event"] == "notice"]

    def refused() -> SourceError:
        with pytest.raises(SourceError) as error:
            go()
        return error.value

    pq.write_table(rows(0), folder / "a.parquet")
    assert go() == []
    odd = folder / "b%20 ö.parquet"
    pq.write_table(rows(10, pa.string()), odd)
    told = refused()
    assert told.condition == "SOURCE_FILE"
    assert f"{odd} is not as the files before it: column 'v' is string, expected double" in str(
        told
    )
    assert len(str(told).splitlines()) == 2
    assert isinstance(told.__cause__, Py4JError)
    pq.write_table(rows(10), odd)  # mended in its place
    assert go() == []

    text = folder / "c.parquet"
    text.write_text("ts,v\n2026-01-01,1\n" * 9)
    assert f"{text} is not as the files before it: cannot be read" in str(refused())
    text.unlink()  # given up
    assert go() == [f"stream 'r': {text} gone: nothing of it is read"]

    pq.write_table(rows(20).drop_columns(["v"]), folder / "d.parquet")
    pq.write_table(rows(30), folder / "e.parquet")
    [_, lacking] = go(flush=True)
    assert lacking.startswith(f"stream 'r': no column 'v' in {folder / 'd.parquet'}: null in")
    found = sink.table()
    assert found is not None
    pairs = zip(found["n"].to_pylist(), found["s"].to_pylist(), strict=True)
    assert sorted(pairs, key=str) == [(10, 145.0), (10, 345.0), (10, 45.0), (10, None)]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (rows(0, pa.int64()), "column 'v' is bigint, expected double"),
        (rows(0, unit="ns"), "column 'ts' is timestamps in nanoseconds, expected timestamp"),
        (rows(0).rename_columns(["TS", "V"]), None),
    ],
)
def test_a_file_is_compared_with_what_is_read(
    table: pa.Table, said: str | None, tmp_path: Path
) -> None:
    one = Watched.of("r", sw.files(tmp_path, schema=SCHEMA), ("ts", "v"))
    assert one is not None
    pq.write_table(table, tmp_path / "a.parquet")
    assert one.differing(tmp_path / "a.parquet", "") == ([said] if said else [])
    assert one.lacking(tmp_path / "a.parquet") == []


def test_csv_with_another_header_is_told(tmp_path: Path) -> None:
    one = Watched.of("r", sw.files(tmp_path, "csv", schema=SCHEMA), ("ts", "v"))
    assert one is not None
    (tmp_path / "a.csv").write_text("v,ts\n1,2026-01-01\n")
    assert one.differing(tmp_path / "a.csv", "") == ["its columns are v, ts, expected ts, v"]


def test_remote_files_and_other_sources_are_not_looked_at(tmp_path: Path) -> None:
    assert Watched.of("r", sw.files("s3a://b/in", schema=SCHEMA), ("ts",)) is None
    assert Watched.of("r", sw.generator(1), ("ts",)) is None


def spark_log(folder: Path, entries: dict[str, list[tuple[Path, int]]], offsets: list[int]) -> None:
    """What Spark writes about a file source."""
    (folder / "sources" / "0").mkdir(parents=True)
    (folder / "offsets").mkdir()
    for name, files in entries.items():
        lines = [
            json.dumps({"path": path.as_uri(), "timestamp": 1, "batchId": batch})
            for path, batch in files
        ]
        (folder / "sources" / "0" / name).write_text("\n".join(["v1", *lines]))
    for batch, offset in enumerate(offsets):
        text = f'v1\n{{"batchWatermarkMs":0}}\n{{"logOffset":{offset}}}'
        (folder / "offsets" / str(batch)).write_text(text)


def test_the_files_of_a_batch_are_those_of_its_entries(tmp_path: Path) -> None:
    a, b, c, d = (tmp_path / name for name in ("a b", "b%20", "c", "d"))
    whole = {"0": [(a, 0)], "1": [(b, 1)], "2.compact": [(a, 0), (b, 1), (c, 2), (d, 2)]}
    spark_log(tmp_path / "log", whole, [0, 2])
    log = SparkLog(tmp_path / "log")
    assert log.files(0) == [a]
    assert log.files(1) == [b, c, d]


def test_files_of_one_time_are_told_where_batches_take_some(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("b", "a", "c", "_x"):
        pq.write_table(rows(0), folder / f"{name}.parquet")
        moment = 1_000_000_000_000 if name != "c" else 2_000_000_000_000
        os.utime(folder / f"{name}.parquet", ns=(moment, moment + (name == "a")))
    log = SparkLog(tmp_path / "log")

    def told(**pace: int) -> list[str]:
        one = Watched.of("r", sw.files(folder, schema=SCHEMA, **pace), ("ts",))
        assert one is not None
        arrivals = Arrivals(log, (one,))
        return [*arrivals.notices(0), *arrivals.notices(1)]

    assert told() == []
    [text] = told(files_per_batch=1)
    assert text.startswith("stream 'r': 2 files share their time with others, e.g. a.parquet, b")
