"""Recall-driven slack: from when results were complete to how long to wait."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest
from msgspec import convert, to_builtins

from slackwater.disorder.periods import Found, Periods
from slackwater.disorder.recall_slack import (
    RecallSeen,
    RecallSlackParams,
    RecallSlackState,
    last_periods,
    step,
)
from slackwater.stats.panes import PaneCount
from slackwater.units import SECOND

PARAMS = RecallSlackParams(
    recall=0.9, over=20 * SECOND, windows=(5 * SECOND, 5 * SECOND), granularity=SECOND // 10
)


def second(number: int, late: dict[int, int], given: int, rows: int = 100) -> RecallSeen:
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
    return RecallSeen(clock, clock + SECOND, (counts, counts), found, spoken=clock + SECOND)


def fed(params: RecallSlackParams, state: RecallSlackState, seen: RecallSeen) -> RecallSlackState:
    return step(params, state, replace(seen, watermark=state.watermark))[0]


def run(params: RecallSlackParams, seconds: int, seed: int = 1) -> RecallSlackState:
    """A tenth of the results needs up to a second, one in fifty up to eight."""
    draw = random.Random(seed)
    state = RecallSlackState()
    for number in range(seconds):
        late = {0: 88, draw.randint(1, 10): 10, draw.randint(11, 80): 2}
        given = state.slack * 10 // SECOND
        state = fed(params, state, second(number, late, given))
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


def test_rare_delays_longer_than_all_that_is_remembered_do_not_blind_the_plan() -> None:
    state = RecallSlackState()
    for number in range(420):
        rare = {2500: 1} if number % 10 == 9 else {}
        late = {0: 88, number % 10 + 1: 10, **rare}
        state = fed(PARAMS, state, second(number, late, state.slack * 10 // SECOND))
    assert state.phase == "calibrated"
    assert state.slack <= 2 * SECOND


def ordered(seconds: int, delay: int = 30) -> list[RecallSlackState]:
    """A join that finds nothing before its watermark, which is at the beginning: never."""
    states = [RecallSlackState()]
    for number in range(100, 100 + seconds):
        empty = replace(second(number, {delay: 1}, 0), found=())
        states.append(fed(PARAMS, states[-1], empty))
    return states[1:]


def test_a_contract_begins_by_holding_and_then_waits_for_the_largest_delay() -> None:
    states = ordered(12)
    held = [state.phase == "holding" for state in states]
    assert held == [True] * 4 + [False] * 8  # since 97 s, delays of 3 s, known at 103 s
    assert all(state.is_endless and state.watermark is None for state in states[:4])
    assert all(state.phase == "warm-up" for state in states[4:])
    assert states[4].slack == states[4].max_delay == 3 * SECOND
    assert states[4].watermark == 102 * SECOND


def test_a_stream_whose_delays_are_as_long_as_itself_is_held_to_its_end() -> None:
    state = RecallSlackState()
    for number in range(60):
        state = fed(PARAMS, state, second(number, {10 * number: 5}, 0))
    assert state.is_endless
    assert state.watermark is None
    assert state.periods.settled is None


def test_at_most_bounds_a_hold_and_is_told_where_it_cuts_it() -> None:
    params, state = replace(PARAMS, at_most=5 * SECOND), RecallSlackState()
    for number in range(20):
        state = fed(params, state, second(number, {10 * number: 5}, 0))
    assert state.phase == "holding"
    assert state.watermark == 15 * SECOND
    assert state.is_capped


def test_after_a_silence_and_after_longer_delays_nothing_more_is_called_late() -> None:
    state = run(PARAMS, 60)
    leap = fed(PARAMS, state, replace(second(200, {0: 100}, 100), before=60 * SECOND))
    assert (leap.phase, leap.holding.reason) == ("holding", "silence")
    assert leap.watermark == state.watermark
    grown = state
    for number in range(60, 90):
        grown = fed(PARAMS, grown, second(number, {400: 100}, 0, rows=2))
        if grown.phase == "holding":
            break
    assert grown.holding.reason == "change"
    after = fed(PARAMS, grown, second(number + 1, {400: 100}, 0, rows=2))
    assert after.watermark == grown.watermark


def test_inputs_quiet_for_as_long_as_a_hold_lasted_are_answered() -> None:
    state = ordered(2)[-1]
    quiet = RecallSeen(102 * SECOND, 110 * SECOND, ((), ()), spoken=102 * SECOND)
    assert state.watermark is None
    assert fed(PARAMS, state, quiet).watermark == (97 + 8) * SECOND


@pytest.mark.spec("qddh:F084", "qddh:F088")
@pytest.mark.parametrize("method", ["model", "feedback"])
def test_the_other_methods_stay_within_the_largest_delay(method: str) -> None:
    state = run(replace(PARAMS, method=method), 120)  # type: ignore[arg-type]
    assert state.phase == method
    assert 0 <= state.slack <= state.max_delay + PARAMS.granularity


@pytest.mark.spec("qddh:F039", "qddh:F082")
def test_periods_are_measured_once_when_their_stragglers_are_in() -> None:
    state, seen = RecallSlackState(), []
    for number in range(90):
        batch = replace(second(number, {0: 9, 5: 1}, 3), watermark=state.watermark)
        state, judged = step(PARAMS, state, batch)
        assert judged.unseen == 0
        seen += list(judged.periods)
    starts = [start for start, _, _ in seen]
    assert starts == [number * SECOND for number in (-20, 0, 20, 40, 60)]
    assert all(results == 200 and given == 180 for _, results, given in seen[1:])
    left = last_periods(PARAMS, state, (), 90 * SECOND)
    assert [p[0] for p in left.periods] == [p[0] for p in state.periods.open]
    assert left.unseen == 0


def watched(late: int) -> RecallSlackState:
    """A join whose periods up to 60 s are judged, with rows ``late`` tenths late at most."""
    state = RecallSlackState()
    for number in range(70):
        state = fed(PARAMS, state, second(number, {0: 9, late: 1}, 100))
    assert state.periods.settled == 60 * SECOND
    return state


def straggling(state: RecallSlackState, *times: int) -> tuple[RecallSlackState, int]:
    rows = tuple(PaneCount(t * SECOND, True, 1, t * SECOND, t * SECOND) for t in times)
    seen = second(70, {0: 9}, 100)
    counts = ((*seen.counts[0], *rows), seen.counts[1])
    after, judged = step(PARAMS, state, replace(seen, counts=counts, watermark=state.watermark))
    return after, judged.unseen


def test_rows_too_late_to_be_counted_put_their_periods_in_doubt_once() -> None:
    state = watched(5)
    assert straggling(state, 69)[1] == 0
    after, unseen = straggling(state, 3, 11, 17)
    assert unseen == 2  # a row of 17 s may have partners until 22 s
    assert after.margin < state.margin
    assert straggling(after, 12)[1] == 0
    assert straggling(after, 45)[1] == 1


def test_a_row_lost_in_a_period_not_judged_yet_is_counted_when_it_is() -> None:
    state = watched(5)
    assert state.floor is not None
    after, unseen = straggling(state, 61)
    assert unseen == 0
    found = 0
    for number in range(71, 100):
        batch = replace(second(number, {0: 9, 5: 1}, 100), watermark=after.watermark)
        after, judged = step(PARAMS, after, batch)
        found += judged.unseen
        assert found == (after.periods.settled or 0) // (80 * SECOND)
    assert found == 1


def test_a_stray_is_in_doubt_when_its_time_comes_or_if_all_inputs_have_one_there() -> None:
    state, far = watched(5), PaneCount(700 * SECOND, True, 1, 700 * SECOND, 700 * SECOND)
    seen = replace(second(70, {0: 9}, 100), watermark=state.watermark)
    one, judged = step(PARAMS, state, replace(seen, strays=((far,), ())))
    assert judged.unseen == 0
    assert last_periods(PARAMS, one, (), 71 * SECOND).unseen == 0  # it never had a partner
    assert last_periods(PARAMS, one, (), 710 * SECOND).unseen == 1
    _, judged = step(PARAMS, one, replace(second(71, {}, 0), strays=((), (far,))))
    assert judged.unseen == 1
    _, judged = step(PARAMS, state, replace(seen, strays=((far,), (far,))))
    assert judged.unseen == 1


def test_limits_bound_the_slack_and_are_noticed() -> None:
    capped = run(replace(PARAMS, recall=0.99, at_most=SECOND // 2), 60)
    assert capped.slack == SECOND // 2
    assert capped.is_capped
    patient = run(replace(PARAMS, at_least=10 * SECOND), 60)
    assert patient.slack == 10 * SECOND
    assert not patient.is_capped


def test_a_state_reads_back_from_json() -> None:
    state = run(PARAMS, 40)
    assert convert(json.loads(json.dumps(to_builtins(state))), RecallSlackState) == state


def test_missing_recall_makes_the_plan_stricter() -> None:
    state = run(PARAMS, 60)
    short = Periods(((0, 100, 10), (20 * SECOND, 100, 10)))
    seen = replace(second(60, {0: 1}, 0), watermark=state.watermark)
    after, judged = step(PARAMS, replace(state, periods=short, floor=45 * SECOND), seen)
    assert len(judged.periods) == 2
    assert after.margin < state.margin
