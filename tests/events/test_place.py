"""Finding the log of a checkpoint."""

from __future__ import annotations

from pathlib import Path

import pytest

from slackwater.errors import CheckpointError
from slackwater.events.place import find_log
from slackwater.history.follow import Follower
from tests.events.story import ended


def test_a_folder_that_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    for folder in (tmp_path / "nowhere", tmp_path):
        with pytest.raises(CheckpointError, match="CHECKPOINT_MISSING"):
            find_log(folder)


def test_a_foreign_log_is_refused(tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").write_text("2026-01-01 INFO all is well\n")
    with pytest.raises(CheckpointError, match="EVENTS_FOREIGN"):
        find_log(tmp_path)


def test_the_log_itself_may_be_named(tmp_path: Path) -> None:
    ended(tmp_path / "run", 3)
    assert Follower(tmp_path / "run" / "events.jsonl").name == "run"
