"""Settings of a person's session are lent, not taken."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.spark import session
from slackwater.spark.session import DIRECT_FILES, FILE_MANAGER, direct_checkpoint_files, slots
from tests.story import batch, write_input


@pytest.fixture
def own(spark: SparkSession) -> SparkSession:
    session = spark.newSession()
    session.conf.set("spark.sql.session.timeZone", "UTC")
    return session


def manager(session: SparkSession) -> str | None:
    return session.conf.get(FILE_MANAGER, None)


def test_the_manager_of_checkpoint_files_is_given_back_once(own: SparkSession) -> None:
    restore = direct_checkpoint_files(own)
    assert manager(own) == DIRECT_FILES
    restore()
    assert manager(own) is None
    own.conf.set(FILE_MANAGER, "mine")
    restore()
    direct_checkpoint_files(own)()
    assert manager(own) == "mine"


def test_batches_run_with_the_settings_of_the_person(own: SparkSession, tmp_path: Path) -> None:
    write_input(tmp_path / "in", [batch((n, 1, 1)) for n in range(3)])
    reader = own.readStream.schema("ts TIMESTAMP, k BIGINT, v BIGINT")
    rows = reader.option("maxFilesPerTrigger", 1).parquet(str(tmp_path / "in"))
    windows = sw.stream("r", rows, time="ts").window("10 s").aggregate(n="count(*)")
    seen: list[str | None] = []
    sw.pipeline(windows.query("q", sw.slack("1 s"), sink=sw.memory())).run(
        str(tmp_path / "ck"), spark=own, on_batch=lambda _: seen.append(manager(own))
    )
    assert set(seen) == {None}


def test_python_workers_are_talked_to_over_files_that_go_again(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = session.sockets()
    assert asked[session.UNIX_SOCKETS] == "true"
    assert Path(asked[session.SOCKETS_FOLDER]).is_dir()
    gone: list[str] = []
    monkeypatch.setattr(session.atexit, "register", lambda _, folder, **how: gone.append(folder))
    monkeypatch.setattr(session.tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(session, "LONGEST", len(str(tmp_path)) + 20)  # no name fits any more
    assert session.sockets.__wrapped__() == {}
    assert [Path(folder).parent for folder in gone] == [tmp_path]


def test_tasks_are_as_many_as_run_at_the_same_time(spark: SparkSession) -> None:
    """Whatever Spark's default parallelism was set to."""
    master = spark.sparkContext.master
    assert slots(spark)() == int(master.removeprefix("local[").removesuffix("]"))
