"""The controller on simulated streams: no Spark, the clock moves once per batch."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pytest
from msgspec import convert, to_builtins

from slackwater.disorder.error_slack import (
    ErrorSeen,
    ErrorSlackParams,
    ErrorSlackState,
    settled,
    step,
    unseen,
)
from slackwater.disorder.threshold import Requirement
from slackwater.query.contract import Method
from slackwater.stats.histogram import DelayHistogram
from slackwater.stats.panes import PaneCount
from slackwater.units import SECOND

Array = npt.NDArray[np.float64]
PARAMS = ErrorSlackParams(10 * SECOND, 10 * SECOND, (Requirement("count", 0.02),), 100_000)


def batches(delays: Array, *, rate: int = 50, span: float = 2.0) -> Iterator[list[int]]:
    """Event times of each batch of a stream whose n-th row arrives ``delays[n]`` late."""
    sent = np.arange(delays.size) / rate
    order = np.argsort(sent + delays, kind="stable")
    arrival = (sent + delays)[order]
    cuts = np.searchsorted(arrival, np.arange(span, arrival[-1], span))
    for part in np.split(sent[order], cuts):
        if part.size:
            yield [int(t * SECOND) for t in part]


@dataclass
class Driven:
    """A controller fed with batches, and what came of its windows."""

    params: ErrorSlackParams
    state: ErrorSlackState
    clock: int | None = None
    watermark: int = -1

    def feed(self, times: list[int]) -> None:
        panes: dict[int, list[int]] = {}
        for at in times:
            panes.setdefault(at - at % self.params.slide, []).append(at)
        counts = tuple(PaneCount(p, True, len(t), min(t), max(t)) for p, t in panes.items())
        before = self.clock
        self.clock = max(times) if before is None else max(before, *times)
        mark = None if self.watermark < 0 else self.watermark
        seen = ErrorSeen(before, self.clock, counts, watermark=mark)
        self.state = step(self.params, self.state, seen)
        if not self.state.is_endless:
            self.watermark = max(self.watermark, self.clock - self.state.slack)


def drive(
    delays: Array, params: ErrorSlackParams = PARAMS
) -> tuple[list[int], dict[int, list[int]]]:
    """The slack after each batch that is not held; received and missing rows of each window."""
    driven = Driven(params, ErrorSlackState())
    path: list[int] = []
    windows: dict[int, list[int]] = {}
    for times in batches(delays):
        late = driven.watermark
        for at in times:
            end = at - at % params.slide + params.slide
            windows.setdefault(end, [0, 0])[end <= late] += 1
        driven.feed(times)
        if not driven.state.is_endless:
            path.append(driven.state.slack)
    return path, windows


def fulfilment(windows: dict[int, list[int]], after: int, bound: float = 0.02) -> float:
    judged = [w for end, w in windows.items() if end > after * SECOND]
    return sum(missing <= bound * (received + missing) for received, missing in judged) / len(
        judged
    )


def late(share: float, mean: float, rows: int, seed: int = 1) -> Array:
    draws = np.random.default_rng(seed)
    return np.where(draws.random(rows) < share, draws.exponential(mean, rows), 0.0)


@pytest.mark.spec("qddh:F060")
@pytest.mark.parametrize("method", ["calibrated", "model"])
def test_the_promise_is_kept_with_far_less_than_the_largest_delay(method: Method) -> None:
    delays = late(0.3, 4.0, 60_000)
    path, windows = drive(delays, replace(PARAMS, method=method))
    assert fulfilment(windows, after=200) >= 0.95
    assert np.mean(path[len(path) // 4 :]) < 0.5 * delays.max() * SECOND


@pytest.mark.spec("qddh:F063")
def test_in_warm_up_the_slack_is_the_largest_delay_so_far() -> None:
    driven = Driven(PARAMS, ErrorSlackState())
    longest, phases = 0, []
    for times in list(batches(late(0.3, 4.0, 3000)))[:40]:
        if driven.clock is not None:
            longest = max(longest, driven.clock - min(times))
        driven.feed(times)
        phases.append(driven.state.phase)
        assert driven.state.slack >= longest or driven.state.is_endless
    assert sorted({*phases}, key=phases.index) == ["holding", "warm-up"]


def test_the_promise_is_kept_from_the_first_result_on() -> None:
    """Most of the rows come late from the very first batch on."""
    first: dict[int, list[int]] = {}
    for seed in range(1, 4):
        _, windows = drive(late(0.7, 20.0, 10_000, seed=seed))
        first |= {end + seed: w for end, w in windows.items() if end <= 100 * SECOND}
    assert fulfilment(first, after=0) >= 0.95


def test_a_stream_whose_delays_are_as_long_as_itself_is_never_answered_before_its_end() -> None:
    draws = np.random.default_rng(5)
    _, windows = drive(draws.uniform(0, 200, 10_000))
    assert all(missing == 0 for _, missing in windows.values())


def test_at_most_bounds_the_hold_and_that_is_told() -> None:
    draws = np.random.default_rng(5)
    driven = Driven(replace(PARAMS, at_most=30 * SECOND), ErrorSlackState())
    for times in list(batches(draws.uniform(0, 200, 10_000)))[:50]:
        driven.feed(times)
        assert (driven.state.phase, driven.state.slack) == ("holding", 30 * SECOND)
        assert not driven.state.is_endless
    assert driven.state.is_capped


def test_rows_of_a_silent_time_that_come_after_it_are_waited_for() -> None:
    """A link was down for five minutes; its rows come after those that are newer."""
    sent = np.arange(20_000) / 50
    delays = late(0.2, 0.5, sent.size)
    is_cut = (sent > 200) & (sent < 260)
    draws = np.random.default_rng(3)
    arrival = np.where(is_cut, 261 + draws.uniform(0, 6, sent.size), sent + delays)
    later = sent > 260
    arrival = np.where(later, sent + delays, arrival)
    _, windows = drive(arrival - sent)
    assert fulfilment(windows, after=0) >= 0.95


def test_after_a_sudden_shift_the_promise_is_kept_again_within_a_few_windows() -> None:
    delays = np.concatenate([late(0.2, 0.5, 50_000), late(0.4, 6.0, 50_000, seed=2)])
    path, windows = drive(delays)
    assert fulfilment(windows, after=1000 + 150) >= 0.95
    before, after = path[len(path) // 2 - 20], path[-20]
    assert after > 3 * max(before, SECOND)


def test_when_delays_shrink_the_slack_follows() -> None:
    delays = np.concatenate([late(0.4, 8.0, 40_000), late(0.2, 0.2, 60_000, seed=2)])
    path, _ = drive(delays)
    assert np.mean(path[-100:]) < 0.4 * np.mean(path[300:380])


def test_an_ordered_stream_waits_for_nothing() -> None:
    path, windows = drive(np.zeros(20_000))
    assert set(path[5:]) == {0}
    assert fulfilment(windows, after=0) == 1.0


@pytest.mark.spec("qddh:F068")
def test_feedback_keeps_the_slack_within_the_delays_seen() -> None:
    delays = late(0.3, 4.0, 30_000)
    path, _ = drive(delays, replace(PARAMS, method="feedback"))
    assert max(path) <= delays.max() * SECOND + 2 * SECOND + PARAMS.granularity


def test_limits_are_kept_and_told() -> None:
    params = replace(PARAMS, at_least=SECOND, at_most=2 * SECOND)
    driven = Driven(params, ErrorSlackState())
    capped = False
    for times in batches(late(0.5, 6.0, 20_000)):
        driven.feed(times)
        assert SECOND <= driven.state.slack <= 2 * SECOND
        capped = capped or driven.state.is_capped
    assert capped


def test_results_that_break_the_bound_make_the_plan_stricter() -> None:
    state = ErrorSlackState(margin=0.5)
    seen = ErrorSeen(None, None, (), measured=10, within=7)
    stricter = step(PARAMS, state, seen)
    assert stricter.margin < 0.5
    kinder = step(PARAMS, replace(state, margin=0.2), replace(seen, within=10))
    assert 0.2 < kinder.margin <= 0.5


def test_rows_that_come_after_their_window_was_measured_are_doubt_about_it() -> None:
    counts = [
        PaneCount(0, True, 3, 0, 1),
        PaneCount(20 * SECOND, True, 2, 20 * SECOND, 20 * SECOND),
        PaneCount(10**15, True, 1, 10**15, 10**15),
    ]
    assert unseen(PARAMS, counts, None, None) == 0
    assert unseen(PARAMS, counts, 10 * SECOND, None) == 1  # a window has one result
    grouped = replace(PARAMS, is_grouped=True)
    assert unseen(grouped, counts, 10 * SECOND, None) == 3  # each row may be of another key
    assert unseen(grouped, counts, 30 * SECOND, 10**14) == 3 + 2 + 1
    sliding = replace(grouped, slide=5 * SECOND)
    assert unseen(sliding, counts[:1], 10 * SECOND, None) == 3 * 2


def test_doubt_makes_the_plan_stricter_as_broken_results_do() -> None:
    state = step(PARAMS, ErrorSlackState(margin=0.5), ErrorSeen(None, None, (), unseen=3))
    assert (state.margin, state.doubt) == (0.5, 3)
    seen = ErrorSeen(None, None, (), measured=10, within=10)
    doubted = step(PARAMS, state, seen)
    assert (
        doubted.margin == step(PARAMS, ErrorSlackState(margin=0.5), replace(seen, within=7)).margin
    )
    assert doubted.doubt == 0


def test_a_window_is_measured_once_the_largest_delay_has_passed() -> None:
    late_rows = DelayHistogram.of({1: 10_000, 100: 1})
    state = ErrorSlackState(late=late_rows, max_delay=700_000)
    assert settled(PARAMS, state, None, 50 * SECOND, 50 * SECOND) == 50 * SECOND - 875_000
    lost = replace(state, max_delay=40 * SECOND)  # one row that was lost for long
    assert settled(PARAMS, lost, None, 50 * SECOND, 50 * SECOND) == 49 * SECOND


def test_the_strictest_of_several_bounds_decides() -> None:
    both = (Requirement("count", 0.2), Requirement("count", 0.01))
    path, _ = drive(late(0.3, 4.0, 30_000), replace(PARAMS, requirements=both))
    alone, _ = drive(late(0.3, 4.0, 30_000), replace(PARAMS, requirements=both[1:]))
    assert path == alone


def test_a_silent_source_that_returns_does_not_upset_the_controller() -> None:
    driven = Driven(PARAMS, ErrorSlackState())
    parts = list(batches(late(0.3, 2.0, 30_000)))
    for number, times in enumerate(parts):
        shift = 3600 * SECOND if number > len(parts) // 2 else 0
        driven.feed([at + shift for at in times])
        if number == len(parts) // 2 + 20:
            assert driven.state.slack <= 60 * SECOND
    assert driven.state.slack <= 60 * SECOND


def test_state_goes_through_json_and_goes_on_as_if_nothing_had_happened() -> None:
    parts = list(batches(late(0.3, 3.0, 8_000)))
    whole, cut = Driven(PARAMS, ErrorSlackState()), Driven(PARAMS, ErrorSlackState())
    for times in parts:
        whole.feed(times)
        cut.feed(times)
        cut.state = convert(json.loads(json.dumps(to_builtins(cut.state))), ErrorSlackState)
    assert cut.state == whole.state


def test_a_query_that_has_seen_nothing_begins_with_an_even_account() -> None:
    params = replace(PARAMS, method="conformal")
    state = step(params, ErrorSlackState(), ErrorSeen(None, None, ()))
    assert state.phase == "holding"
    assert (state.conformal.credit, state.answered.pending) == (0, ())


@pytest.mark.parametrize("mean", [1.0, 4.0])
def test_a_failed_window_costs_before_it_is_judged(mean: float) -> None:
    """Nothing is ever measured here: what is expected falls by the windows that have failed."""
    params = replace(PARAMS, method="conformal", at_most=SECOND)  # far too short for a mean of 4 s
    driven = Driven(params, ErrorSlackState())
    for times in batches(late(0.3, mean, 20_000)):
        driven.feed(times)
    assert driven.state.conformal.credit == 0
    assert (driven.state.conformal.expected < -10) == (mean > 1)
