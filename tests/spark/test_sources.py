"""Sources give the rows they promise, the same ones after a restart, and end when told."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import slackwater as sw
from slackwater.errors import SourceError
from slackwater.spark.sources import Source, files, generator, heartbeat, recording
from slackwater.spark.sources.generator import GeneratorReader
from slackwater.spark.sources.recording import Recording, RecordingReader
from slackwater.stats.workload import Disorder, Rows, Workload, rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

LATE = Disorder.of(late=0.3, delay="pareto", scale="300 ms", cap="5 s")
WORKLOAD = Workload(seed=5, rows_per_second=1000, keys=20, disorder=LATE)
INSTANT = pa.timestamp("us", tz="UTC")


def run(frame: DataFrame, checkpoint: Path, **trigger: Any) -> dict[int, list[tuple[Any, ...]]]:
    """The rows of each batch, as tuples."""
    batches: dict[int, list[tuple[Any, ...]]] = {}

    def keep(batch: DataFrame, number: int) -> None:
        batches[number] = [tuple(row) for row in batch.collect()]

    query = frame.writeStream.foreachBatch(keep).option("checkpointLocation", str(checkpoint))
    started = query.trigger(**(trigger or {"availableNow": True})).start()
    try:
        assert started.awaitTermination(60)
    finally:
        started.stop()
    return {number: found for number, found in batches.items() if found}


def table(part: Rows) -> pa.Table:
    return pa.table(
        {
            "seq": part.seq,
            "ts": pa.array(part.time, INSTANT),
            "arrival": pa.array(part.arrival, INSTANT),
            "value": part.value,
        }
    )


def seqs(batches: dict[int, list[tuple[Any, ...]]]) -> list[list[int]]:
    return [[row[0] for row in batches[number]] for number in sorted(batches)]


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """1000 rows over three files whose names are not in arrival order."""
    folder = tmp_path / "recorded"
    folder.mkdir()
    for name, first, last in (("b", 0, 400), ("a", 400, 700), ("c", 700, 1000)):
        part = table(rows(WORKLOAD, first, last))
        pq.write_table(part, folder / f"{name}.parquet", row_group_size=150)
    return folder


def offline(source: Recording) -> RecordingReader:
    """The reader of a recording without Spark."""
    kinds = {
        "bigint": pa.int64(),
        "timestamp": INSTANT,
        "double": pa.float64(),
        "string": pa.string(),
    }
    arrow = pa.schema([(c.name, kinds[c.type]) for c in source.schema().columns])
    return RecordingReader(source.index, source.pace, arrow)


def read_all(reader: RecordingReader, first: int, last: int) -> pa.Table:
    return pa.Table.from_batches(list(reader.batches(first, last)))


# Generator


@pytest.mark.slow
def test_a_generated_stream_gives_its_rows_again_and_goes_on_after_a_crash(
    spark: SparkSession, tmp_path: Path
) -> None:
    def source(total: int) -> Source:
        return generator(1000, keys=20, disorder=LATE, seed=5, total_rows=total, rows_per_batch=400)

    first = run(source(1000).open(spark), tmp_path)
    assert [len(batch) for batch in first.values()] == [400, 400, 200]
    for name in ("2", ".2.crc"):  # as if the process had died before batch 2 was committed
        (tmp_path / "commits" / name).unlink()
    again = run(source(1500).open(spark), tmp_path)
    assert [len(batch) for batch in again.values()] == [200, 400, 100]
    assert again[2] == first[2]

    found = [row for batch in {**first, **again}.values() for row in batch]
    wanted = rows(WORKLOAD, 0, 1500)
    assert [row[0] for row in found] == list(range(1500))
    assert [_micros(row[1]) for row in found] == wanted.time.tolist()
    assert [_micros(row[2]) for row in found] == wanted.arrival.tolist()
    assert [row[3] for row in found] == wanted.key.tolist()
    assert [row[4] for row in found] == wanted.value.tolist()


def test_only_a_large_batch_is_made_by_several_tasks() -> None:
    source = generator(rows_per_batch=10, partitions=3)
    reader = GeneratorReader(source.workload, source.pace, None)

    def ranges(first: int, last: int) -> list[tuple[int, int]]:
        return [part.value for part in reader.partitions({"row": first}, {"row": last})]

    assert ranges(7, 7) == []
    assert ranges(7, 10_007) == [(7, 10_007)]
    assert ranges(10, 90_010) == [(10, 45_010), (45_010, 90_010)]
    assert ranges(0, 900_000) == [(0, 300_000), (300_000, 600_000), (600_000, 900_000)]


def test_pace_follows_the_wall_from_the_offset_of_the_restart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    source = generator(1000, speed=2.0, total_rows=10_000)
    reader = GeneratorReader(source.workload, source.pace, source.total_rows)
    limit = reader.getDefaultReadLimit()
    start = reader.latestOffset({"row": 3000}, limit)
    assert start == {"row": 3001}  # the row at the offset is due at once, downtime is not caught up
    now[0] += 1.5
    assert reader.latestOffset(start, limit) == {"row": 6001}
    now[0] += 100
    assert reader.latestOffset({"row": 6001}, limit) == {"row": 10_000}
    assert reader.latestOffset({"row": 10_000}, limit) == {"row": 10_000}


def test_a_paced_stream_never_gives_more_than_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "monotonic", Clock(iter(range(0, 1000, 10))))
    source = generator(1000, speed=1.0, rows_per_batch=500)
    reader = GeneratorReader(source.workload, source.pace, None)
    reader.latestOffset({"row": 0}, reader.getDefaultReadLimit())
    assert reader.latestOffset({"row": 1}, reader.getDefaultReadLimit()) == {"row": 501}


def test_an_endless_stream_refuses_available_now() -> None:
    source = generator(1000, rows_per_batch=10)
    reader = GeneratorReader(source.workload, source.pace, None)
    with pytest.raises(SourceError, match="SOURCE_ENDLESS"):
        reader.prepareForTriggerAvailableNow()


def test_what_a_source_is_does_not_depend_on_its_pace() -> None:
    one = generator(1000, seed=1, speed=3.0).describe()
    two = generator(1000, seed=1, rows_per_batch=7, total_rows=5).describe()
    assert json.loads(json.dumps(one)) is not None
    assert one.pop("pace") != two.pop("pace")
    assert one == two


@pytest.mark.parametrize(
    "wrong",
    [
        {"speed": 0.0},
        {"rows_per_batch": 0},
        {"partitions": 0},
        {"total_rows": -1},
        {"start": "soon"},
    ],
)
def test_a_generator_refuses_what_makes_no_sense(wrong: dict[str, Any]) -> None:
    with pytest.raises(SourceError, match=next(iter(wrong))):
        generator(1000, **wrong)


def test_a_start_may_be_given_as_text_or_instant() -> None:
    moment = datetime(2025, 6, 1, 12, tzinfo=UTC)
    texts = ("2025-06-01T12:00:00Z", "2025-06-01 12:00:00", "2025-06-01T14:00:00+02:00")
    starts = {generator(start=start).workload.start for start in (*texts, moment)}
    assert starts == {round(moment.timestamp() * 1e6)}


# Recording


@pytest.mark.spec("qddh:F010")
def test_a_recording_is_replayed_in_arrival_order_and_goes_on_after_a_restart(
    spark: SparkSession, recorded: Path, tmp_path: Path
) -> None:
    source = recording(recorded, time="ts", arrival="arrival", speed=None, rows_per_batch=270)
    batches = run(source.open(spark), tmp_path / "checkpoint")
    assert seqs(batches) == [
        list(range(start, min(start + 270, 1000))) for start in range(0, 1000, 270)
    ]
    wanted = rows(WORKLOAD, 0, 1000)
    found = [row for batch in batches.values() for row in batch]
    assert [_micros(row[1]) for row in found] == wanted.time.tolist()
    assert run(source.open(spark), tmp_path / "checkpoint") == {}


@pytest.mark.spec("qddh:F010")
def test_a_recording_is_paced_by_arrival_with_a_speed_factor(
    recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [50.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    reader = offline(recording(recorded, time="ts", arrival="arrival", speed=4.0))
    limit = reader.getDefaultReadLimit()
    arrivals = rows(WORKLOAD, 0, 1000).arrival
    offset = reader.latestOffset(reader.initialOffset(), limit)
    for elapsed in (0.01, 0.07, 0.1, 0.2499, 0.3):
        now[0] = 50.0 + elapsed
        offset = reader.latestOffset(offset, limit)
        assert offset["row"] == np.searchsorted(
            arrivals, arrivals[0] + round(elapsed * 4e6), "right"
        )
    assert offset == {"row": 1000}


def test_without_arrival_the_pace_is_the_largest_event_time_so_far(
    recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    reader = offline(recording(recorded, time="ts"))
    everything = read_all(reader, 0, 1000)
    order = [*range(400, 700), *range(400), *range(700, 1000)]  # files by name
    assert everything.column("seq").to_pylist() == order
    clock = np.maximum.accumulate(rows(WORKLOAD, 0, 1000).time[order])
    limit = reader.getDefaultReadLimit()
    begin = reader.latestOffset({"row": 0}, limit)["row"]
    assert begin == np.searchsorted(clock, clock[0], "right")
    for elapsed in (0.05, 0.299, 0.31, 0.6):
        now[0] = elapsed
        due = reader.latestOffset({"row": 0}, limit)["row"]
        assert due == np.searchsorted(clock, clock[0] + round(elapsed * 1e6), "right")


def test_any_range_of_a_recording_can_be_read(recorded: Path) -> None:
    reader = offline(recording(recorded, time="ts", arrival="arrival"))
    for first, last in ((0, 1000), (149, 151), (399, 401), (10, 10), (999, 1000), (300, 900)):
        found = [
            n for batch in reader.batches(first, last) for n in batch.column("seq").to_pylist()
        ]
        assert found == list(range(first, last))


def test_unsorted_arrivals_are_refused_or_sorted_once(recorded: Path, tmp_path: Path) -> None:
    shuffled = pq.read_table(recorded / "b.parquet").take(np.random.default_rng(1).permutation(400))
    pq.write_table(shuffled, recorded / "b.parquet")
    with pytest.raises(SourceError, match="RECORDING_UNSORTED") as caught:
        recording(recorded, time="ts", arrival="arrival")
    assert "sort=True" in caught.value.hint

    cache = tmp_path / "cache"
    for _ in range(2):
        source = recording(recorded, time="ts", arrival="arrival", sort=True, cache=cache)
        assert read_all(offline(source), 0, 1000).column("seq").to_pylist() == list(range(1000))
    assert len(list(cache.iterdir())) == 1


def test_overlapping_files_are_refused(recorded: Path) -> None:
    pq.write_table(table(rows(WORKLOAD, 100, 120)), recorded / "d.parquet")
    with pytest.raises(SourceError, match="RECORDING_UNSORTED"):
        recording(recorded, time="ts", arrival="arrival")


def test_a_sequence_number_orders_but_does_not_pace(recorded: Path) -> None:
    source = recording(recorded, time="ts", arrival="seq")
    assert source.index.clock == "ts"
    assert read_all(offline(source), 0, 1000).column("seq").to_pylist() == list(range(1000))


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_text_is_replayed_like_parquet(kind: str, recorded: Path, tmp_path: Path) -> None:
    folder = tmp_path / kind
    folder.mkdir()
    whole = pq.read_table(recorded, use_threads=False).sort_by("seq").to_pylist()
    for part, zone in ((0, "Z"), (1, "")):
        lines = [_line(row, kind, zone) for row in whole[part * 500 : part * 500 + 500]]
        head = ["seq,ts,arrival,value"] if kind == "csv" else []
        (folder / f"{part}.{kind}").write_text("\n".join([*head, *lines]) + "\n")
    cache = tmp_path / "cache"
    source = recording(folder, time="ts", arrival="arrival", format=kind, cache=cache)
    same = recording(recorded, time="ts", arrival="arrival")
    assert source.schema() == same.schema()
    assert read_all(offline(source), 0, 1000) == read_all(offline(same), 0, 1000)


def test_every_problem_of_a_recording_is_reported_at_once(recorded: Path) -> None:
    with pytest.raises(SourceError) as caught:
        recording(recorded, time="value", arrival="nope", speed=-1.0)
    for word in ("speed is -1.0", "time 'value' is double", "arrival is 'nope'"):
        assert word in str(caught.value)


def test_missing_arrivals_are_refused(tmp_path: Path) -> None:
    part = table(rows(WORKLOAD, 0, 3)).set_column(2, "arrival", pa.array([1, None, 3], INSTANT))
    pq.write_table(part, tmp_path / "a.parquet")
    with pytest.raises(SourceError, match="RECORDING_ARRIVAL"):
        recording(tmp_path, time="ts", arrival="arrival")


# Files


def test_a_folder_is_read_in_batches_of_files_with_the_types_spark_sees(
    spark: SparkSession, tmp_path: Path
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(3):
        moment = pa.array([number * 1_000_000])
        part = pa.table(
            {
                "n": pa.array([number]),
                "zoned": moment.cast(INSTANT),
                "local": moment.cast(pa.timestamp("us")),
                "tags": pa.array([["a"]]).cast(pa.list_(pa.string())),
                "small": pa.array([1], pa.uint8()),
                "word": pa.array(["x"]).dictionary_encode(),
                "amount": pa.array([1]).cast(pa.decimal128(22, 2)),
                "inner": pa.array([{"a b": 1, "c": 2.0}]),
            }
        )
        pq.write_table(part, folder / f"{number}.parquet")
        os.utime(folder / f"{number}.parquet", (1e9 + number, 1e9 + number))
    (folder / "_SUCCESS").write_text("not data")

    source = files(folder, files_per_batch=2)
    assert source.schema().type_of("zoned") == "timestamp"
    assert source.schema().type_of("local") == "timestamp_ntz"
    seen = spark.read.parquet(str(folder)).schema
    assert source.open(spark).schema.simpleString() == seen.simpleString()
    assert seqs(run(source.open(spark), tmp_path / "checkpoint")) == [[0, 1], [2]]


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_text_files_are_read_with_inferred_types(
    kind: str, spark: SparkSession, tmp_path: Path
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    moments = ["2024-01-01T00:00:00.250Z", "2024-01-01T00:00:01.500Z"]
    whole = [{"n": n, "ts": moment, "v": n + 0.5, "s": "a"} for n, moment in enumerate(moments)]
    text = "\n".join(json.dumps(row) for row in whole)
    if kind == "csv":
        text = "\n".join(["n,ts,v,s", *(",".join(map(str, row.values())) for row in whole)])
    (folder / f"x.{kind}").write_text(text + "\n")
    source = files(folder, kind)
    assert [c.type for c in source.schema().columns] == ["bigint", "timestamp", "double", "string"]
    (found,) = run(source.open(spark), tmp_path / "checkpoint").values()
    assert [(n, _micros(ts) % 10**9, v) for n, ts, v, _ in found] == [
        (0, 1704067200_250_000 % 10**9, 0.5),
        (1, 1704067201_500_000 % 10**9, 1.5),
    ]


def test_old_parquet_timestamps_are_instants(tmp_path: Path) -> None:
    part = pa.table({"t": pa.array([1], pa.timestamp("us"))})
    pq.write_table(part, tmp_path / "a.parquet", use_deprecated_int96_timestamps=True)
    assert files(tmp_path).schema().type_of("t") == "timestamp"


def test_a_folder_may_be_empty_if_the_schema_is_given(tmp_path: Path) -> None:
    assert files(tmp_path, schema={"ts": "timestamp"}).schema().names == ("ts",)
    with pytest.raises(SourceError, match="SOURCE_EMPTY"):
        files(tmp_path)


@pytest.mark.parametrize(
    ("kind", "contents", "condition"),
    [
        ("parquet", ["no parquet"], "SOURCE_UNREADABLE"),
        ("csv", ["a,b\n1,2\n3\n"], "SOURCE_UNREADABLE"),
        ("csv", ["a,b\n1,2\n", "b,a\n1,2\n"], "SOURCE_INCONSISTENT"),
        ("csv", ["a,b\n1,2\n", "a,b\n1,x\n"], "SOURCE_INCONSISTENT"),
        ("json", ['{"a": 1}\n{"a": "x"}\n'], "SOURCE_UNREADABLE"),
        ("json", ['{"a": 1}\n', '{"a": "x"}\n'], "SOURCE_INCONSISTENT"),
        ("json", ['{"a": 1\n'], "SOURCE_UNREADABLE"),
        ("avro", ["x"], "SOURCE_FORMAT"),
    ],
)
def test_bad_folders_are_refused_with_the_reason(
    kind: str, contents: list[str], condition: str, tmp_path: Path
) -> None:
    for number, text in enumerate(contents):
        (tmp_path / f"{number}.{kind}").write_text(text)
    with pytest.raises(SourceError, match=condition):
        files(tmp_path, kind)


def test_numbers_of_different_width_agree(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,b\n1,\n")
    (tmp_path / "b.csv").write_text("a,b\n1.5,x\n")
    assert [c.type for c in files(tmp_path, "csv").schema().columns] == ["double", "string"]


def test_missing_folders_partitions_and_nanoseconds_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="SOURCE_MISSING"):
        files(tmp_path / "nowhere", schema={"a": "int"})
    with pytest.raises(SourceError, match="SOURCE_SCHEMA"):
        files("s3a://bucket/data")
    pq.write_table(pa.table({"t": pa.array([1], pa.timestamp("ns"))}), tmp_path / "a.parquet")
    with pytest.raises(SourceError, match="nanoseconds"):
        files(tmp_path)
    (tmp_path / "day=1").mkdir()
    with pytest.raises(SourceError, match="partition"):
        files(tmp_path)


# Heartbeat


@pytest.mark.parametrize("odd", ["[", "]", "{a,b}", "*", "?", "back\\slash"])
def test_a_folder_that_spark_takes_for_a_pattern_is_refused(odd: str, tmp_path: Path) -> None:
    folder = tmp_path / f"a{odd}" / "in"
    folder.mkdir(parents=True)
    pq.write_table(pa.table({"v": [1]}), folder / "a.parquet")
    with pytest.raises(SourceError, match="SOURCE_PATH") as error:
        files(folder)
    assert str(folder) in error.value.message
    (tmp_path / "link").symlink_to(folder)  # the way out
    assert files(tmp_path / "link").schema().names == ("v",)


@pytest.mark.parametrize("tier", ["columnar", pytest.param("spark", marks=pytest.mark.slow)])
def test_sources_sinks_and_checkpoints_may_lie_in_odd_folders(
    spark: SparkSession, tmp_path: Path, tier: str
) -> None:
    """Several files in a batch, a restart, and results read again."""
    folder = tmp_path / "per%20cent #ünï 日🙂,;:=+'\"~^$!\nline" / "in"
    home = tmp_path / "[1]{a,b}*?\\ %41"
    folder.mkdir(parents=True)

    def go(first: int, **options: Any) -> Any:
        for number in range(first, first + 3):
            seconds = [(number * 10 + n) * 1_000_000 for n in range(10)]
            part = pa.table({"ts": pa.array(seconds, INSTANT), "v": [number] * 10})
            pq.write_table(part, folder / f"{number} %.parquet")
        query = sw.stream("r", files(folder), time="ts").window("10 s").aggregate(s="sum(v)")
        sink = sw.parquet(home / "out")
        pipeline = sw.pipeline(query.query("q", sink=sink), query.query("k", sw.max_error(0.1)))
        return pipeline.run(str(home / "cp"), tier=tier, spark=spark, **options)

    go(0)
    handle = go(3, flush=True)
    for name in ("q", "k"):
        found = [row.s for row in handle.results(name).orderBy("window_start").collect()]
        assert found == [0, 10, 20, 30, 40, 50]
    assert handle.fulfilment_by_key("k")[0]["fulfilment"] == 1.0


def test_a_heartbeat_ticks_and_leaves_other_sources_their_batches(
    spark: SparkSession, tmp_path: Path
) -> None:
    beats = heartbeat(spark, "100 ms").selectExpr("CAST(NULL AS bigint) AS seq", "timestamp")
    data = generator(1000, total_rows=30, rows_per_batch=10).open(spark)
    both = data.selectExpr("seq", "CAST(NULL AS timestamp) AS timestamp").unionByName(beats)
    assert seqs(run(both, tmp_path / "now")) == [list(range(n, n + 10)) for n in (0, 10, 20)]

    ticks: list[Any] = []
    query = beats.writeStream.foreachBatch(lambda batch, _: ticks.extend(batch.collect()))
    started = query.option("checkpointLocation", str(tmp_path / "live")).start()
    until = time.monotonic() + 30
    while len(ticks) < 3 and time.monotonic() < until:
        time.sleep(0.05)
    started.stop()
    instants = [_micros(tick.timestamp) for tick in ticks]
    assert len(instants) >= 3
    assert instants == sorted(set(instants))
    assert all(instant % 100_000 == 0 for instant in instants)


def test_a_source_says_what_it_is(recorded: Path) -> None:
    for source in (files(recorded), recording(recorded, time="ts"), generator()):
        assert isinstance(source, Source)
        assert json.loads(json.dumps(source.describe()))["pace"] is not None


class Clock:
    """A clock that shows the next instant each time it is read."""

    def __init__(self, instants: Iterator[int]) -> None:
        self._instants = instants

    def __call__(self) -> float:
        return float(next(self._instants))


def _micros(moment: datetime) -> int:
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return round((aware - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() * 1e6)


def _line(row: dict[str, Any], kind: str, zone: str) -> str:
    text = {
        name: value.replace(tzinfo=None).isoformat(timespec="microseconds") + zone
        if isinstance(value, datetime)
        else value
        for name, value in row.items()
    }
    return json.dumps(text) if kind == "json" else ",".join(str(value) for value in text.values())
