from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import SlackwaterError
from slackwater.estimate.schedule import ends_prodded, lead, next_point, next_prod, points_passed

CLOCK = st.integers(-200, 200)
WIDTH = st.integers(1, 30)


@pytest.mark.spec("prodding:F30")
@given(CLOCK, CLOCK, WIDTH, st.integers(-40, 40))
def test_points_passed_are_those_a_search_finds(
    before: int, now: int, every: int, origin: int
) -> None:
    found = [t for t in range(before + 1, now + 1) if (t - origin) % every == 0]
    assert list(points_passed(before, now, every, origin)) == found


@pytest.mark.spec("prodding:F30")
@given(st.lists(CLOCK, min_size=2).map(sorted), WIDTH)
def test_no_point_is_lost_or_told_twice_however_the_clock_jumps(
    clock: list[int], every: int
) -> None:
    told = [t for before, now in pairwise(clock) for t in points_passed(before, now, every)]
    assert told == list(points_passed(clock[0], clock[-1], every))


@pytest.mark.spec("prodding:F30", "prodding:F48")
@given(CLOCK, CLOCK, st.floats(-2, 2), WIDTH, WIDTH, st.integers(-20, 20))
def test_windows_prodded_are_those_whose_point_was_passed(
    before: int, now: int, p: float, size: int, slide: int, offset: int
) -> None:
    ends = [offset + n * slide + size for n in range(-600, 600)]
    found = [end for end in ends if before < end - round(p * slide) <= now]
    got = list(ends_prodded(before, now, p, size=size, slide=slide, offset=offset))
    assert got == found
    due = next_prod(now, p, size=size, slide=slide, offset=offset)
    assert not ends_prodded(now, due - 1, p, size=size, slide=slide, offset=offset)
    assert len(ends_prodded(now, due, p, size=size, slide=slide, offset=offset)) == 1


@pytest.mark.spec("prodding:F30")
def test_the_examples_of_the_source_work() -> None:
    # 90 s into a slide of 120 s; 7 s into one of 10 s; at the end, every second
    assert lead(0.25, 120) == 30
    assert list(ends_prodded(89, 90, 0.25, size=600, slide=120)) == [120]
    assert list(ends_prodded(6, 17, 0.3, size=30, slide=10)) == [10, 20]
    assert list(ends_prodded(0, 3, 0, size=5, slide=1)) == [1, 2, 3]
    assert list(ends_prodded(0, 25, -0.5, size=10, slide=10)) == [0, 10, 20]


def test_a_clock_that_has_just_begun_or_stands_has_passed_nothing() -> None:
    assert not points_passed(None, 100, 10)
    assert not points_passed(50, 50, 10)
    assert not points_passed(50, 20, 10)
    assert not ends_prodded(None, 100, 0.5, size=10, slide=10)


def test_a_jump_over_years_costs_nothing() -> None:
    points = points_passed(0, 10**17, 1_000)
    assert len(points) == 10**14
    assert list(points[-2:]) == [10**17 - 1_000, 10**17]
    assert next_point(10**17, 1_000) == 10**17 + 1_000


def test_a_period_of_nothing_is_refused() -> None:
    with pytest.raises(SlackwaterError, match="every is 0"):
        points_passed(0, 1, 0)
    with pytest.raises(SlackwaterError, match="size is -1"):
        ends_prodded(0, 1, 0.5, size=-1, slide=1)
