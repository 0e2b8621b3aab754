"""Following the log of a checkpoint."""

from __future__ import annotations

from pathlib import Path

import pytest

from slackwater.errors import CheckpointError
from slackwater.events.log import EventLog
from slackwater.history.follow import Follower
from tests.events.story import batch, ended, plan, tell


def test_a_checkpoint_without_events_is_waited_for(tmp_path: Path) -> None:
    (tmp_path / "slackwater.json").write_text("{}")
    follower = Follower(tmp_path)
    assert not follower.look()
    log = tell(tmp_path, 3)
    assert follower.look()
    assert follower.history.newest == 2
    log.close()
    follower.close()


def test_of_a_long_log_the_newest_part_comes_first(tmp_path: Path) -> None:
    ended(tmp_path, 300, full=20_000)
    follower = Follower(tmp_path, long=30_000)
    assert follower.progress is not None
    assert follower.history.newest == 299
    assert follower.history.table.size < 100
    assert set(follower.history.plan.queries) == {"fixed", "bounded"}
    epoch = follower.epoch
    history = follower.look_through()
    assert history.table.size == 300
    assert follower.progress is None
    assert follower.epoch != epoch
    follower.close()


def test_a_log_of_a_later_version_is_said_not_shown(tmp_path: Path) -> None:
    log = tell(tmp_path, 1)
    log.write("start", schema=99)
    log.close()
    follower = Follower(tmp_path)
    with pytest.raises(CheckpointError, match="EVENTS_FORMAT"):
        follower.look_through()
    follower.close()


def test_who_starts_a_run_sees_what_happens_from_its_start_on(tmp_path: Path) -> None:
    ended(tmp_path, 3)
    run = Follower(tmp_path, from_now=True)
    log = EventLog(tmp_path / "events.jsonl")
    log.write("batch", **batch(3))  # of the run before, told late
    log.write("start", schema=1, batch=3, plan=plan())
    log.write("batch", **batch(4))
    history = run.look_through()
    run.close()
    log.close()
    assert (history.newest, history.table.size) == (4, 1)
    assert set(history.plan.queries) == {"fixed", "bounded"}


def test_a_run_that_is_not_there_yet_can_be_followed_from_now_on(tmp_path: Path) -> None:
    run = Follower(tmp_path / "new", from_now=True)
    assert run.look() is False
    tell(tmp_path / "new", 2).close()
    assert run.look_through().newest == 1
    run.close()
