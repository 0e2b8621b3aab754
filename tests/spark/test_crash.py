"""Dead at any write of the spark tier and started again: jobs die in the middle, too."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.readwriter import DataFrameWriter

from slackwater.execute.limits import Limits
from slackwater.spark.parquet import write_parquet
from tests.execute.test_crash import die_until_done
from tests.mortal import Reaper, mortal
from tests.spark.driver import SparkDriver, readings
from tests.story import batches, ending, leftovers, queries


@pytest.mark.slow
@pytest.mark.kill
@pytest.mark.timeout(1200)
def test_death_at_any_write_changes_nothing(spark: SparkSession, tmp_path: Path) -> None:
    told, tables = queries(readings("1 day")), batches(6)
    told = (told[1], told[3])  # jobs are slow: the two richest
    executors, limits = SparkDriver("spark", spark), Limits(fan_in=3, log_bytes=5_000)
    executors.run(told, tables, tmp_path / "calm", limits=limits)
    folder = tmp_path / "killed"
    reaper = die_until_done(told, tables, folder, DataFrameWriter, driver=executors, limits=limits)
    assert ending(folder) == ending(tmp_path / "calm")
    assert leftovers(folder) == []
    steps = {point.rsplit(" ", 1)[0] for point in reaper.deaths}
    assert {"before unlink", "middle of job", "before event", "middle of event"} <= steps


def test_a_job_that_dies_in_the_middle_leaves_half_of_it(
    spark: SparkSession, tmp_path: Path
) -> None:
    whole, half = tmp_path / "whole", tmp_path / "half"
    rows = spark.range(100, numPartitions=3)
    write_parquet(rows, whole)
    reaper = Reaper(half)
    while "middle of job " not in reaper.deaths:
        with mortal(reaper, DataFrameWriter):
            write_parquet(rows, half)
    assert len(list(half.glob("*.parquet"))) == len(list(whole.glob("*.parquet"))) - 1
    [torn] = (half / "_temporary").rglob("*.parquet")
    assert torn.stat().st_size > 0


def test_a_job_that_writes_nothing_is_not_taken_for_one_that_dies_in_the_middle(
    spark: SparkSession, tmp_path: Path
) -> None:
    nothing = spark.range(0).selectExpr("id", "id AS apart")
    reaper = Reaper(tmp_path / "empty")

    def die() -> None:
        while True:
            with mortal(reaper, DataFrameWriter):
                write_parquet(nothing, tmp_path / "empty", apart="apart")
            assert reaper.is_dead

    with pytest.raises(AssertionError, match="no middle"):
        die()
