"""Batches show some estimates on their way to their finals."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa

import slackwater as sw
from slackwater.events import log
from slackwater.execute.estimates.sample import MOST, sample_of
from slackwater.execute.sinks import MemorySink
from tests.driver import Driver, batch, readings
from tests.events.test_schema import undocumented


def pairs(*rows: tuple[int, str, float, float | None, float | None]) -> pa.Table:
    """End, group, age, estimate and final of each pair."""
    names = ("__end", "__group", "__age", "n", "__n_final")
    kinds = (pa.int64(), pa.string(), pa.float64(), pa.float64(), pa.float64())
    columns = zip(*rows, strict=True)
    return pa.table(
        [pa.array(c, k) for c, k in zip(columns, kinds, strict=True)], names=list(names)
    )


def test_the_window_with_most_estimates_is_shown_whatever_the_order() -> None:
    rows = [
        (10, "b", 0.5, 5.0, 10.0), (10, "a", 0.9, 8.0, 9.0), (10, "a", 0.1, 1.0, 9.0),
        (20, "a", 0.3, 2.0, 7.0), (20, "b", 0.3, 2.0, 7.0), (20, "b", 0.4, 2.0, 7.0),
        (30, "a", 0.2, 1.0, 4.0),
    ]  # fmt: skip
    found = sample_of(pairs(*rows), "n", 3)
    assert found is not None
    assert (found.window_end, found.group, found.final) == (20, "a", 7.0)
    assert sample_of(pairs(*rows[:3]), "n", 3).points == ((0.1, 1.0), (0.9, 8.0))  # type: ignore[union-attr]
    for seed in range(5):
        random.Random(seed).shuffle(rows)
        assert sample_of(pairs(*rows), "n", 3) == found


def test_a_sample_is_small_and_holds_the_first_and_the_last() -> None:
    many = [(10, "x" * 99, n / 40, float(n), 40.0) for n in range(40)]
    found = sample_of(pairs(*many), "n", 0)
    assert found is not None
    assert len(found.points) == MOST
    assert (found.points[0], found.points[-1]) == ((0.0, 0.0), (0.975, 39.0))
    assert len(found.group) < 50


def test_what_is_no_number_is_not_shown() -> None:
    odd = [(10, "", 0.1, None, 3.0), (10, "", 0.2, float("nan"), 3.0), (10, "", 0.3, 2.0, None)]
    assert sample_of(pairs(*odd), "n", 0) is None
    found = sample_of(pairs(*odd, (10, "", 0.4, 2.0, 3.0)), "n", 0)
    assert found is not None
    assert found.points == ((0.4, 2.0),)


def told(folder: Path, driver: Driver) -> list[dict[str, Any]]:
    """What batches tell of estimates: two keys, a row each per half second, windows of 4 s."""
    rows = [(t / 2, k, 1) for t in range(24) for k in (2, 1)]
    batches = [batch(*rows[n : n + 4]) for n in range(0, len(rows), 4)]
    windows = readings().window("4 s").group_by("k").aggregate(n="count(*)", most="max(v)")
    query = windows.query("q", sw.slack("1 s"), sink=MemorySink(), estimates=sw.estimates(every=0))
    loop = driver.run((query,), batches, folder)
    events = [e for e in log.read(loop.checkpoint.events) if e["event"] == "batch"]
    assert [found for event in events for found in undocumented(event)] == []
    return [event["queries"]["q"]["estimates"] for event in events]


def test_samples_are_told_once(tmp_path: Path, driver: Driver) -> None:
    estimates = told(tmp_path, driver)
    shown = [each["sample"] for each in estimates if each.get("sample") is not None]
    assert [sample["window_end"] for sample in shown] == [4_000_000, 8_000_000, 12_000_000]
    for sample in shown:
        assert (sample["column"], sample["group"], sample["final"]) == ("n", "1", 8.0)
        ages, values = zip(*sample["points"], strict=True)
        assert list(ages) == sorted(ages)
        assert list(values) == sorted(values)
    assert len(shown[1]["points"]) >= 4
    assert estimates[-1]["accuracy"]["n"]["worst"] < 100
