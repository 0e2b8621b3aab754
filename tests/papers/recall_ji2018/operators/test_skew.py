from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import CheckpointError, SlackwaterError
from slackwater.papers.recall_ji2018.operators.skew import SkewState, SkewTracker

MOVES = st.lists(st.tuples(st.sampled_from("abc"), st.integers(-50, 50)), max_size=30)


def tracker_of(moves: list[tuple[str, int]]) -> SkewTracker:
    tracker = SkewTracker.start("abc")
    for stream, ts in moves:
        tracker.update(stream, ts)
    return tracker


@pytest.mark.spec("qddh:F004")
def test_the_stream_with_the_smallest_local_time_is_the_slowest() -> None:
    skew = tracker_of([("a", 100), ("b", 95), ("c", 80), ("a", 70)]).get()
    assert skew.slowest == "c"
    assert skew.leads == {"a": 20, "b": 15, "c": 0}
    assert (skew.skew("a", "b"), skew.skew("b", "a"), skew.skew("a", "a")) == (5, 5, 0)


@pytest.mark.spec("qddh:F004")
def test_skew_is_unknown_until_every_stream_has_delivered() -> None:
    skew = tracker_of([("a", 100), ("b", 95)]).get()
    assert skew.slowest is None
    assert skew.leads is None
    assert skew.skew("a", "c") is None
    assert skew.skew("a", "b") == 5


@pytest.mark.spec("qddh:F004")
@given(MOVES)
def test_skew_is_the_distance_of_the_largest_event_times(moves: list[tuple[str, int]]) -> None:
    skew = tracker_of(moves).get()
    times = {name: max((ts for s, ts in moves if s == name), default=None) for name in "abc"}
    for one in "abc":
        assert skew.time_of(one) == times[one]
        for other in "abc":
            mine, theirs = times[one], times[other]
            known = None if mine is None or theirs is None else abs(mine - theirs)
            assert skew.skew(one, other) == known


@given(MOVES, MOVES)
def test_merging_two_trackers_is_seeing_all_tuples(
    one: list[tuple[str, int]], other: list[tuple[str, int]]
) -> None:
    assert tracker_of(one).merge(tracker_of(other)).get() == tracker_of(one + other).get()


@given(MOVES, MOVES)
def test_a_tracker_continues_from_saved_state(
    before: list[tuple[str, int]], after: list[tuple[str, int]]
) -> None:
    resumed = SkewTracker.start("abc", tracker_of(before).snapshot())
    for stream, ts in after:
        resumed.update(stream, ts)
    assert resumed.get() == tracker_of(before + after).get()


def test_a_stream_nobody_named_is_refused() -> None:
    with pytest.raises(SlackwaterError, match="'d' is not one of"):
        tracker_of([]).update("d", 1)


def test_saved_state_of_other_streams_or_versions_is_refused() -> None:
    for state in (SkewState((("x", 1),)), SkewState((("a", 1),), version=99)):
        with pytest.raises(CheckpointError, match="wanted version 1 of \\['a'\\]"):
            SkewTracker.start("a", state)
