"""Windows that were answered are followed by their curves, before and after they are judged."""

from __future__ import annotations

import json

import numpy as np
import pytest
from msgspec import convert, to_builtins

from slackwater.disorder import answered
from slackwater.disorder.answered import Answer, Answered, Hindsight, Judgement


def past(*kept: list[float], mature: bool = True) -> Hindsight:
    """Windows that end at 10, 20, ... and what they keep under a slack of 0, 5 and 9 granules."""
    ends = np.arange(1, len(kept) + 1) * 10
    return Hindsight(ends, np.array([0, 5, 9]), np.array(kept), np.full(len(kept), mature))


TWO = past([0.0, 1.0, 1.0], [0.0, 0.0, 1.0])


def given(*answers: Answer, upto: int) -> Answered:
    return answered.answer(Answered(), answers, upto)


def test_an_answer_is_broken_by_the_rows_that_needed_more_than_it_waited() -> None:
    first = [Answer(10, waited) for waited in (0, 4, 5, 8, 9)]
    assert [broken for _, broken, _ in TWO.remembered(first)] == [1, 1, 0, 0, 0]
    second = [Answer(20, waited) for waited in (5, 8, 9)]
    assert [broken for _, broken, _ in TWO.remembered(second)] == [1, 1, 0]
    assert list(TWO.remembered([Answer(30, 9), Answer(5, 9)])) == []


def test_only_windows_up_to_the_watermark_are_answered_and_each_once() -> None:
    state = given(Answer(10, 6), Answer(20, 1), upto=15)
    assert [one.end for one in state.pending] == [10]
    state = answered.answer(state, [Answer(10, 9), Answer(20, 7)], 20)
    assert state.pending == (Answer(10, 6), Answer(20, 7))
    assert answered.answer(state, [Answer(30, 1)], None) == state


def test_what_has_failed_is_expected_at_once_and_of_the_rest_its_share() -> None:
    state = given(Answer(10, 6), Answer(20, 6), upto=20)
    assert answered.pending(state, TWO, 0.05) == (0, 1)
    fresh = past([0.0, 1.0, 1.0], [0.0, 0.0, 1.0], mature=False)
    assert answered.pending(state, fresh, 0.05) == (0.05, 1)


def test_judged_windows_cost_what_the_meter_says_in_windows() -> None:
    state = given(Answer(10, 6), Answer(20, 9), upto=20)
    after, judged, broken, since = answered.judge(state, TWO, Judgement(8, 2, 20))
    assert (judged, broken, since) == (2, 0.5, 0)  # four results are a window
    assert after.pending == ()
    assert after.results == 4


def test_a_row_that_comes_after_the_measurement_costs_what_it_breaks() -> None:
    state = given(Answer(10, 6), Answer(20, 9), upto=20)
    state, _, _, since = answered.judge(state, TWO, Judgement(2, 0, 20))
    assert since == 0
    one_more = past([0.0, 0.0, 1.0], [0.0, 0.0, 1.0])
    state, judged, broken, since = answered.judge(state, one_more, Judgement(settled=20))
    assert (judged, broken, since) == (0, 0, 1)
    assert answered.judge(state, one_more, Judgement(settled=20))[3] == 0  # only once


def test_what_is_not_remembered_is_not_followed() -> None:
    state = given(Answer(10, 6), Answer(20, 9), upto=20)
    state, *_ = answered.judge(state, past([0.0, 1.0, 1.0]), Judgement(2, 0, 20))
    assert [one.end for one in state.judged] == [10]


def test_the_state_is_plain() -> None:
    state, *_ = answered.judge(given(Answer(10, 6), upto=10), TWO, Judgement(2, 1, 10))
    assert convert(json.loads(json.dumps(to_builtins(state))), Answered) == state
    assert state.results == pytest.approx(2)
