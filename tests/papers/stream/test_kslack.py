from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import CheckpointError, SlackwaterError
from slackwater.papers.stream.delay import DelayTracker
from slackwater.papers.stream.kslack import KSlack, KSlackParams, KSlackState
from slackwater.stats.arrival import Arrival, Delayed, arrivals

STREAM = st.lists(st.integers(-20, 40), max_size=40)
SLACK = st.integers(0, 30)


def buffer_of(k: int, *, release_on_shrink: bool = False) -> KSlack[None]:
    return KSlack.start(KSlackParams(k, release_on_shrink))


def run(stream: list[int], k: int) -> list[Delayed[None]]:
    buffer = buffer_of(k)
    out = [delayed for arrival in arrivals(stream) for delayed in buffer.update(arrival)]
    return out + buffer.flush()


def times(released: list[Delayed[None]]) -> list[int]:
    return [delayed.ts for delayed in released]


@pytest.mark.spec("qddh:F020")
def test_the_golden_trace_is_released_as_the_specification_says() -> None:
    buffer = buffer_of(1)
    rows = [
        (times(buffer.update(arrival)), buffer.time) for arrival in arrivals([1, 4, 3, 5, 7, 8, 6])
    ]
    assert rows == [([], 1), ([1], 4), ([], 4), ([3, 4], 5), ([5], 7), ([7], 8), ([], 8)]


@pytest.mark.spec("qddh:F020")
def test_the_last_tuple_of_the_golden_trace_leaves_late_by_one() -> None:
    behind = DelayTracker.start()
    late = {
        delayed.ts: behind.update(delayed.ts).delay for delayed in run([1, 4, 3, 5, 7, 8, 6, 9], 1)
    }
    assert late == {1: 0, 3: 0, 4: 0, 5: 0, 7: 0, 6: 1, 8: 0, 9: 0}


@pytest.mark.spec("qddh:F020", "qddh:F002")
def test_every_tuple_carries_the_delay_it_arrived_with() -> None:
    delays = {delayed.ts: delayed.delay for delayed in run([1, 4, 3, 5, 7, 8, 6], 1)}
    assert delays == {1: 0, 4: 0, 3: 1, 5: 0, 7: 0, 8: 0, 6: 2}


@pytest.mark.spec("qddh:F020")
def test_with_no_slack_a_late_tuple_waits_for_the_next_advance_and_leaves_before_it() -> None:
    buffer = buffer_of(0)
    assert [times(buffer.update(arrival)) for arrival in arrivals([4, 3, 4, 5])] == [
        [4],
        [],
        [],
        [3, 4, 5],
    ]


@pytest.mark.spec("qddh:F020")
def test_tuples_of_one_instant_leave_in_arrival_order_whatever_their_payload() -> None:
    buffer: KSlack[object] = KSlack.start(KSlackParams(0))
    same = [Arrival("s", seq, 5, object()) for seq in (0, 1, 1)]
    for arrival in same[1:]:
        buffer.push(arrival)
    buffer.push(same[0])
    assert [delayed.arrival for delayed in buffer.drain()] == same


@pytest.mark.spec("qddh:F020")
@given(STREAM, st.integers(0, 5))
def test_slack_of_the_largest_delay_orders_the_stream_and_loses_nothing(
    stream: list[int], extra: int
) -> None:
    tracker = DelayTracker.start()
    worst = max((tracker.update(ts).delay for ts in stream), default=0)
    assert times(run(stream, worst + extra)) == sorted(stream)


@pytest.mark.spec("qddh:F020", "qddh:F022")
@given(STREAM, SLACK)
def test_what_went_in_comes_out_exactly_once(stream: list[int], k: int) -> None:
    released = [delayed.arrival for delayed in run(stream, k)]
    assert sorted(released, key=lambda arrival: arrival.seq) == arrivals(stream)


@pytest.mark.spec("qddh:F020")
@given(STREAM, SLACK)
def test_the_delay_behind_the_buffer_is_smaller_by_the_slack_at_least(
    stream: list[int], k: int
) -> None:
    behind = DelayTracker.start()
    for delayed in run(stream, k):
        assert behind.update(delayed.ts).delay <= max(0, delayed.delay - k)


@pytest.mark.spec("qddh:F020")
@given(st.lists(st.integers(0, 15), min_size=1, max_size=40), st.integers(0, 12))
def test_the_delay_behind_the_buffer_is_smaller_by_exactly_the_slack_if_no_instant_is_empty(
    lags: list[int], k: int
) -> None:
    # One tuple in order per instant, each followed by one that lags behind it.
    start = 40
    stream = list(range(start))
    for now, lag in enumerate(lags, start=start):
        stream += [now, now - lag]
    behind = DelayTracker.start()
    for delayed in run([*stream, start + len(lags)], k):
        assert behind.update(delayed.ts).delay == max(0, delayed.delay - k)


@pytest.mark.spec("qddh:F021")
def test_a_larger_slack_holds_tuples_back_from_the_next_advance_on() -> None:
    buffer = buffer_of(0)
    buffer.update(arrivals([5])[0])
    buffer.set_size(3)
    assert buffer.size == 3
    assert times(buffer.update(Arrival("s", 1, 7, None))) == []
    assert times(buffer.update(Arrival("s", 2, 10, None))) == [7]


@pytest.mark.spec("qddh:F021")
def test_a_smaller_slack_releases_nothing_before_the_next_advance() -> None:
    buffer = buffer_of(5)
    for arrival in arrivals([1, 2, 3]):
        assert buffer.update(arrival) == []
    buffer.set_size(1)
    assert buffer.drain() == []
    assert times(buffer.update(Arrival("s", 3, 3, None))) == []
    assert times(buffer.update(Arrival("s", 4, 4, None))) == [1, 2, 3, 3]


@pytest.mark.spec("qddh:F021")
def test_a_smaller_slack_releases_at_once_where_that_is_asked_for() -> None:
    buffer = buffer_of(5, release_on_shrink=True)
    for arrival in arrivals([1, 2, 3]):
        buffer.update(arrival)
    buffer.set_size(1)
    assert times(buffer.drain()) == [1, 2]
    buffer.set_size(2)
    assert buffer.drain() == []
    assert len(buffer) == 1


@pytest.mark.spec("qddh:F021")
def test_a_slack_changed_between_two_releases_counts_for_the_second() -> None:
    buffer = buffer_of(10)
    for arrival in arrivals([1, 2, 3, 13]):
        buffer.push(arrival)
    first = buffer.pop()
    buffer.set_size(12)
    assert first is not None
    assert first.ts == 1
    assert buffer.pop() is None
    buffer.set_size(0)
    assert buffer.pop() is None, "nothing is due before the next advance"


@pytest.mark.spec("qddh:F021")
@given(st.lists(st.tuples(st.integers(0, 40), SLACK), max_size=40), st.booleans())
def test_nothing_is_lost_or_doubled_however_the_slack_changes(
    steps: list[tuple[int, int]], release_on_shrink: bool
) -> None:
    buffer = buffer_of(3, release_on_shrink=release_on_shrink)
    released = []
    for arrival, (_, k) in zip(arrivals(ts for ts, _ in steps), steps, strict=True):
        released += buffer.update(arrival)
        buffer.set_size(k)
        released += buffer.drain()
    released += buffer.flush()
    assert sorted(delayed.arrival.seq for delayed in released) == list(range(len(steps)))


@pytest.mark.spec("qddh:F022")
def test_flush_gives_everything_left_in_event_time_order() -> None:
    buffer = buffer_of(100)
    for arrival in arrivals([5, 3, 8, 4]):
        assert buffer.update(arrival) == []
    assert times(buffer.flush()) == [3, 4, 5, 8]
    assert buffer.flush() == []
    assert len(buffer) == 0


@pytest.mark.spec("qddh:F022")
def test_a_heartbeat_drains_an_idle_stream() -> None:
    buffer = buffer_of(2)
    for arrival in arrivals([5, 6]):
        buffer.update(arrival)
    assert times(buffer.advance_to(7)) == [5]
    assert times(buffer.advance_to(100)) == [6]
    (late,) = buffer.update(Arrival("s", 2, 90, None)) + buffer.flush()
    assert late.delay == 10, "the heartbeat is the local current time now"


@pytest.mark.spec("qddh:F022")
def test_a_heartbeat_from_the_past_changes_nothing() -> None:
    buffer = buffer_of(0)
    buffer.update(Arrival("s", 0, 5, None))
    buffer.update(Arrival("s", 1, 4, None))
    before = buffer.snapshot()
    assert buffer.advance_to(5) == buffer.advance_to(-9) == []
    assert buffer.snapshot() == before


@given(STREAM, STREAM, SLACK)
def test_a_buffer_continues_from_saved_state_as_if_never_stopped(
    before: list[int], after: list[int], k: int
) -> None:
    steady, stopped = buffer_of(k), buffer_of(k)
    tuples = arrivals(before + after)
    for arrival in tuples[: len(before)]:
        assert steady.update(arrival) == stopped.update(arrival)
    resumed = KSlack.start(KSlackParams(99), stopped.snapshot())
    for arrival in tuples[len(before) :]:
        assert steady.update(arrival) == resumed.update(arrival)
    assert steady.flush() == resumed.flush()


def test_state_saved_between_two_releases_keeps_the_rest_due() -> None:
    buffer = buffer_of(1)
    for arrival in arrivals([1, 2, 9]):
        buffer.push(arrival)
    buffer.pop()
    resumed = KSlack.start(KSlackParams(1), buffer.snapshot())
    assert times(resumed.drain()) == [2]


def test_saved_state_of_an_unknown_version_is_refused() -> None:
    with pytest.raises(CheckpointError, match="version 99"):
        KSlack.start(KSlackParams(), KSlackState(size=0, version=99))


def test_a_negative_slack_is_refused_at_once() -> None:
    with pytest.raises(SlackwaterError, match="size is -1"):
        KSlackParams(-1)
    with pytest.raises(SlackwaterError, match="size is -2"):
        buffer_of(0).set_size(-2)
