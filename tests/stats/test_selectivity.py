from __future__ import annotations

import json

import pytest

from slackwater.errors import CheckpointError, SlackwaterError
from slackwater.stats.selectivity import Selectivity, SelectivityParams, SelectivityState


def test_the_share_that_passes_follows_the_recent_past() -> None:
    monitor = Selectivity.start(SelectivityParams(keep=0.5))
    assert monitor.get() is None
    monitor.update(seen=100, passed=100)
    assert monitor.get() == 1
    for _ in range(20):
        monitor.update(seen=100, passed=10)
    assert monitor.get() == pytest.approx(0.1, abs=1e-4)


def test_rows_count_and_not_chunks() -> None:
    monitor = Selectivity.start(SelectivityParams(keep=1.0))
    monitor.update(seen=1, passed=1)
    monitor.update(seen=99, passed=0)
    monitor.update(seen=0, passed=0)
    assert monitor.get() == 0.01


def test_a_monitor_continues_from_state_saved_as_json() -> None:
    monitor = Selectivity.start(SelectivityParams())
    monitor.update(seen=7, passed=3)
    saved = SelectivityState.from_json(json.loads(json.dumps(monitor.snapshot().to_json())))
    resumed = Selectivity.start(SelectivityParams(), saved)
    for one in (monitor, resumed):
        one.update(seen=5, passed=5)
    assert resumed.get() == monitor.get()


def test_what_cannot_be_used_is_refused() -> None:
    with pytest.raises(CheckpointError, match="version 99"):
        Selectivity.start(SelectivityParams(), SelectivityState(version=99))
    with pytest.raises(SlackwaterError, match="keep is 2"):
        SelectivityParams(keep=2)
