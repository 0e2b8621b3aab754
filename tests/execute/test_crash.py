"""Dead at any write and started again, a pipeline ends as if nothing had happened.

The loop is driven by hand and dies once at every point where it changes a file (``mortal.py``);
``tests/spark/test_kill.py`` kills real processes at random moments.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.events import log
from slackwater.events.segments import full_files
from slackwater.execute.limits import Limits
from slackwater.query.join import Emit
from slackwater.query.stream import Query, Stream
from tests.driver import Driver, readings
from tests.mortal import Reaper, mortal
from tests.story import batches, ending, leftovers, missing, queries

PLACES = pytest.mark.parametrize(
    "driver",
    [
        pytest.param(Driver(), id="driver"),
        pytest.param(Driver("spark"), id="tasks", marks=pytest.mark.slow),
    ],
)
EMITS: tuple[Emit, ...] = ("immediate", "ordered")
PLAIN = Driver()


def live(
    told: Sequence[Query], tables: list[pa.Table], folder: Path, driver: Driver, **how: Any
) -> None:
    """One life: from the checkpoint to the end of the stream, or to death."""
    loop = driver.make_loop(told, folder, **how)
    try:
        if loop.sealed:
            return
        for number in range(loop.batch + 1, len(tables)):
            driver.feed(loop, tables[number], number)
            assert leftovers(folder) == []
            assert missing(folder) == []
        loop.finish()
    finally:
        loop.close()


def die_until_done(
    told: Sequence[Query], tables: list[Any], folder: Path, *jobs: type, **how: Any
) -> Reaper:
    """Live again after each death, until there is none."""
    reaper, driver = Reaper(folder), how.pop("driver", PLAIN)
    died = True
    while died:
        with mortal(reaper, *jobs):
            live(told, tables, folder, driver, **how)
        died = reaper.is_dead
    return reaper


@pytest.mark.slow
@pytest.mark.kill
@PLACES
def test_death_at_any_write_changes_nothing(driver: Driver, tmp_path: Path) -> None:
    told, tables = queries(readings("1 day")), batches(9)
    limits = Limits(fan_in=3, log_bytes=5_000)  # merged, and set aside, now and then
    driver.run(told, tables, tmp_path / "calm", limits=limits)
    folder = tmp_path / "killed"
    reaper = die_until_done(told, tables, folder, driver=driver, limits=limits)
    assert ending(folder) == ending(tmp_path / "calm")
    assert leftovers(folder) == []
    assert full_files(folder / "events.jsonl")
    assert len(reaper.deaths) > 25
    steps = {point.rsplit(" ", 1)[0] for point in reaper.deaths}
    assert {"before write", "middle of write", "before replace", "before rename"} <= steps
    assert {"before unlink", "before event", "middle of event"} <= steps


@PLACES
def test_death_amid_a_backlog_changes_nothing(driver: Driver, tmp_path: Path) -> None:
    costly = readings("1 day").costly(8, aside="3:1", starve="10 s").where("v > 0")
    counted = costly.window("8 s", "4 s").group_by("k").aggregate(n="count(*)", s="sum(v)")
    told = (counted.query("q", sw.slack("2 s"), estimates=sw.estimates(every="4 s")),)
    tables = batches(8)
    driver.run(told, tables, tmp_path / "calm")
    folder = tmp_path / "killed"
    reaper = die_until_done(told, tables, folder, driver=driver)
    assert ending(folder) == ending(tmp_path / "calm")
    assert leftovers(folder) == []
    assert [point for point in reaper.deaths if "write" in point and "backlog" in point]


@pytest.mark.slow
@pytest.mark.kill
@PLACES
def test_death_amid_a_backlog_by_rank_changes_nothing(driver: Driver, tmp_path: Path) -> None:
    rank = sw.rank("a.v > 5", "a.v > 2", budget=9)
    pairs = sw.join(*map(_input, "ab"), on="k", within="2 s")
    told = (pairs.query("q", sw.slack("2 s"), rank=rank, lifespan="3 s"),)
    tables = batches(7)
    driver.run(told, tables, tmp_path / "calm")
    folder = tmp_path / "killed"
    reaper = die_until_done(told, tables, folder, driver=driver)
    assert ending(folder) == ending(tmp_path / "calm")
    assert ending(folder)["results/q"]
    assert leftovers(folder) == []
    waited = [e for e in log.read(folder / "events.jsonl") if e["event"] == "batch"]
    assert max(e["queries"]["q"]["backlog"]["todo"] for e in waited) > 5
    assert [point for point in reaper.deaths if "write" in point and "backlog-1" in point]


@pytest.mark.slow
@pytest.mark.kill
@PLACES
def test_death_amid_the_hold_of_a_recall_contract_changes_nothing(
    driver: Driver, tmp_path: Path
) -> None:
    pairs = (sw.join(*map(_input, "ab"), on="k", within="2 s", emit=emit) for emit in EMITS)
    contract = sw.min_recall(0.8, over="4 s")
    told = tuple(pair.query(emit, contract) for emit, pair in zip(EMITS, pairs, strict=True))
    tables = batches(6)
    driver.run(told, tables, tmp_path / "calm")
    events = [e for e in log.read(tmp_path / "calm" / "events.jsonl") if e["event"] == "batch"]
    phases = [event["queries"]["ordered"]["quality"]["phase"] for event in events]
    assert phases[:2] == ["holding"] * 2  # the first deaths at every write are in here
    assert "calibrated" in phases
    folder = tmp_path / "killed"
    reaper = die_until_done(told, tables, folder, driver=driver)
    assert ending(folder) == ending(tmp_path / "calm")
    assert ending(folder)["results/ordered"]
    assert leftovers(folder) == []
    assert len(reaper.deaths) > 10


def _input(name: str) -> Stream:
    return readings("1 day", name)
