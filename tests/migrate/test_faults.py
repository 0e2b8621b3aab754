"""Faults amid a change of tree: death at any write, a disk that fills. The old plan goes on, a new
start finishes what was asked for, and nothing is lost or comes twice.
"""

from __future__ import annotations

import errno
import json
import os
import random
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import slackwater as sw
from slackwater.control.request import Request
from slackwater.events import log
from slackwater.execute import duck
from slackwater.runs.files import storage_error
from slackwater.runs.requests import Inbox
from tests.driver import Driver
from tests.execute.test_crash import PLACES as BOTH
from tests.execute.test_faults import Shortage, condition_of, fill, small_disk
from tests.migrate.test_replan import joins
from tests.mortal import Killed, Reaper, mortal
from tests.story import batches, ending, leftovers

QUERIES = ("immediate", "ordered")
LEFT, RIGHT = "((a b) c)", "(a (b c))"
AT = 2  # the batch that begins to change
TABLES = batches(8, rows=10)
PLACES = pytest.mark.parametrize(
    "driver",
    [Driver(), pytest.param(Driver("spark"), marks=pytest.mark.slow)],
    ids=["driver", "tasks"],
)
# what only a change writes: states made anew, combinations with an old member
WRITTEN = {"moving": r"\d-m[-.]", "parallel": r"\d-o[-.]"}


def live(
    folder: Path, driver: Driver, upto: int | None = None, tables: Sequence[Any] = TABLES
) -> None:
    """From the checkpoint to before a batch, or to the end of the streams."""
    loop = driver.make_loop(joins(LEFT), folder)
    try:
        for number in range(loop.batch + 1, len(tables) if upto is None else upto):
            driver.feed(loop, tables[number], number)
        if upto is None and not loop.sealed:
            loop.finish()
    finally:
        loop.close()


def ask(folder: Path, how: str, tree: str = RIGHT) -> None:
    for query in QUERIES:
        Inbox(folder / "prods").put(Request(f"to-{query}", query, tree=tree, how=how))


def told(folder: Path, kind: str) -> list[dict[str, Any]]:
    return [event for event in log.read(folder / "events.jsonl") if event["event"] == kind]


def tree_of(folder: Path) -> str:
    """The tree of the newest batch that is done."""
    [*_, newest] = told(folder, "batch")
    return str(newest["queries"]["ordered"]["controllers"]["join_plan"]["tree"])


@pytest.fixture(scope="module")
def still(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """How it ends if no tree changes and nothing goes wrong."""
    folder = tmp_path_factory.mktemp("still")
    live(folder, Driver())
    found = ending(folder)
    assert found["results/ordered"]
    assert found["results/immediate"]
    return found


# death --------------------------------------------------------------------------------------------


class Countdown(Reaper):
    """Lets a process die at its n-th write, whatever that is."""

    def __init__(self, folder: Path, nth: int) -> None:
        super().__init__(folder)
        self.left = nth

    def _die_unless_known(self, point: str) -> None:
        if self.is_dead:
            raise Killed("dead already")
        self.left -= 1
        if self.left == 0:
            self.deaths[point] += 1
            self.is_dead = True
            raise Killed(point)


def stride_of(driver: Driver) -> int:
    """Which writes are tried: of tasks, which write much more, every fourth unless all are wanted.

    ``WRITES=all`` wants all.
    """
    return 1 if driver.tier == "columnar" or os.environ.get("WRITES") == "all" else 4


def die_at_each_write(begun: Path, batch: int, driver: Driver) -> list[str]:
    """Of one batch, each time from the same begin; a new life goes on to the end, one batch on."""
    points: list[str] = []
    stride = stride_of(driver)
    nth = random.randint(1, stride)
    tables, folder = TABLES[: batch + 2], begun.with_name("mortal")
    live(begun.with_name("still"), driver, tables=tables)
    still = ending(begun.with_name("still"))
    assert still["results/ordered"]
    while True:
        shutil.copytree(begun, folder)
        reaper = Countdown(folder, nth)
        with mortal(reaper):
            live(folder, driver, batch + 1)
        live(folder, driver, tables=tables)
        assert ending(folder) == still, reaper.deaths
        assert leftovers(folder) == [], reaper.deaths
        assert tree_of(folder) == RIGHT
        shutil.rmtree(folder)
        if not reaper.is_dead:
            return points
        points += reaper.deaths
        nth += stride


@pytest.mark.spec("adaptive:MIG-25")
@pytest.mark.slow
@pytest.mark.kill
@pytest.mark.timeout(1800)
@BOTH
@pytest.mark.parametrize("how", ["moving", "parallel"])
def test_death_at_each_write_of_the_batch_that_changes_the_tree_loses_nothing(
    tmp_path: Path, driver: Driver, how: str
) -> None:
    live(tmp_path / "begun", driver, AT)
    ask(tmp_path / "begun", how)
    points = die_at_each_write(tmp_path / "begun", AT, driver)
    assert len(points) > 15
    if driver.tier == "columnar":
        assert any("manifest" in point for point in points)
        assert any("decision" in point for point in points)
        assert any(re.search(r"N-[jo]", point) for point in points)
        assert how != "moving" or any(re.search("N-m", point) for point in points)


@pytest.mark.slow
@pytest.mark.kill
@pytest.mark.timeout(1800)
@BOTH
@pytest.mark.parametrize("which", ["a batch amid it", "the batch that ends it"])
def test_death_at_each_write_while_two_trees_run_loses_nothing(
    tmp_path: Path, driver: Driver, which: str
) -> None:
    """The join that is revised keeps its rows for longer, so that one of the changes ends."""
    calm, begun = tmp_path / "calm", tmp_path / "begun"
    live(begun, driver, AT)
    ask(begun, "parallel")
    shutil.copytree(begun, calm)
    live(calm, driver)
    [end] = [e["batch"] for e in told(calm, "migration") if e["batches"]]
    batch = AT + 1 if which == "a batch amid it" else end
    assert AT < batch < len(TABLES) - 1
    live(begun, driver, batch)
    points = die_at_each_write(begun, batch, driver)
    assert len(points) > 15
    if driver.tier == "columnar" and batch != end:
        assert any(re.search("N-o", point) for point in points)


# a full disk --------------------------------------------------------------------------------------


@contextmanager
def full_for(pattern: str) -> Iterator[list[str]]:
    """A disk that has no space for some of the runs; gives which they were."""
    write, failed = duck.write_file, []

    def failing(path: Path, data: Any, **options: Any) -> None:
        if re.search(pattern, path.name):
            failed.append(path.name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(bytes(data)[: len(data) // 2])
            path.unlink()
            raise storage_error(OSError(errno.ENOSPC, "No space left on device"), path)
        write(path, data, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(duck, "write_file", failing)
        yield failed


@PLACES
@pytest.mark.parametrize("how", ["moving", pytest.param("parallel", marks=pytest.mark.slow)])
def test_a_disk_that_fills_while_states_are_made_keeps_the_old_plan(
    tmp_path: Path, driver: Driver, still: dict[str, Any], how: str
) -> None:
    """Nothing of the batch counts, the demand waits, and with space the change is made."""
    live(tmp_path, driver, AT)
    before = sorted(path.name for path in (tmp_path / "manifest").iterdir())
    ask(tmp_path, how)
    for _ in range(2):  # as often as one tries
        with full_for(WRITTEN[how]) as failed, pytest.raises(sw.StorageError) as caught:
            live(tmp_path, driver, AT + 3)
        assert failed
        assert caught.value.condition == "DISK_FULL"
        assert "not committed" in caught.value.hint
        assert sorted(path.name for path in (tmp_path / "manifest").iterdir()) == before
        assert tree_of(tmp_path) == LEFT
        assert len(Inbox(tmp_path / "prods").waiting()) == len(QUERIES)
        [*_, error] = told(tmp_path, "error")
        assert "DISK_FULL" in error["error"]
    live(tmp_path, driver)
    assert ending(tmp_path) == still
    assert tree_of(tmp_path) == RIGHT
    assert {e["reason"] for e in told(tmp_path, "replan")} == {None}
    assert leftovers(tmp_path) == []


@pytest.mark.slow
@BOTH
def test_a_really_full_disk_amid_a_change_loses_nothing(
    tmp_path: Path, driver: Driver, still: dict[str, Any]
) -> None:
    disk = tmp_path / "disk"
    with small_disk(disk, "4m"):
        folder = disk / "ck"
        live(folder, driver, AT)
        ask(folder, "moving")
        fill(disk / "ballast")
        assert condition_of(lambda: live(folder, driver, AT + 1)) == "DISK_FULL"
        assert not (folder / "manifest" / f"{AT:08d}.json").exists()
        (disk / "ballast").unlink()
        live(folder, driver)
        assert ending(folder) == still
        assert tree_of(folder) == RIGHT
        assert leftovers(folder) == []


@pytest.mark.slow
@BOTH
@pytest.mark.parametrize("how", ["moving", "parallel"])
def test_a_shortage_at_any_write_of_a_change_is_told_and_survived(
    tmp_path: Path, driver: Driver, still: dict[str, Any], how: str
) -> None:
    begun = tmp_path / "begun"
    live(begun, driver, AT)
    ask(begun, how)
    conditions: list[str | None] = []
    stride = 2 * stride_of(driver)
    nth = random.randint(1, stride)
    while None not in conditions:
        folder = tmp_path / "short"
        shutil.copytree(begun, folder)
        with pytest.MonkeyPatch.context() as patch:
            Shortage(patch, nth)
            nth += stride
            conditions.append(condition_of(lambda folder=folder: live(folder, driver, AT + 1)))
        live(folder, driver)
        assert ending(folder) == still, len(conditions)
        assert leftovers(folder) == [], len(conditions)
        shutil.rmtree(folder)
    assert len(conditions) > 5
    assert set(conditions) == {"DISK_FULL", None}


# what cannot be met -------------------------------------------------------------------------------


NONE = ("(a b)", "((a b) (c a))", "((a b) d)", "(a b c", "adaptive", LEFT)


def test_what_cannot_be_met_is_refused_while_two_trees_run_and_both_go_on(
    tmp_path: Path, still: dict[str, Any]
) -> None:
    """Trees that are none of this join, to hand back what was never open, another change."""
    live(tmp_path, Driver(), AT)
    ask(tmp_path, "parallel")
    live(tmp_path, Driver(), AT + 1)
    for number, tree in enumerate(NONE):
        path = tmp_path / "prods" / f"odd-{number}.json"
        path.write_text(json.dumps({"query": "ordered", "tree": tree, "how": "moving"}))
    live(tmp_path, Driver())
    answers = {e["request"]: e for e in told(tmp_path, "replan") if e["request"].startswith("odd")}
    assert len(answers) == len(NONE)
    assert {answer["tree"] for answer in answers.values()} == {RIGHT}
    for number, tree in enumerate(NONE):
        assert answers[f"odd-{number}"]["reason"].startswith(tree)
    assert "still under way" in answers[f"odd-{len(NONE) - 1}"]["reason"]
    assert Inbox(tmp_path / "prods").waiting() == ()
    assert ending(tmp_path) == still
