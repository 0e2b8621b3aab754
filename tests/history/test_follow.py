"""Following the log of a checkpoint."""

from __future__ import annotations

from pathlib import Path

import pytest

from slackwater.errors import CheckpointError
from slackwater.history.follow import Follower
from tests.events.story import ended, tell


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
