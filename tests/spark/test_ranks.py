"""Ranks as Spark tells arriving rows apart, in both places of state: as DuckDB does."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.control.records import Tier
from slackwater.errors import QueryError
from tests.driver import Driver, answers
from tests.execute.test_ranks import backlogs, balanced, joined, ranked, traffic
from tests.spark.driver import SparkDriver


@pytest.mark.parametrize("tier", ["columnar", "spark"])
def test_spark_works_on_the_same_rows(spark: SparkSession, tmp_path: Path, tier: Tier) -> None:
    tables: list[Any] = [{n: traffic(second)[n] for n in "ab"} for second in range(5)]
    found = []
    for driver, folder in ((Driver(), "duck"), (SparkDriver(tier, spark), "spark")):
        sink = sw.memory()
        query = ranked(joined("a", "b", within="1 s"), sink, budget=60, lifespan="2 s")
        loop = driver.run((query,), tables, tmp_path / folder, flush=False)
        found.append((answers(sink), balanced(backlogs(loop))))
    assert found[0] == found[1]
    assert found[0][0]
    assert found[0][1]["1"]["promising"] > 0


def test_a_measured_budget_needs_a_trigger_interval_when_a_pipeline_is_started(
    tmp_path: Path,
) -> None:
    rows = sw.stream("rows", sw.generator(10, keys=3, total_rows=10, seed=1), time="ts")
    counted = rows.window("1 s").group_by("key").aggregate(n="count(*)")
    pipeline = sw.pipeline(counted.query("q", sink=sw.memory(), rank=sw.rank("key = 1")))
    for trigger in (None, "available-now"):
        with pytest.raises(QueryError, match="RANK_TRIGGER"):
            pipeline.start(str(tmp_path / "checkpoint"), trigger=trigger)
    assert not (tmp_path / "checkpoint").exists()


@pytest.mark.slow
def test_a_measured_budget_keeps_up_with_the_trigger(spark: SparkSession, tmp_path: Path) -> None:
    """The load is more than what can be joined in the time; batches follow each other in it."""
    many = {"keys": 40, "rows_per_batch": 20_000, "total_rows": 200_000}
    a, b = (
        sw.stream(name, sw.generator(20_000, **many, seed=seed), time="ts")
        for seed, name in enumerate("ab")
    )
    query = sw.join(a, b, on="key", within="1 s").query(
        "q", sw.slack(0), sink=sw.memory(), rank=sw.rank("a.key = 1"), lifespan="3 s"
    )
    handle = sw.pipeline(query).start(str(tmp_path), trigger="1 second", spark=spark)
    try:
        deadline = time.monotonic() + 60
        while len(told := [e for e in handle.events() if e["event"] == "batch"]) < 9:
            assert time.monotonic() < deadline
            time.sleep(0.2)
    finally:
        handle.stop()
    backlogs = [event["queries"]["q"]["backlog"] for event in told]
    balanced(backlogs)
    assert max(backlog["todo"] for backlog in backlogs) > 10_000
    spent = [sum(event["ms"].values()) for event in told]
    assert sorted(spent[3:])[len(spent[3:]) // 2] < 1300, spent


def test_rows_shed_by_chance_are_the_same_in_a_batch_that_is_repeated(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables: list[Any] = [{n: traffic(second)[n] for n in "ab"} for second in range(3)]
    driver = SparkDriver("columnar", spark)
    query = ranked(joined("a", "b"), sw.memory(), "random", budget=40)
    loop = driver.make_loop((query,), tmp_path)
    for number in range(2):
        driver.feed(loop, tables[number], number)
    with monkeypatch.context() as patched:
        patched.setattr(type(loop.checkpoint), "commit", _fail)
        with pytest.raises(OSError, match="no"):
            driver.feed(loop, tables[2], 2)
    loop.close()
    again = driver.make_loop((query,), tmp_path)
    driver.feed(again, tables[2], 2)
    again.close()
    books = balanced(backlogs(again))
    assert sum(book["shed"] for book in books.values()) > 20
    assert sum(book["admitted"] for book in books.values()) == 3 * 120


def _fail(*_: Any) -> None:
    raise OSError("no")
