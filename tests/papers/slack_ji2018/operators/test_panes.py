from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.papers.slack_ji2018.operators.panes import Pane, Panes
from slackwater.papers.stream.monoids import SUM
from slackwater.papers.stream.windows import TimeWindow


@pytest.mark.spec("qddh:F069")
@given(
    st.integers(1, 12),
    st.integers(1, 12),
    st.lists(st.tuples(st.integers(-30, 30), st.integers(-9, 9))),
)
def test_combined_panes_are_the_aggregate_of_the_window(
    size: int, slide: int, rows: list[tuple[int, int]]
) -> None:
    window = TimeWindow(size, slide)
    panes = Panes(window, SUM)
    for ts, value in rows:
        panes.add(ts, value)
    for end in range(-slide * 4, slide * 5, slide):
        inside = [value for ts, value in rows if window.contains(end, ts)]
        assert panes.combine(end) == Pane(len(inside), SUM.of(inside))


def test_panes_are_forgotten_once_no_window_to_come_covers_them() -> None:
    panes = Panes(TimeWindow(10, 5), SUM)
    for ts in (3, 8, 12):
        panes.add(ts, ts)
    panes.forget_before(15)
    assert panes.snapshot() == ((2, Pane(1, 8)), (3, Pane(1, 12)))
    assert (panes.oldest, panes.newest) == (10, 15)
    panes.forget_before(1000)
    assert (panes.oldest, panes.newest, panes.snapshot()) == (None, None, ())


def test_panes_continue_from_what_was_saved() -> None:
    panes = Panes(TimeWindow(10, 5), SUM, [(1, Pane(2, 7))])
    panes.add(4, 1)
    assert panes.combine(5) == Pane(3, 8)
