from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import CheckpointError
from slackwater.papers.recall_ji2018.operators.productivity import (
    LateEstimate,
    Productivity,
    ProductivityParams,
    ProductivityState,
    Profile,
)

Tuples = list[tuple[int, int, int | None]]
TUPLES = st.lists(
    st.tuples(st.integers(0, 50), st.integers(0, 99), st.none() | st.integers(0, 9)), max_size=20
)


def profiler_of(tuples: Tuples, late: LateEstimate = "max") -> Productivity:
    profiler = Productivity.start(ProductivityParams(10, late))
    feed(profiler, tuples)
    return profiler


def feed(profiler: Productivity, tuples: Tuples) -> None:
    """No number of results means that the tuple was late."""
    for delay, cross, joined in tuples:
        if joined is None:
            profiler.update_late(delay)
        else:
            profiler.update(delay, cross, joined)


SOME: Tuples = [(0, 100, 4), (15, 50, 6), (0, 60, 2), (30, 0, None), (11, 0, None)]


@pytest.mark.spec("qddh:F037")
def test_the_golden_selectivities() -> None:
    profile = Profile(((0, 600), (1, 200), (2, 200)), ((0, 60), (1, 30), (2, 10)))
    assert profile.true_results == 100
    assert profile.ratios() == pytest.approx([1, 1.125, 1])


@pytest.mark.spec("qddh:F037")
def test_tuples_in_order_count_with_what_they_had_by_coarse_delay() -> None:
    profile = profiler_of([row for row in SOME if row[2] is not None]).get()
    assert profile == Profile(((0, 160), (2, 50)), ((0, 6), (2, 6)))


@pytest.mark.spec("qddh:F038")
def test_late_tuples_count_with_the_largest_of_the_interval() -> None:
    profile = profiler_of(SOME).get()
    assert profile == Profile(((0, 160), (2, 150), (3, 100)), ((0, 6), (2, 12), (3, 6)))
    assert profile.true_results == 24


@pytest.mark.spec("qddh:F038")
def test_late_tuples_count_with_the_mean_where_that_is_asked_for() -> None:
    profile = profiler_of(SOME, "mean").get()
    assert profile == Profile(((0, 160), (2, 120), (3, 70)), ((0, 6), (2, 10), (3, 4)))


@pytest.mark.spec("qddh:F037")
def test_the_next_interval_starts_from_nothing() -> None:
    profiler = profiler_of(SOME)
    assert profiler.close() == profiler_of(SOME).get()
    assert profiler.snapshot() == ProductivityState()
    profiler.update_late(5)
    assert profiler.get().true_results == 0
    assert profiler.get().ratios() is None


@pytest.mark.spec("qddh:F037")
def test_without_partners_among_the_timely_nothing_is_corrected() -> None:
    ratios = Profile(((0, 0), (1, 10)), ((0, 0), (1, 5))).ratios()
    assert ratios == pytest.approx([1.0, 1.0])


@pytest.mark.spec("qddh:F037", "qddh:F090")
def test_results_that_come_later_than_their_tuple_are_added_at_its_delay() -> None:
    profiler = profiler_of([(15, 50, 0)])
    profiler.update_results(15, joined=2, of_trigger=2)
    profiler.update_results(15, joined=1, of_trigger=3)
    profiler.update_late(0)
    assert profiler.get() == Profile(((0, 50), (2, 50)), ((0, 3), (2, 3)))


@given(TUPLES, TUPLES)
def test_instances_merge_to_what_one_would_have_seen(one: Tuples, other: Tuples) -> None:
    assert profiler_of(one).merge(profiler_of(other)).get() == profiler_of(one + other).get()


@given(TUPLES, TUPLES, st.sampled_from(["max", "mean"]))
def test_a_profiler_continues_from_state_saved_as_json(
    before: Tuples, after: Tuples, late: LateEstimate
) -> None:
    saved = json.loads(json.dumps(profiler_of(before, late).snapshot().to_json()))
    resumed = Productivity.start(ProductivityParams(10, late), ProductivityState.from_json(saved))
    feed(resumed, after)
    assert resumed.get() == profiler_of(before + after, late).get()


def test_saved_state_of_an_unknown_version_is_refused() -> None:
    with pytest.raises(CheckpointError, match="version 99"):
        Productivity.start(ProductivityParams(1), ProductivityState(version=99))
