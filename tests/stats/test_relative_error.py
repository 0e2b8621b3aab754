from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.stats.relative_error import relative_error, relative_errors

NUMBERS = st.floats(allow_nan=True, allow_infinity=True) | st.none()


@pytest.mark.spec("qddh:F060")
def test_an_error_against_zero_is_none_or_infinite() -> None:
    assert relative_error(0.0, 0.0) == 0.0
    assert relative_error(0.0, 0.1) == math.inf


def test_the_truth_counts_by_its_size() -> None:
    assert relative_errors([-4.0, -4.0, 4.0], [-5.0, 4.0, -4.0]).tolist() == [0.25, 2.0, 2.0]


def test_what_was_never_given_is_wholly_wrong_even_if_there_was_nothing_to_say() -> None:
    assert relative_error(7.0, None) == relative_error(None, 7.0) == 1.0
    assert relative_error(None, None) == 0.0
    assert relative_error(None, None, is_given=False) == 1.0
    assert relative_error(0.0, 0.0, is_given=False) == 1.0


def test_nothing_finite_is_near_an_infinite_truth() -> None:
    truths, answers = [math.inf, math.inf, -math.inf], [math.inf, 1e300, math.inf]
    assert relative_errors(truths, answers).tolist() == [0.0, math.inf, math.inf]


@given(NUMBERS, NUMBERS)
def test_an_error_is_a_number_that_is_not_negative_and_zero_only_for_the_truth(
    truth: float | None, answer: float | None
) -> None:
    error = relative_error(truth, answer)
    assert error >= 0
    same = {None if v is None or math.isnan(v) else v for v in (truth, answer)}
    if len(same) == 1:
        assert error == 0
    elif error == 0:  # only a difference too small to be a number
        assert abs((truth or 0) - (answer or 0)) < 1e-16 * abs(truth or 0) + 1e-300
