from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import SlackwaterError
from slackwater.papers.recall_ji2018.operators.windows import (
    JoinWindows,
    PairWindows,
    StreamWindows,
)

TIMES = st.fixed_dictionaries(dict.fromkeys("abcd", st.integers(0, 12)))
SIZES = st.integers(0, 8)
PER_STREAM = st.fixed_dictionaries(dict.fromkeys("abcd", SIZES)).map(StreamWindows.of)
CHAIN = st.tuples(SIZES, SIZES, SIZES).map(
    lambda w: PairWindows.of(
        "abcd", dict(zip([("a", "b"), ("b", "c"), ("c", "d")], w, strict=True))
    )
)


@pytest.mark.spec("adaptive:SUB-06")
def test_pairs_without_a_window_get_the_shortest_path() -> None:
    windows = PairWindows.of("abcd", {("a", "b"): 5, ("b", "c"): 3, ("a", "c"): 10, ("d", "c"): 1})
    found = {(a, b): windows.size(a, b) for a, b in combinations("abcd", 2)}
    assert found == {
        ("a", "b"): 5,
        ("a", "c"): 8,
        ("a", "d"): 9,
        ("b", "c"): 3,
        ("b", "d"): 4,
        ("c", "d"): 1,
    }


@pytest.mark.spec("adaptive:SUB-06")
def test_windows_that_do_not_connect_all_streams_are_refused() -> None:
    with pytest.raises(SlackwaterError, match="connect all streams"):
        PairWindows.of("abc", {("a", "b"): 5})


@pytest.mark.spec("adaptive:SUB-06", "adaptive:SUB-07", "adaptive:SUB-08")
@given(TIMES, SIZES)
def test_a_global_window_spans_from_the_oldest_to_the_newest(
    times: dict[str, int], size: int
) -> None:
    fits = max(times.values()) - min(times.values()) <= size
    assert PairWindows.everywhere("abcd", size).allows(times) == fits
    assert StreamWindows.of(dict.fromkeys("abcd", size)).allows(times) == fits


@pytest.mark.spec("adaptive:SUB-07")
def test_pairs_are_compared_and_not_only_the_newest_ones() -> None:
    windows = PairWindows.everywhere("abc", 5)
    assert windows.allows({"a": 0, "b": 5})
    assert windows.allows({"b": 5, "c": 9})
    assert not windows.allows({"a": 0, "b": 5, "c": 9})


@pytest.mark.spec("qddh:F080")
def test_with_unequal_windows_the_newest_member_decides() -> None:
    windows = StreamWindows.of({"a": 10, "b": 3})
    assert windows.allows({"a": 5, "b": 15})
    assert not windows.allows({"a": 4, "b": 15})
    assert windows.allows({"a": 8, "b": 5})
    assert not windows.allows({"a": 9, "b": 5})


@pytest.mark.spec("adaptive:SUB-07")
@given(st.one_of(PER_STREAM, CHAIN), TIMES)
def test_what_is_valid_stays_valid_without_one_of_its_members(
    windows: JoinWindows, times: dict[str, int]
) -> None:
    if windows.allows(times):
        for left_out in times:
            rest = {name: ts for name, ts in times.items() if name != left_out}
            assert windows.allows(rest)


@given(st.one_of(PER_STREAM, CHAIN), TIMES)
def test_no_partner_is_newer_than_the_reach(windows: JoinWindows, times: dict[str, int]) -> None:
    if windows.allows(times):
        for name, ts in times.items():
            others = [other for other in times if other != name]
            newest = max(times[other] for other in others)
            assert newest - ts <= windows.reach(name, others)


def test_a_join_of_one_stream_is_refused() -> None:
    with pytest.raises(SlackwaterError, match="two streams"):
        StreamWindows.of({"a": 5})
