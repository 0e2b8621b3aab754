"""Recall-driven slack: from when results were complete to how long to wait."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest

from slackwater.disorder.finding import (
    FindingParams,
    FindingSeen,
    FindingState,
    Found,
    last_periods,
    settle,
    step,
)
from slackwater.stats.panes import PaneCount
from slackwater.units import SECOND

PARAMS = FindingParams(
    recall=0.9, over=20 * SECOND, windows=(5 * SECOND, 5 * SECOND), granularity=SECOND // 10
)


def second(number: int, late: dict[int, int], given: int, rows: int = 100) -> FindingSeen:
    """One second of stream: ``late`` has results by the tenths of a second they need."""
    clock = number * SECOND
    oldest = max(late, default=0) * SECOND // 10
    counts = (
        PaneCount(clock, True, rows - 1, clock, clock + SECOND - 1),
        PaneCount(clock - oldest, True, 1, clock - oldest, clock - oldest),
    )
    found = tuple(
        Found(clock - SECOND, needed, results, results if needed <= given else 0)
        for needed, results in late.items()
    )
    return FindingSeen(clock, clock + SECOND, (counts, counts), found)


def run(params: FindingParams, seconds: int, seed: int = 1) -> FindingState:
    """A tenth of the results needs up to a second, one in fifty up to eight."""
    draw = random.Random(seed)
    state = FindingState()
    for number in range(seconds):
        late = {0: 88, draw.randint(1, 10): 10, draw.randint(11, 80): 2}
        given = state.slack * 10 // SECOND
        state, _ = step(params, state, second(number, late, given))
    return state


@pytest.mark.spec("qddh:F087")
def test_the_slack_is_the_smallest_that_recent_periods_needed() -> None:
    mild, strict = (run(replace(PARAMS, recall=recall), 120) for recall in (0.9, 0.99))
    assert mild.phase == strict.phase == "calibrated"
    assert 0 < mild.slack <= SECOND
    assert SECOND < strict.slack <= 8 * SECOND
    assert mild.slack < mild.max_delay


def test_more_periods_that_may_fall_short_need_a_shorter_slack() -> None:
    sure, daring = (run(replace(PARAMS, recall=0.98, risk=risk), 160) for risk in (0.02, 0.5))
    assert daring.slack < sure.slack


def test_in_warm_up_the_slack_is_the_largest_delay_so_far() -> None:
    state, _ = step(PARAMS, FindingState(), second(100, {30: 1}, 0))
    assert state.phase == "warm-up"
    assert state.slack == state.max_delay == 3 * SECOND


@pytest.mark.spec("qddh:F084", "qddh:F088")
@pytest.mark.parametrize("method", ["model", "feedback"])
def test_the_other_methods_stay_within_the_largest_delay(method: str) -> None:
    state = run(replace(PARAMS, method=method), 120)  # type: ignore[arg-type]
    assert state.phase == method
    assert 0 <= state.slack <= state.max_delay + PARAMS.granularity


@pytest.mark.spec("qddh:F039", "qddh:F082")
def test_periods_are_measured_once_when_their_stragglers_are_in() -> None:
    state, seen = FindingState(), []
    for number in range(90):
        state, measured = step(PARAMS, state, second(number, {0: 9, 5: 1}, 3))
        seen += list(measured)
    starts = [start for start, _, _ in seen]
    assert starts == sorted(set(starts))
    assert all(results == 200 and given == 180 for _, results, given in seen[1:])
    left = last_periods(PARAMS, state, (), 90 * SECOND)
    assert [start for start, _, _ in left] == [p[0] for p in state.periods]
    assert settle(PARAMS, state, None) == (state, ())


def test_results_of_a_period_that_was_measured_do_not_open_it_again() -> None:
    state = replace(FindingState(), settled=40 * SECOND)
    state, _ = step(PARAMS, state, second(60, {0: 5}, 0))
    straggler = Found(10 * SECOND, 300, 7, 0)
    after, _ = step(PARAMS, state, replace(second(61, {0: 5}, 0), found=(straggler,)))
    assert all(start >= 40 * SECOND for start, _, _ in after.periods)


def test_limits_bound_the_slack_and_are_noticed() -> None:
    capped = run(replace(PARAMS, recall=0.99, at_most=SECOND // 2), 60)
    assert capped.slack == SECOND // 2
    assert capped.is_capped
    patient = run(replace(PARAMS, at_least=10 * SECOND), 60)
    assert patient.slack == 10 * SECOND
    assert not patient.is_capped


def test_a_state_reads_back_from_json() -> None:
    state = run(PARAMS, 40)
    assert FindingState.from_json(json.loads(json.dumps(state.to_json()))) == state


def test_missing_recall_makes_the_plan_stricter() -> None:
    state = run(PARAMS, 60)
    short = replace(state, periods=((0, 100, 10), (20 * SECOND, 100, 10)))
    after, measured = step(PARAMS, short, second(60, {0: 1}, 0))
    assert len(measured) >= 2
    assert after.margin < state.margin
