"""K-slack against the rule of the Spark engine.

There, watermark = clock - slack, and a window ``[start, end)`` closes when ``end <= watermark``.
"""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from slackwater.papers.slack_ji2018.operators.swa import SWA, FireOn, SWAParams
from slackwater.papers.stream.baselines import fixed_slack
from slackwater.papers.stream.monoids import Monoid
from slackwater.papers.stream.windows import TimeWindow
from slackwater.stats.arrival import Arrival

Contents = dict[int, list[int]]

LEFT = st.builds(TimeWindow, st.integers(1, 12), st.integers(1, 12), st.just("left"))
STREAM = st.lists(st.integers(-20, 60), max_size=50)
SLACK = st.integers(0, 20)
WHO = Monoid[int, tuple[int, ...], list[int]](
    zero=(), lift=lambda seq: (seq,), merge=lambda a, b: a + b, get=sorted
)


def engine(window: TimeWindow, stream: list[int], k: int) -> Contents:
    """Contents of all windows the engine closes with one row per batch, by its definition."""
    contents: Contents = {}
    clock: int | None = None
    for seq, ts in enumerate(stream):
        for end in window.ends_of(ts):
            if clock is None or end > clock - k:
                contents.setdefault(end, []).append(seq)
        clock = ts if clock is None else max(clock, ts)
    return {end: seqs for end, seqs in contents.items() if clock is not None and end <= clock - k}


def operator(window: TimeWindow, stream: list[int], k: int, fire_on: FireOn) -> Contents:
    """Contents of all windows the operator fires, without the end of the stream."""
    swa: SWA[int] = SWA.start(SWAParams(window, WHO, fire_on=fire_on), fixed_slack(k))
    arrivals = [Arrival("s", seq, ts, seq) for seq, ts in enumerate(stream)]
    return {result.end: result.value for arrival in arrivals for result in swa.update(arrival)}


def released_beyond(window: TimeWindow, stream: list[int], k: int, end: int) -> int | None:
    """The first arrival that advances the clock with a tuple in [end, clock - k] at hand."""
    for seq, ts in enumerate(stream):
        if all(ts > before for before in stream[:seq]) and any(
            end <= tuple_ts <= ts - k for tuple_ts in stream[: seq + 1]
        ):
            return seq
    return None


@pytest.mark.spec("qddh:F069")
@given(LEFT, STREAM, SLACK)
def test_firing_on_the_watermark_gives_every_window_the_content_the_engine_gives(
    window: TimeWindow, stream: list[int], k: int
) -> None:
    assert operator(window, stream, k, "watermark") == engine(window, stream, k)


@pytest.mark.spec("qddh:F069")
@given(LEFT, STREAM, SLACK)
def test_firing_on_pass_adds_exactly_the_tuples_that_come_before_a_released_one(
    window: TimeWindow, stream: list[int], k: int
) -> None:
    by_engine = engine(window, stream, k)
    for end, seqs in operator(window, stream, k, "pass").items():
        fired = released_beyond(window, stream, k, end)
        assert fired is not None
        assert seqs == [s for s, ts in enumerate(stream[:fired]) if window.contains(end, ts)]
        assert set(by_engine.get(end, [])) <= set(seqs)


@pytest.mark.spec("qddh:F069")
@given(LEFT, STREAM, SLACK)
def test_contents_are_equal_where_the_watermark_passes_with_a_tuple_to_release(
    window: TimeWindow, stream: list[int], k: int
) -> None:
    by_engine = engine(window, stream, k)
    for end, seqs in operator(window, stream, k, "pass").items():
        closed = next(seq for seq, ts in enumerate(stream) if ts - k >= end)
        if closed == released_beyond(window, stream, k, end):
            assert by_engine[end] == seqs


@pytest.mark.spec("qddh:F069")
@given(LEFT, STREAM)
@example(TimeWindow(10, 10, "left"), [3, 10, 7, 11])
def test_without_slack_both_rules_always_agree(window: TimeWindow, stream: list[int]) -> None:
    assert operator(window, stream, 0, "pass") == engine(window, stream, 0)


def test_a_leap_of_the_clock_closes_a_window_that_k_slack_keeps_open() -> None:
    window, stream = TimeWindow(10, 10, "left"), [3, 15, 7, 25]
    assert engine(window, stream, k=5)[10] == [0]
    assert operator(window, stream, 5, "watermark")[10] == [0]
    assert operator(window, stream, 5, "pass")[10] == [0, 2]


@given(STREAM, SLACK, st.integers(1, 12), st.integers(1, 12))
def test_the_two_conventions_are_one_stream_shifted_by_one_unit(
    stream: list[int], k: int, size: int, slide: int
) -> None:
    shifted = [ts + 1 for ts in stream]
    for fire_on in ("pass", "watermark"):
        left = operator(TimeWindow(size, slide, "left"), stream, k, fire_on)
        assert left == operator(TimeWindow(size, slide, "right"), shifted, k, fire_on)
