from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import SlackwaterError
from slackwater.papers.stream.windows import Closed, CountWindow, LandmarkWindow, TimeWindow
from slackwater.stats.arrival import arrivals

WINDOW = st.builds(
    TimeWindow, st.integers(1, 12), st.integers(1, 12), st.sampled_from(["right", "left"])
)
INSTANT = st.integers(-60, 60)


@pytest.mark.spec("qddh:F005")
def test_the_scope_excludes_the_lower_and_includes_the_upper_endpoint() -> None:
    window = TimeWindow(size=10, slide=10)
    inside = window.content(arrivals([0, 1, 10, 11]), end=10)
    assert [arrival.ts for arrival in inside] == [1, 10]


@pytest.mark.spec("qddh:F005")
def test_the_engine_includes_the_start_and_excludes_the_end() -> None:
    window = TimeWindow(size=10, slide=10, closed="left")
    inside = window.content(arrivals([-1, 0, 9, 10]), end=10)
    assert [arrival.ts for arrival in inside] == [0, 9]


@pytest.mark.spec("qddh:F005")
@pytest.mark.parametrize("closed", ["right", "left"])
@given(ts=INSTANT, size=st.integers(1, 12))
def test_a_tumbling_window_holds_every_instant_exactly_once(
    closed: Closed, ts: int, size: int
) -> None:
    assert len(TimeWindow(size, size, closed).ends_of(ts)) == 1


@pytest.mark.spec("qddh:F005")
@given(WINDOW, INSTANT)
def test_the_windows_of_an_instant_are_those_that_contain_it(window: TimeWindow, ts: int) -> None:
    multiples = [end for end in range(-100, 101) if end % window.slide == 0]
    assert list(window.ends_of(ts)) == [end for end in multiples if window.contains(end, ts)]


@pytest.mark.spec("qddh:F005")
@given(st.integers(1, 12), st.integers(1, 12), INSTANT, INSTANT)
def test_both_conventions_hold_the_same_tuples_one_unit_apart(
    size: int, slide: int, end: int, ts: int
) -> None:
    left = TimeWindow(size, slide, "left")
    assert left.contains(end, ts) == (end - size <= ts < end)
    assert left.contains(end, ts) == TimeWindow(size, slide).contains(end, ts + 1)


@pytest.mark.spec("qddh:F005")
@given(WINDOW, INSTANT)
def test_a_window_is_made_of_the_panes_of_its_instants(window: TimeWindow, ts: int) -> None:
    for end in range(window.slide * -5, window.slide * 6, window.slide):
        assert window.contains(end, ts) == (window.pane_of(ts) in window.panes_of(end))


def test_panes_are_as_wide_as_size_and_slide_allow() -> None:
    assert TimeWindow(60, 20).pane == 20
    assert TimeWindow(10, 4).pane == 2
    assert list(TimeWindow(10, 4).panes_of(12)) == [2, 3, 4, 5, 6]


@pytest.mark.spec("qddh:F006")
def test_a_count_window_always_holds_exactly_its_size() -> None:
    assert list(CountWindow(3, 2).contents(range(8))) == [(0, 1, 2), (2, 3, 4), (4, 5, 6)]
    assert list(CountWindow(2, 2).contents("abcd")) == [("a", "b"), ("c", "d")]
    assert list(CountWindow(2, 3).contents("abcdef")) == [("a", "b"), ("d", "e")]
    assert list(CountWindow(3, 1).contents("ab")) == []


@pytest.mark.spec("qddh:F006")
@given(st.lists(st.integers()), st.integers(1, 6), st.integers(1, 6))
def test_count_windows_are_slices_of_the_arrivals(items: list[int], size: int, slide: int) -> None:
    starts = range(0, len(items) - size + 1, slide)
    slices = [tuple(items[start : start + size]) for start in starts]
    assert list(CountWindow(size, slide).contents(items)) == slices


@pytest.mark.spec("qddh:F006")
def test_a_landmark_window_grows_from_its_start_to_its_end() -> None:
    window = LandmarkWindow[str](opens=lambda item: item == "(", closes=lambda item: item == ")")
    contents = ["".join(content) for content in window.contents("a(b(c)d(e")]
    assert contents == ["", "(", "(b", "(b(", "(b(c", "(b(c)", "", "(", "(e"]


@pytest.mark.spec("qddh:F006")
def test_a_landmark_window_without_end_never_closes() -> None:
    window = LandmarkWindow[int](opens=lambda item: item > 2)
    assert list(window.contents([1, 3, 0, 4])) == [(), (3,), (3, 0), (3, 0, 4)]


@pytest.mark.spec("qddh:F006")
def test_one_tuple_may_open_and_close_a_landmark_window() -> None:
    window = LandmarkWindow[int](opens=lambda item: item > 2, closes=lambda item: item > 3)
    assert list(window.contents([4, 1, 3])) == [(4,), (), (3,)]


@pytest.mark.parametrize("window", [TimeWindow, CountWindow])
def test_a_window_without_length_is_refused(window: type[TimeWindow | CountWindow]) -> None:
    with pytest.raises(SlackwaterError, match="size is 0"):
        window(0, 1)
    with pytest.raises(SlackwaterError, match="slide is -1"):
        window(1, -1)
