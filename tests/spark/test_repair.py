"""Repair goes back to the newest sound batch, and nothing is lost or doubled by it."""

from __future__ import annotations

import os
import random
import shutil
import struct
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.runs.checkpoint import Checkpoint
from slackwater.runs.offsets import SparkLog
from slackwater.runs.repair import repair
from slackwater.spark.sources import files

START = 1_704_067_200_000_000
FIRST, ALL = 6, 8  # files before the damage, and in the end
LABELS = {"batch", "emitted_at"}


def write_file(folder: Path, number: int) -> None:
    """One micro-batch: ten seconds of rows, some of them up to 25 seconds late."""
    random.seed(number)
    rows = 60
    late = [random.choice([0, 0, 0, 4, 12, 25]) for _ in range(rows)]
    seconds = [max(0, number * 10 + row % 10 - late[row]) for row in range(rows)]
    table = pa.table(
        {
            "ts": pa.array([START + s * 1_000_000 for s in seconds], pa.timestamp("us", tz="UTC")),
            "sensor": [row % 3 for row in range(rows)],
            "value": [float(row + number) for row in range(rows)],
        }
    )
    folder.mkdir(exist_ok=True)
    path = folder / f"{number:03d}.parquet"
    pq.write_table(table, path)
    os.utime(path, (1_700_000_000 + number,) * 2)


def pipeline(folder: Path) -> sw.Pipeline:
    readings = sw.stream("readings", files(folder, files_per_batch=1), time="ts")
    sums = (
        readings.window("10 s", "5 s")
        .group_by("sensor")
        .aggregate(n="count(*)", total="sum(value)")
    )
    totals = sums.window("20 s").aggregate(windows="count(*)", total="sum(total)")
    return sw.pipeline(totals.query("totals", sw.slack("6 s"), late="side"))


def rows_of(folder: Path) -> Counter[tuple[Any, ...]]:
    found: Counter[tuple[Any, ...]] = Counter()
    for path in folder.glob("batch=*/*.parquet"):
        for row in pq.ParquetFile(path).read().to_pylist():
            found[tuple((k, v) for k, v in sorted(row.items()) if k not in LABELS)] += 1
    return found


def told(checkpoint: Path) -> tuple[Counter[tuple[Any, ...]], Counter[tuple[Any, ...]]]:
    return rows_of(checkpoint / "results" / "totals"), rows_of(checkpoint / "side" / "totals")


@pytest.fixture(scope="module")
def undisturbed(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Counter[tuple[Any, ...]], Counter[tuple[Any, ...]]]:
    folder = tmp_path_factory.mktemp("undisturbed")
    for number in range(ALL):
        write_file(folder / "rows", number)
    pipeline(folder / "rows").run(str(folder / "checkpoint"), flush=True, spark=spark)
    answers, aside = told(folder / "checkpoint")
    assert answers  # or the test shows nothing
    assert aside
    return answers, aside


@pytest.fixture(scope="module")
def first_part(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rows and checkpoint of a run that stopped after the first files."""
    folder = tmp_path_factory.mktemp("first")
    for number in range(FIRST):
        write_file(folder / "rows", number)
    pipeline(folder / "rows").run(str(folder / "checkpoint"), spark=spark)
    return folder


@pytest.fixture
def stopped(first_part: Path, tmp_path: Path) -> Path:
    """A checkpoint of our own to damage; the rows stay where Spark saw them."""
    shutil.copytree(first_part / "checkpoint", tmp_path / "checkpoint")
    return tmp_path / "checkpoint"


def damage(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)


def go_on(spark: SparkSession, rows: Path, checkpoint: Path) -> None:
    for number in range(FIRST, ALL):
        write_file(rows, number)
    pipeline(rows).run(str(checkpoint), flush=True, spark=spark)


def test_a_damaged_manifest_is_refused_then_repaired_and_no_answer_is_lost_or_doubled(
    spark: SparkSession, first_part: Path, stopped: Path, undisturbed: Any
) -> None:
    damage(Checkpoint(stopped).manifest_path(FIRST - 1))
    damage(Checkpoint(stopped).manifest_path(FIRST - 2))
    with pytest.raises(sw.CheckpointError, match="slackwater repair") as refused:
        pipeline(first_part / "rows").run(str(stopped), spark=spark)
    assert refused.value.condition == "CHECKPOINT_DAMAGED"

    report = repair(stopped)
    assert (report.batch, report.newest, len(report.damage)) == (FIRST - 3, FIRST - 1, 2)
    go_on(spark, first_part / "rows", stopped)

    assert told(stopped) == undisturbed
    sources = stopped / "spark" / "sources" / "0"
    files_per_batch = [path.read_text().count('"path"') for path in sources.glob("[0-9]*")]
    assert files_per_batch == [1] * ALL  # the batches after the repair are cut as they were


def test_a_damaged_state_file_is_refused_then_repaired_and_no_answer_is_lost_or_doubled(
    spark: SparkSession, first_part: Path, stopped: Path, undisturbed: Any
) -> None:
    newest = max((stopped / "runs").glob("*/*.parquet"), key=lambda path: path.name)
    damage(newest)
    report = repair(stopped)
    assert report.batch < report.newest
    assert newest.name in report.damage[0]
    go_on(spark, first_part / "rows", stopped)
    assert told(stopped) == undisturbed


def test_a_damaged_state_file_stops_the_pipeline_with_the_way_out(
    spark: SparkSession, first_part: Path, stopped: Path
) -> None:
    for path in (stopped / "runs").glob("*/*.parquet"):
        damage(path)
    with pytest.raises(sw.CheckpointError, match="slackwater repair") as refused:
        pipeline(first_part / "rows").run(str(stopped), flush=True, spark=spark)
    assert refused.value.condition == "RUN_DAMAGED"


def test_damage_to_what_executors_wrote_is_found(spark: SparkSession, tmp_path: Path) -> None:
    for number in range(3):
        write_file(tmp_path / "rows", number)
    checkpoint = tmp_path / "checkpoint"
    pipeline(tmp_path / "rows").run(str(checkpoint), tier="spark", spark=spark)
    newest = max((checkpoint / "runs").glob("*/*.arrow"), key=lambda p: p.name)
    damage(newest)
    assert newest.name in repair(checkpoint, dry_run=True).damage[0]
    with pytest.raises(sw.CheckpointError, match="slackwater repair") as refused:
        pipeline(tmp_path / "rows").run(str(checkpoint), tier="spark", flush=True, spark=spark)
    assert refused.value.condition == "RUN_DAMAGED"


def test_a_dry_run_only_tells(stopped: Path) -> None:
    damage(Checkpoint(stopped).manifest_path(FIRST - 1))
    before = sorted(path for path in stopped.rglob("*"))
    report = repair(stopped, dry_run=True)
    assert report.dry_run
    assert f"manifest/{FIRST - 1:08d}.json" in report.removed
    assert sorted(path for path in stopped.rglob("*")) == before


def test_a_sound_checkpoint_needs_no_repair(stopped: Path) -> None:
    report = repair(stopped)
    assert not report.was_needed
    assert (report.batch, report.damage) == (FIRST - 1, ())


def test_a_damaged_older_manifest_is_removed_without_going_back(stopped: Path) -> None:
    damage(Checkpoint(stopped).manifest_path(FIRST - 2))
    report = repair(stopped)
    assert report.removed == (f"manifest/{FIRST - 2:08d}.json",)
    assert report.batch == FIRST - 1


def test_an_interrupted_repair_can_be_run_again(
    stopped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    damage(max((stopped / "runs").glob("*/*.parquet"), key=lambda path: path.name))
    expected = repair(stopped, dry_run=True)
    unlink, calls = Path.unlink, []

    def fail_at_third(path: Path, **options: Any) -> None:
        calls.append(path)
        if len(calls) == 3:
            raise OSError(5, "Input/output error")
        unlink(path, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", fail_at_third)
        with pytest.raises(sw.StorageError):
            repair(stopped)
    with pytest.raises(sw.CheckpointError):  # it cannot be used half repaired
        Checkpoint(stopped).manifest(FIRST - 1)
    assert repair(stopped).batch == expected.batch
    assert repair(stopped).was_needed is False


def test_nothing_sound_is_said_clearly(stopped: Path) -> None:
    for path in (stopped / "manifest").glob("*.json"):
        damage(path)
    with pytest.raises(sw.CheckpointError, match="no batch") as refused:
        repair(stopped)
    assert refused.value.condition == "CHECKPOINT_BEYOND_REPAIR"


def test_a_checkpoint_in_use_is_left_alone(stopped: Path) -> None:
    owner = Checkpoint(stopped)
    owner.claim()
    try:
        with pytest.raises(sw.CheckpointError) as refused:
            repair(stopped)
    finally:
        owner.close()
    assert refused.value.condition == "CHECKPOINT_IN_USE"


def test_a_folder_that_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    with pytest.raises(sw.CheckpointError) as refused:
        repair(tmp_path)
    assert refused.value.condition == "CHECKPOINT_MISSING"
    assert list(tmp_path.iterdir()) == []


# Spark's record and ours --------------------------------------------------------------------------


def lose_spark_entries(checkpoint: Path) -> None:
    """As if Spark's record had been restored from an older copy."""
    for kind in ("offsets", "commits", "sources/0"):
        for number in (FIRST - 1, FIRST - 2):
            for name in (str(number), f".{number}.crc"):
                (checkpoint / "spark" / kind / name).unlink()


def lose_newest_manifest(checkpoint: Path) -> None:
    Checkpoint(checkpoint).manifest_path(FIRST - 1).unlink()


def lose_two_manifests_and_a_commit(checkpoint: Path) -> None:
    lose_newest_manifest(checkpoint)
    Checkpoint(checkpoint).manifest_path(FIRST - 2).unlink()
    (checkpoint / "spark" / "commits" / str(FIRST - 1)).unlink()


def lose_a_list_of_files(checkpoint: Path) -> None:
    """Spark would take the files of a batch for new ones."""
    (checkpoint / "spark" / "sources" / "0" / str(FIRST - 1)).unlink()


def cut_the_newest_batch_anew(checkpoint: Path) -> None:
    """The offsets are there, but they are not those of the manifest."""
    (checkpoint / "spark" / "commits" / str(FIRST - 1)).unlink()
    path = checkpoint / "spark" / "offsets" / str(FIRST - 1)
    path.write_text(path.read_text().replace('"batchWatermarkMs":0', '"batchWatermarkMs":1'))
    path.with_name(f".{path.name}.crc").unlink()


@pytest.mark.parametrize(
    ("lose", "back_to"),
    [
        (lose_spark_entries, FIRST - 3),
        (lose_newest_manifest, FIRST - 2),
        (lose_two_manifests_and_a_commit, FIRST - 3),
        (lose_a_list_of_files, FIRST - 2),
        (cut_the_newest_batch_anew, FIRST - 2),
    ],
)
def test_records_that_do_not_fit_are_refused_then_repaired_and_no_row_is_lost_or_doubled(
    spark: SparkSession,
    first_part: Path,
    stopped: Path,
    undisturbed: Any,
    lose: Callable[[Path], None],
    back_to: int,
) -> None:
    lose(stopped)
    before = sorted(path for path in stopped.rglob("*") if path.name != "lock")
    with pytest.raises(sw.CheckpointError, match="slackwater repair") as refused:
        pipeline(first_part / "rows").run(str(stopped), spark=spark)
    assert refused.value.condition == "CHECKPOINT_DISAGREES"
    assert sorted(path for path in stopped.rglob("*") if path.name != "lock") == before
    assert repair(stopped).batch == back_to
    go_on(spark, first_part / "rows", stopped)
    assert told(stopped) == undisturbed


def lose_spark_folder(checkpoint: Path) -> None:
    shutil.rmtree(checkpoint / "spark")


def lose_all_manifests(checkpoint: Path) -> None:
    for path in (checkpoint / "manifest").iterdir():
        path.unlink()


def lose_both_records(checkpoint: Path) -> None:
    lose_spark_folder(checkpoint)
    lose_all_manifests(checkpoint)
    for path in (checkpoint / "decision").iterdir():
        path.unlink()


@pytest.mark.parametrize("lose", [lose_spark_folder, lose_all_manifests, lose_both_records])
def test_a_record_that_is_gone_is_refused_and_nothing_is_begun_anew_in_silence(
    spark: SparkSession, first_part: Path, stopped: Path, lose: Callable[[Path], None]
) -> None:
    answers = told(stopped)
    lose(stopped)
    with pytest.raises(sw.CheckpointError) as refused:
        pipeline(first_part / "rows").run(str(stopped), spark=spark)
    assert refused.value.condition == "CHECKPOINT_DISAGREES"
    with pytest.raises(sw.CheckpointError, match="start with a new") as beyond:
        repair(stopped)
    assert beyond.value.condition == "CHECKPOINT_BEYOND_REPAIR"
    assert told(stopped) == answers


def test_spark_entries_are_named_with_their_checksums_and_compacted_lists(tmp_path: Path) -> None:
    def write(kind: str, name: str, text: str) -> None:
        path = tmp_path / kind / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        sums = struct.pack(">II", 512, zlib.crc32(text.encode()))
        path.with_name(f".{name}.crc").write_bytes(b"crc\0" + sums)

    for number in range(13):
        write("commits", str(number), "v1\n{}")
        write("offsets", str(number), f'v1\n{{}}\n{{"row": 5}}\n{{"logOffset":{number - 3}}}')
        write("sources/1", "9.compact" if number == 9 else str(number), "v1\n{}")
    found = {str(path.relative_to(tmp_path)) for path in SparkLog(tmp_path).entries_after(10)}
    assert {name for name in found if "crc" not in name} == {
        "commits/11",
        "commits/12",
        "offsets/12",
        "sources/1/9.compact",
        *(f"sources/1/{number}" for number in (10, 11, 12)),
    }
    assert "offsets/.12.crc" in found
