from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import CheckpointError
from slackwater.papers.stream.delay import DelayState, DelayTracker

STREAM = st.lists(st.integers(-50, 50), max_size=40)


def tracker_of(stream: list[int]) -> DelayTracker:
    tracker = DelayTracker.start()
    for ts in stream:
        tracker.update(ts)
    return tracker


@pytest.mark.spec("qddh:F002")
def test_delay_is_measured_after_the_tuple_has_moved_the_clock() -> None:
    tracker = DelayTracker.start()
    assert [tracker.update(ts).delay for ts in (1, 4, 3, 5, 7, 8, 6)] == [0, 0, 1, 0, 0, 0, 2]
    assert tracker.get().time == 8


@pytest.mark.spec("qddh:F002")
def test_a_tuple_that_equals_the_current_maximum_has_no_delay() -> None:
    assert tracker_of([4]).update(4).delay == 0


@pytest.mark.spec("qddh:F003")
def test_a_late_tuple_after_a_late_tuple_is_correlated() -> None:
    tracker = DelayTracker.start()
    verdicts = [tracker.update(ts) for ts in (5, 3, 4, 6, 2)]
    assert [verdict.is_late for verdict in verdicts] == [False, True, True, False, True]
    assert [verdict.is_correlated for verdict in verdicts] == [False, False, True, False, False]
    counts = tracker.get()
    assert (counts.seen, counts.late, counts.correlated, counts.max_delay) == (5, 3, 1, 4)
    assert counts.share_late == 0.6


@pytest.mark.spec("qddh:F002", "qddh:F003")
@given(STREAM)
def test_a_tuple_is_late_exactly_when_an_earlier_one_has_a_larger_event_time(
    stream: list[int],
) -> None:
    tracker = DelayTracker.start()
    for position, ts in enumerate(stream):
        earlier = stream[:position]
        assert tracker.update(ts).is_late == any(before > ts for before in earlier)
        assert tracker.get().time == max([*earlier, ts])


@given(STREAM)
def test_an_ordered_stream_has_no_late_tuple(stream: list[int]) -> None:
    counts = tracker_of(sorted(stream)).get()
    assert (counts.late, counts.correlated, counts.max_delay) == (0, 0, 0)


@given(STREAM, STREAM)
def test_a_tracker_continues_from_saved_state_as_if_never_stopped(
    before: list[int], after: list[int]
) -> None:
    resumed = DelayTracker.start(tracker_of(before).snapshot())
    for ts in after:
        resumed.update(ts)
    assert resumed.get() == tracker_of(before + after).get()


@given(STREAM, STREAM)
def test_merged_partitions_add_up_their_counters(one: list[int], other: list[int]) -> None:
    merged = tracker_of(one).merge(tracker_of(other)).get()
    parts = [tracker_of(one).get(), tracker_of(other).get()]
    assert merged.seen == len(one) + len(other)
    assert merged.late == sum(part.late for part in parts)
    assert merged.correlated == sum(part.correlated for part in parts)
    assert merged.max_delay == max(part.max_delay for part in parts)
    assert merged.time == max(one + other, default=None)


def test_the_share_of_late_tuples_is_unknown_before_the_first() -> None:
    assert DelayTracker.start().get().share_late is None


def test_saved_state_of_an_unknown_version_is_refused() -> None:
    with pytest.raises(CheckpointError, match="version 99"):
        DelayTracker.start(DelayState(version=99))
