"""When delays are known well enough: no Spark, one glimpse per batch."""

from __future__ import annotations

import json
from dataclasses import replace

from msgspec import convert, to_builtins

from slackwater.disorder.holding import Glimpse, HoldingParams, HoldingState, update
from slackwater.stats.histogram import DelayHistogram
from slackwater.units import SECOND

PARAMS = HoldingParams(factor=2.0, batches=3)
BEGIN = HoldingState()


def follow(
    delays: list[int], state: HoldingState = BEGIN, *, start: int = 0, stride: int = 10
) -> list[HoldingState]:
    """States after batches of 10 s; in each a row is so many seconds late."""
    found = []
    before: int | None = None if state is BEGIN else start * SECOND
    for number, delay in enumerate(delays):
        after = (start + (number + 1) * stride) * SECOND
        late = DelayHistogram.of({0: 100, delay: 1})
        low = max(0, (before or 0) - delay * SECOND)
        state = update(PARAMS, state, Glimpse(before, after, low, late, SECOND))
        found.append(state)
        before = after
    return found


def known(states: list[HoldingState]) -> list[bool]:
    return [state.is_known for state in states]


def test_an_orderly_stream_is_known_after_a_few_batches() -> None:
    assert known(follow([0] * 6)) == [False, False, False, True, True, True]


def test_a_stream_is_held_until_it_is_twice_as_long_as_its_delays() -> None:
    assert known(follow([29] * 9)) == [False] * 6 + [True] * 3


def test_a_stream_whose_delays_are_as_long_as_itself_is_held_to_its_end() -> None:
    assert not any(known(follow([10 * number for number in range(200)])))


def test_one_row_that_was_lost_for_long_does_not_hold_many_others() -> None:
    state = HoldingState()
    for number in range(12):
        late = DelayHistogram.of({1: 1000, 900 if number == 5 else 1: 1})
        at = (1000 + 10 * number) * SECOND
        state = update(PARAMS, state, Glimpse(at, at + 10 * SECOND, at, late, SECOND))
    assert state.is_known


def test_least_bounds_the_hold_at_the_start_only() -> None:
    params = replace(PARAMS, least=100 * SECOND)
    state, before = HoldingState(), None
    for number in range(1, 30):
        after = 10 * number * SECOND
        state = update(params, state, Glimpse(before, after, 0, DelayHistogram(), SECOND))
        assert state.is_known == (number > 10)
        before = after


def test_a_leap_of_the_clock_is_held_for_rows_of_the_silent_time() -> None:
    steady = follow([1] * 10)[-1]
    leap = update(PARAMS, steady, Glimpse(100 * SECOND, 600 * SECOND, 0, DelayHistogram(), SECOND))
    assert (leap.is_known, leap.reason) == (False, "silence")
    calm = follow([1] * 4, leap, start=600)
    assert known(calm) == [False, False, True, True]
    backlog = follow([400, *[1] * 100], leap, start=600)
    assert known(backlog).index(True) * 10 >= 2 * 400


def test_what_the_clock_usually_does_is_no_silence() -> None:
    steady = follow([1] * 10)[-1]
    assert all(known(follow([1] * 5, steady, start=100, stride=35)))


def test_a_change_is_held_until_the_new_delays_are_known() -> None:
    steady = follow([1] * 10)[-1]
    change = Glimpse(
        100 * SECOND,
        110 * SECOND,
        0,
        DelayHistogram.of({40: 5}),
        SECOND,
        changed=90 * SECOND,
        anew=DelayHistogram.of({40: 5}),
    )
    state = update(PARAMS, steady, change)
    assert (state.is_known, state.reason) == (False, "change")
    after = follow([40] * 12, state, start=110)
    assert known(after).index(True) == 7  # 80 s after the change, seen by a batch


def test_the_state_goes_through_json() -> None:
    state = follow([3, 7])[-1]
    assert convert(json.loads(json.dumps(to_builtins(state))), HoldingState) == state
