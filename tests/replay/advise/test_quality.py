"""Vectorised and tuple at a time give the same, for every policy."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from slackwater.papers.slack_ji2018.operators.swa import SWA, SWAParams
from slackwater.papers.stream.baselines import fixed_slack
from slackwater.papers.stream.monoids import SUM
from slackwater.papers.stream.windows import TimeWindow
from slackwater.replay.advise import Frames, Measure, Target, Timeline
from slackwater.replay.advise.quality import quality
from slackwater.replay.advise.search import steps
from slackwater.replay.advise.stakes import stakes
from slackwater.replay.advise.watermarks import fixed, growing, varying
from slackwater.stats.arrival import arrivals_with
from tests.replay.advise.plain import ROWS, Row, assert_same, play, timeline_of

KINDS = ("count", "sum", "avg", "min", "max")
KIND = st.sampled_from(KINDS)
TARGET = st.builds(Target, st.sampled_from([0.0, 0.1, 0.4]), st.sampled_from([0.5, 0.8, 0.95, 1.0]))


@st.composite
def windows(draw: st.DrawFn) -> Frames:
    slide = draw(st.integers(1, 12))
    return Frames(draw(st.integers(slide, 20)), slide)


@given(windows(), ROWS, KIND, TARGET, st.integers(0, 30))
def test_a_fixed_slack_gives_what_the_plain_loop_gives(
    frames: Frames, rows: list[Row], kind: str, target: Target, slack: int
) -> None:
    timeline = timeline_of(rows)
    at_stake = stakes(timeline, frames, Measure(kind, kind, "v"))
    found = quality(at_stake, fixed(timeline, at_stake, slack), target)
    assert_same(found, play(frames, rows, [slack] * (len(rows) + 1)), kind, target)


@given(windows(), ROWS, KIND, TARGET, st.data())
def test_a_varying_slack_gives_what_the_plain_loop_gives(
    frames: Frames, rows: list[Row], kind: str, target: Target, data: st.DataObject
) -> None:
    size = len(rows) + 1
    slacks = data.draw(st.lists(st.integers(0, 30), min_size=size, max_size=size))
    timeline = timeline_of(rows)
    at_stake = stakes(timeline, frames, Measure(kind, kind, "v"))
    found = quality(at_stake, varying(timeline, at_stake, np.array(slacks)), target)
    assert_same(found, play(frames, rows, slacks), kind, target)


@given(windows(), ROWS, TARGET)
def test_max_k_waits_for_the_largest_delay_so_far(
    frames: Frames, rows: list[Row], target: Target
) -> None:
    timeline = timeline_of(rows)
    slacks, clock, largest = [0], rows[0][0], 0
    for ts, _, _ in rows:
        clock = max(clock, ts)
        largest = max(largest, clock - ts)
        slacks.append(largest)
    assert growing(timeline).tolist() == slacks
    at_stake = stakes(timeline, frames, Measure("sum", "sum", "v"))
    found = quality(at_stake, varying(timeline, at_stake, growing(timeline)), target)
    assert_same(found, play(frames, rows, slacks), "sum", target)


@given(windows(), ROWS, KIND, TARGET)
def test_the_smallest_slack_meets_the_target_and_no_smaller_one_does(
    frames: Frames, rows: list[Row], kind: str, target: Target
) -> None:
    at_stake = stakes(timeline_of(rows), frames, Measure(kind, kind, "v"))
    found = steps(at_stake, target)
    needed = target.needed(at_stake.results.count)

    def is_met(slack: int) -> bool:
        return play(frames, rows, [slack] * (len(rows) + 1)).good(kind, target) >= needed

    for unit in (1, 7):
        smallest = found.smallest(needed, unit)
        assert smallest % unit == 0
        assert is_met(smallest)
        assert not any(is_met(slack) for slack in range(0, smallest, unit))


@given(windows(), ROWS, KIND, TARGET)
def test_the_steps_tell_the_share_of_every_slack(
    frames: Frames, rows: list[Row], kind: str, target: Target
) -> None:
    at_stake = stakes(timeline_of(rows), frames, Measure(kind, kind, "v"))
    found = steps(at_stake, target)
    for slack in range(0, 90, 3):
        good = found.good[np.searchsorted(found.at, slack, side="right") - 1]
        assert good == play(frames, rows, [slack] * (len(rows) + 1)).good(kind, target)


@given(st.integers(1, 8), st.integers(1, 3), ROWS, st.integers(0, 30))
def test_contents_are_those_of_the_window_operator(
    slide: int, overlap: int, rows: list[Row], slack: int
) -> None:
    """The tuple-at-a-time operator aligns ends; with whole slides in a window that is the same."""
    plain = [(ts, 0, float(number)) for number, (ts, _, _) in enumerate(rows, start=1)]
    window = TimeWindow(slide * overlap, slide, "left")
    swa: SWA[float] = SWA.start(SWAParams(window, SUM, fire_on="watermark"), fixed_slack(slack))
    arriving = arrivals_with([row[0] for row in plain], [row[2] or 0.0 for row in plain])
    fired = {r.end: (r.value, r.latency) for a in arriving for r in swa.update(a)}
    played = play(Frames(window.size, slide), plain, [slack] * (len(rows) + 1))
    mine = {
        end: (math.fsum(value or 0.0 for value in values), played.closed_at[end] - end)
        for (end, _), values in played.in_time.items()
        if end in played.closed_at
    }
    assert fired == mine


def test_an_exact_value_of_zero_makes_every_other_answer_infinitely_wrong() -> None:
    rows: list[Row] = [(1, 0, 2.0), (25, 0, 1.0), (3, 0, -2.0)]
    timeline = timeline_of(rows)
    at_stake = stakes(timeline, Frames(10, 10), Measure("sum", "sum", "v"))
    found = quality(at_stake, fixed(timeline, at_stake, 0), Target(0.5, 0.5))
    assert (found.infinite, found.max_error, found.within) == (1, math.inf, 0.5)


def test_a_result_without_a_row_in_time_is_a_violation_even_of_a_wide_bound() -> None:
    timeline = Timeline.of(np.array([25, 3, 26]))
    at_stake = stakes(timeline, Frames(10, 10), Measure("count", "count(*)"))
    found = quality(at_stake, fixed(timeline, at_stake, 0), Target(0.99, 0.5))
    assert (found.within, found.mean_error, found.max_error) == (0.5, 0.5, 1.0)


def test_more_slack_is_not_always_better() -> None:
    """10 - 4 + 4: the sum is right only without the two late rows, or with both."""
    rows: list[Row] = [(1, 0, 10.0), (21, 0, 1.0), (3, 0, -4.0), (25, 0, 1.0), (4, 0, 4.0)]
    at_stake = stakes(timeline_of(rows), Frames(10, 10), Measure("sum", "sum", "v"))
    found = steps(at_stake, Target(0.01, 1.0))
    assert list(zip(found.at.tolist(), found.good.tolist(), strict=True)) == [
        (0, 2),
        (12, 1),
        (16, 2),
    ]
    assert found.smallest(2) == 0
