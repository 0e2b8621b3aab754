from __future__ import annotations

import pytest

from slackwater.papers.slack_ji2018.operators.calibration import (
    CalibrationParams,
    CalibrationState,
    promise,
    settle,
)

HALF = CalibrationParams(0.5)


@pytest.mark.spec("qddh:F067")
def test_the_error_is_a_running_mean_of_measured_minus_estimated() -> None:
    state = CalibrationState()
    for end, measured in ((10, 0.96), (20, 0.94)):
        state = settle(HALF, promise(state, end, 0.98), end, measured)
    assert state.error == pytest.approx(0.5 * -0.01 + 0.5 * -0.04)
    assert state.estimates == ()


@pytest.mark.spec("qddh:F067")
def test_a_window_counts_once_and_older_ones_are_forgotten() -> None:
    state = promise(promise(promise(CalibrationState(), 10, 0.9), 20, 0.9), 30, 0.9)
    once = settle(HALF, state, 20, 0.8)
    assert once.estimates == ((30, 0.9),)
    assert settle(HALF, once, 20, 0.1) == once


@pytest.mark.spec("qddh:F067")
def test_the_correction_stays_within_one() -> None:
    state = settle(CalibrationParams(1.0), promise(CalibrationState(), 1, 9.0), 1, 0.0)
    assert state.error == -1.0
