from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import CheckpointError
from slackwater.papers.stream.baselines import NoSlack, NoSlackState, fixed_slack
from slackwater.papers.stream.delay import DelayTracker
from slackwater.stats.arrival import Arrival, arrivals


@pytest.mark.spec("qddh:F050")
@given(st.lists(st.integers(-20, 40), max_size=30))
def test_without_slack_every_tuple_passes_at_once_with_its_delay(stream: list[int]) -> None:
    buffer: NoSlack[None] = NoSlack.start()
    tracker = DelayTracker.start()
    for arrival in arrivals(stream):
        (delayed,) = buffer.update(arrival)
        assert delayed.arrival == arrival
        assert delayed.delay == tracker.update(arrival.ts).delay
        assert buffer.time == tracker.get().time
    assert buffer.flush() == []


@pytest.mark.spec("qddh:F050")
def test_no_slack_is_not_a_buffer_of_size_zero() -> None:
    no_slack: NoSlack[None] = NoSlack.start()
    zero = fixed_slack(0)
    late = arrivals([4, 3])
    passed = [[delayed.ts for delayed in no_slack.update(arrival)] for arrival in late]
    held = [[delayed.ts for delayed in zero.update(arrival)] for arrival in late]
    assert (passed, held) == ([[4], [3]], [[4], []])


def test_without_slack_a_heartbeat_moves_the_clock_only() -> None:
    buffer: NoSlack[None] = NoSlack.start()
    assert buffer.advance_to(9) == []
    (delayed,) = buffer.update(Arrival("s", 0, 5, None))
    assert (buffer.time, buffer.size, delayed.delay) == (9, 0, 4)


def test_without_slack_saved_state_brings_back_clock_and_tuples_not_yet_taken() -> None:
    buffer: NoSlack[None] = NoSlack.start()
    for arrival in arrivals([4, 3]):
        buffer.push(arrival)
    buffer.pop()
    resumed = NoSlack.start(buffer.snapshot())
    assert (resumed.time, [delayed.ts for delayed in resumed.flush()]) == (4, [3])
    with pytest.raises(CheckpointError, match="version 99"):
        NoSlack.start(NoSlackState(version=99))


@pytest.mark.spec("qddh:F052")
def test_a_fixed_slack_keeps_its_size_however_late_tuples_are() -> None:
    buffer = fixed_slack(3)
    stream = arrivals([10, 50, 1, 51, 2, 99])
    released = [delayed.ts for arrival in stream for delayed in buffer.update(arrival)]
    assert buffer.size == 3
    assert released == [10, 1, 2, 50, 51]
