"""Windows, panes and ids by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.plan.window import Window

INSTANT = st.integers(-500, 500)
SHAPE = st.tuples(st.integers(1, 40), st.integers(1, 40), st.integers(0, 39)).map(
    lambda s: Window(max(s[:2]), min(s[:2]), s[2] % min(s[:2]))
)


def ending_on_slide(size: int, slide: int) -> Window:
    """Windows whose ends are multiples of the slide, as the source work numbers them."""
    return Window(size, slide, -size % slide)


def pane_start(window: Window, instant: int) -> int:
    """Start of the pane that holds an instant."""
    return instant - (instant - window.offset) % window.pane


@pytest.mark.spec("prodding:F6")
@pytest.mark.parametrize(
    ("size", "slide", "time", "ids"),
    [
        (60, 20, 211, (10, 12)),
        (60, 20, 230, (11, 13)),
        (60, 20, 219, (10, 12)),
        (60, 20, 220, (11, 13)),
        (60, 20, 0, (0, 2)),
        (20, 20, 211, (10, 10)),
        (5, 2, 0, (0, 1)),
        (5, 2, 1, (0, 2)),
        (5, 2, 2, (1, 2)),
        (5, 2, 3, (1, 3)),
        (5, 2, 10, (5, 6)),
        (5, 2, 11, (5, 7)),
    ],
)
def test_an_instant_has_the_window_ids_of_the_table(
    size: int, slide: int, time: int, ids: tuple[int, int]
) -> None:
    assert ending_on_slide(size, slide).ids(time) == ids


@pytest.mark.spec("prodding:F6")
@given(st.integers(1, 40), st.integers(1, 40), INSTANT)
def test_ids_follow_the_formula_of_bucket(one: int, other: int, time: int) -> None:
    size, slide = max(one, other), min(one, other)
    found = ending_on_slide(size, slide).ids(time)
    assert found == (time // slide, (time + size) // slide - 1)


@pytest.mark.spec("prodding:F6")
@given(st.integers(1, 40), st.integers(1, 40), INSTANT)
def test_an_id_names_the_last_slide_that_its_window_covers(one: int, other: int, time: int) -> None:
    size, slide = max(one, other), min(one, other)
    window = ending_on_slide(size, slide)
    first, last = window.ids(time)
    for number, begin in enumerate(window.starts(time), start=first):
        assert (number + 1) * slide - size == begin
        assert begin <= time < begin + size
    assert len(window.starts(time)) == last - first + 1


@given(SHAPE, INSTANT)
def test_starts_are_exactly_the_windows_that_hold_an_instant(window: Window, time: int) -> None:
    every = range(-2_000 * window.slide + window.offset, 2_000 * window.slide, window.slide)
    assert list(window.starts(time)) == [s for s in every if s <= time < s + window.size]


@given(SHAPE, INSTANT)
def test_no_window_cuts_a_pane(window: Window, time: int) -> None:
    pane = pane_start(window, time)
    assert pane <= time < pane + window.pane
    for instant in range(pane, pane + window.pane):
        assert window.starts(instant) == window.starts(pane)


@given(SHAPE)
def test_a_window_is_a_whole_number_of_panes(window: Window) -> None:
    assert window.size % window.pane == window.slide % window.pane == 0
    assert pane_start(window, window.offset) == window.offset


def test_windows_have_short_names() -> None:
    assert str(Window(60_000_000, 60_000_000)) == "tumbling 1min"
    assert str(Window(60_000_000, 10_000_000, 5_000_000)) == "sliding 1min every 10s from 5s"
