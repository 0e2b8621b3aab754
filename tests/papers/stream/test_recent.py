from __future__ import annotations

import pytest

from slackwater.errors import CheckpointError
from slackwater.papers.stream.recent import Recent, RecentParams, RecentState
from slackwater.stats.histogram import DelayHistogram


@pytest.mark.spec("qddh:F030")
def test_the_counts_are_those_of_the_rows_inside() -> None:
    window = Recent.start(RecentParams(100))
    dropped = [
        window.update(time, DelayHistogram.of({0: 3, time // 10: 1})) for time in (10, 60, 150, 170)
    ]
    assert dropped == [0, 0, 4, 4]
    assert (window.items, window.dropped) == (8, 8)
    assert window.counts[[0, 15, 17]].tolist() == [6, 1, 1]
    assert window.counts.sum() == 8


def test_it_goes_on_from_its_saved_state_and_refuses_an_unknown_one() -> None:
    window = Recent.start(RecentParams(100))
    window.update(10, DelayHistogram.of({0: 3, 5: 1}))
    resumed = Recent.start(RecentParams(100), window.snapshot())
    assert resumed.update(200, DelayHistogram.of({1: 2})) == 4
    assert resumed.counts.tolist() == [0, 2]
    with pytest.raises(CheckpointError, match="version 3"):
        Recent.start(RecentParams(1), RecentState(version=3))
