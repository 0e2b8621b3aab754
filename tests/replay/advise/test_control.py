"""Controllers are played step by step, and see what the engine's controller sees."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from slackwater.disorder.error_slack import ErrorSeen
from slackwater.replay.advise import Frames, Measure, Target, Timeline, advise
from slackwater.replay.advise.control import play, quality_driven
from slackwater.replay.advise.quality import quality
from slackwater.replay.advise.stakes import Stakes, stakes
from slackwater.replay.advise.watermarks import varying
from slackwater.units import SECOND
from tests.replay.advise import plain
from tests.replay.advise.plain import ROWS, Row, assert_same, timeline_of


class Scripted:
    """Gives the slacks it was told to, and remembers what it saw."""

    def __init__(self, *slacks: int) -> None:
        self.slacks = list(slacks)
        self.seen: list[ErrorSeen] = []

    def step(self, seen: ErrorSeen) -> int:
        self.seen.append(seen)
        return self.slacks.pop(0)


COUNT = Measure("count", "count(*)")
TARGET = Target(0.1, 0.9)


def staked(times: list[int], frames: Frames) -> tuple[Timeline, Stakes]:
    timeline = Timeline.of(np.array(times))
    return timeline, stakes(timeline, frames, COUNT)


def test_a_slack_is_in_force_from_the_step_after_on() -> None:
    timeline, at_stake = staked([1, 2, 6, 11, 4, 12, 17], Frames(10, 10))
    controller = Scripted(7, 3, 5, 9)
    played = play(timeline, at_stake, TARGET, controller)
    assert (played.interval, played.steps) == (5, 4)
    assert played.slacks.tolist() == [0, 0, 7, 3, 3, 3, 5, 9]


def test_a_step_tells_clock_and_panes() -> None:
    timeline, at_stake = staked([1, 2, 6, 11, 4, 12, 17], Frames(10, 5))
    controller = Scripted(0, 0, 0, 0)
    play(timeline, at_stake, TARGET, controller, interval=5)
    third = controller.seen[2]
    assert (third.before, third.after) == (6, 12)
    counts = [(c.pane, c.rows, c.low, c.high) for c in third.counts]
    assert counts == [(0, 1, 4, 4), (10, 2, 11, 12)]


def test_results_are_measured_once_their_stragglers_are_in() -> None:
    timeline, at_stake = staked([1, 2, 3, 11, 12, 4, 22, 33, 44, 55], Frames(10, 10))
    controller = Scripted(*[0] * 10)
    play(timeline, at_stake, TARGET, controller, interval=1)
    measured = [(seen.measured, seen.within) for seen in controller.seen]
    assert sum(count for count, _ in measured) == 4
    assert sum(within for _, within in measured) == 3  # [0, 10) lost one of four rows


@given(ROWS, st.integers(1, 9), st.data())
def test_a_step_is_a_micro_batch(rows: list[Row], interval: int, data: st.DataObject) -> None:
    """Its rows meet the watermark of its start, and windows close at its end."""
    frames = Frames(10, 5)
    timeline = timeline_of(rows)
    at_stake = stakes(timeline, frames, Measure("sum", "sum", "v"))
    many = len(rows)
    chosen = data.draw(st.lists(st.integers(0, 30), min_size=many, max_size=many))
    played = play(timeline, at_stake, TARGET, Scripted(*chosen), interval)
    clocks, slacks, slack, start = [], [], 0, None
    clock = rows[0][0]
    for number, (ts, _, _) in enumerate(rows):
        if number and max(clock, ts) // interval != clock // interval:
            slack, start = chosen.pop(0), clock
        clocks.append(start)
        slacks.append(slack)
        clock = max(clock, ts)
    expected = plain.play(frames, rows, [*slacks, chosen.pop(0)], [*clocks, clock])
    found = quality(at_stake, varying(timeline, at_stake, played.slacks, played.clock), TARGET)
    assert_same(found, expected, "sum", TARGET)


@given(ROWS, st.integers(1, 9), st.integers(0, 20))
def test_what_is_measured_on_the_way_is_what_came_out_in_the_end(
    rows: list[Row], interval: int, slack: int
) -> None:
    rows = [*rows, *((end, 0, 1.0) for end in (1_000, 2_000, 3_000))]
    timeline = timeline_of(rows)
    at_stake = stakes(timeline, Frames(10, 5), Measure("sum", "sum", "v"))
    controller = Scripted(*[slack] * len(rows))
    played = play(timeline, at_stake, TARGET, controller, interval)
    found = quality(at_stake, varying(timeline, at_stake, played.slacks, played.clock), TARGET)
    measured = sum(seen.measured for seen in controller.seen)
    within = sum(seen.within for seen in controller.seen)
    assert measured == found.results - 4  # all but the windows of the last two rows
    assert within == round(found.within * found.results) - 4


def test_quality_driven_slack_meets_a_target_and_waits_less_than_max_k() -> None:
    rng = np.random.default_rng(5)
    count = 30_000
    late = (rng.random(count) < 0.1) * rng.exponential(0.5 * SECOND, count)
    times = (np.arange(count) * SECOND // 50 - late).astype(np.int64)
    timeline = Timeline.of(times, values=rng.normal(10, 2, count))
    advice = advise(
        timeline, Frames(5 * SECOND, SECOND), Measure("sum", "sum(v)", "v"), Target(0.01, 0.9)
    )
    assert advice.driven.quality.within >= 0.9
    assert advice.driven.quality.latency is not None
    assert advice.largest.quality.latency is not None
    assert advice.driven.quality.latency < advice.largest.quality.latency


def test_the_controller_knows_values_sizes_and_kind() -> None:
    times = np.arange(100) * 2
    timeline = Timeline.of(times, np.arange(100) % 2, np.full(100, 3.0))
    at_stake = stakes(timeline, Frames(10, 10), Measure("max", "max(v)", "v"))
    controller = Scripted(*[0] * 100)
    play(timeline, at_stake, TARGET, controller)
    last = controller.seen[-1]
    assert last.sums == ((2.0, 6.0, 18.0),)  # rows 196 and 198
    assert last.sizes is not None
    assert all(2.0 <= size <= 3.0 for size in last.sizes)
    params = quality_driven(timeline, at_stake, TARGET).params
    assert params.requirements[0].is_heuristic


def test_an_advice_names_the_same_slack_in_all_places() -> None:
    timeline, _ = staked([1, 12, 8, 24, 9, 40], Frames(10, 10))
    advice = advise(timeline, Frames(10, 10), COUNT, Target(0.01, 1.0))
    assert advice.smallest == 15
    assert advice.setting == 1_000
    assert advice.smallest in [line.largest for line in advice.curve]
    assert advice.chosen.quality.within == 1.0
    assert advice.to_json()["fixed"][0]["policy"] == "No-K"
