from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.disorder.feedback import PDParams, PDState, slack_of, step

SHARE = st.floats(0, 1)


@pytest.mark.spec("qddh:F068")
def test_the_golden_step() -> None:
    after = step(PDParams(0.2, 4.0), PDState(alpha=0.1, error=0.01), setpoint=0.98, measured=0.96)
    assert after.alpha - 0.1 == pytest.approx(0.044)
    assert after.error == pytest.approx(0.02)


@pytest.mark.spec("qddh:F068")
def test_the_first_step_has_no_derivative() -> None:
    assert step(PDParams(0.2, 4.0), PDState(), 0.9, 0.8).alpha == pytest.approx(0.02)


@pytest.mark.spec("qddh:F068")
@given(st.lists(st.tuples(SHARE, SHARE), max_size=30), st.integers(0, 10**9))
def test_the_slack_never_leaves_the_range_of_delays_seen(
    measurements: list[tuple[float, float]], max_delay: int
) -> None:
    state = PDState()
    for setpoint, measured in measurements:
        state = step(PDParams(), state, setpoint, measured)
        assert 0 <= state.alpha <= 1
        assert 0 <= slack_of(state, max_delay) <= max_delay
