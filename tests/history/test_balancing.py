"""Balancing between tasks, as a history tells it: its length, and rows over all tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import slackwater as sw
from slackwater.events import log
from slackwater.history.balancing import Balancing
from slackwater.history.history import History
from slackwater.history.table import Key
from slackwater.runs.checkpoint import Checkpoint
from slackwater.units import SECOND
from tests.driver import batch as rows
from tests.driver import feed, make_loop, readings
from tests.events.story import batch

TOOK = {"observe": 5.0, "decide": 1.0, "execute": 200.0, "deliver": 40.0, "commit": 10.0}


def told(moved: list[int]) -> History:
    history = History()
    for number, groups in enumerate(moved):
        tasks = {"ms": {"0": 1.0}, "rows": {"0": 1}, "held": {"0": 1}, "split": 0, "moved": groups}
        event = batch(number) | {"at": number * SECOND, "ms": TOOK, "tasks": tasks}
        history.add([{"event": "batch", **event}])
    return history


def test_batches_one_after_the_other_that_move_groups_are_one_balancing() -> None:
    found = told([0, 4, 2, 0, 3]).balance.balancings
    assert found == [Balancing(1, SECOND, 2, 6, 1.25), Balancing(4, 4 * SECOND, 1, 3, 0.25)]


def test_a_repair_takes_balancing_back() -> None:
    history = told([0, 4, 2, 0, 3])
    history.add([{"event": "repair", "batch": 1, "removed": []}])
    assert history.balance.balancings == [Balancing(1, SECOND, 1, 4, 0.25)]


def skewed(folder: Path, query: Any, crowds: list[range]) -> tuple[History, list[dict[str, Any]]]:
    """A run in three tasks; each batch has a row for each key of its crowd."""
    loop = make_loop((query,), folder, tier="spark", tasks=3)
    tables: list[Any] = []
    for number, crowd in enumerate(crowds):
        tables.append(loop.state.shared.tasks)
        feed(loop, rows(*((number, key, 1) for key in crowd)))
    tables.append(loop.state.shared.tasks)
    loop.close()
    events = list(log.read(folder / "events.jsonl"))
    history = History()
    history.add(events)
    batches = [event for event in events if event["event"] == "batch"]
    for event, was, now in zip(batches, tables[:-1], tables[1:], strict=True):
        event["truly_moved"] = sum(a != b for a, b in zip(was, now, strict=False))
    return history, batches


def sums(seconds: str = "1 hour") -> Any:
    return readings().window(seconds).group_by("k").aggregate(n="count(*)")


CROWDS = [range(400) if number % 2 else range(0, 400, 20) for number in range(8)]


@pytest.mark.spec("adaptive:MET-12")
def test_the_length_of_balancing_is_from_its_decision_to_the_end_of_its_last_batch(
    tmp_path: Path,
) -> None:
    history, batches = skewed(tmp_path, sums().query("q", sink=sw.memory()), CROWDS)
    moved = [event["truly_moved"] for event in batches]
    assert [event["tasks"]["moved"] for event in batches] == moved
    assert sum(moved) > 0
    found = history.balance.balancings
    assert sum(one.groups for one in found) == sum(moved)
    for one in found:
        last = batches[one.batch + one.batches - 1]
        after = sum(last["ms"][verb] for verb in ("execute", "deliver", "commit")) / 1000
        assert one.seconds == pytest.approx((last["at"] - one.at) / SECOND + after)
        assert one.seconds > 0
        following = batches[one.batch + one.batches :][:1]
        assert all(event["truly_moved"] == 0 for event in following)


@pytest.mark.spec("adaptive:MET-12")
def test_where_loads_are_even_nothing_is_balanced(tmp_path: Path) -> None:
    history, batches = skewed(tmp_path, sums().query("q", sink=sw.memory()), [range(4000)] * 4)
    assert [event["tasks"]["moved"] for event in batches][1:] == [0, 0, 0]
    assert history.balance.balancings == []


@pytest.mark.spec("adaptive:MET-16")
def test_rows_of_state_and_all_rows_are_told_over_all_tasks(tmp_path: Path) -> None:
    """Nothing waits: there are as many as are held and as have just come."""
    history, batches = skewed(tmp_path, sums().query("q", sink=sw.memory()), [range(300)] * 5)
    held = history.table.column(Key("tasks", "", "held"))
    total = history.table.column(Key("tasks", "", "present"))
    states = [event["state"]["rows"] for event in batches]
    assert held.tolist() == [0, *states[:-1]]  # what the batch before left, wherever it is
    assert (total - held).tolist() == [300] * 5
    assert len(batches[-1]["tasks"]["held"]) == 3
    newest = Checkpoint(tmp_path).newest()
    assert newest is not None
    assert sum(run.rows for run in newest.runs) == states[-1]


@pytest.mark.spec("adaptive:MET-16")
def test_where_work_does_not_keep_up_the_total_leaves_the_states_behind(tmp_path: Path) -> None:
    stream = readings().costly(50)
    query = stream.window("1 hour").group_by("k").aggregate(n="count(*)").query("q")
    history, _ = skewed(tmp_path, query, [range(300)] * 6)
    held = history.table.column(Key("tasks", "", "held"))
    waiting = history.table.column(Key("tasks", "", "present")) - held
    assert (np.diff(waiting) >= 200).all()  # 250 more with every batch, less what is under way
    assert held[-1] <= 250
