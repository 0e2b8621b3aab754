from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.disorder.feedback import PDParams, PDState, slack_of, step
from slackwater.errors import SlackwaterError
from slackwater.papers.recall_ji2018.operators.requirement import (
    Calibration,
    RecallRequirement,
    ResultCounts,
    estimated_recall,
    instant_requirement,
)

SIZES = st.floats(0, 1e6)


@pytest.mark.spec("qddh:F086")
@pytest.mark.parametrize(("produced", "needed"), [(5640, 0.6), (5580, 1.0), (5720, 0.0)])
def test_the_golden_requirements_are_clamped_between_nothing_and_everything(
    produced: int, needed: float
) -> None:
    results = ResultCounts(produced, true_before=5900, true_next=100)
    assert instant_requirement(RecallRequirement(0.95), results) == pytest.approx(needed)


@pytest.mark.spec("qddh:F086")
def test_without_calibration_the_past_does_not_matter() -> None:
    asked = RecallRequirement(0.95, "off")
    assert instant_requirement(asked, ResultCounts(0, 5900, 0)) == 0.95


@pytest.mark.spec("qddh:F086", "qddh:F143")
def test_a_damped_requirement_repays_a_shortfall_over_several_intervals() -> None:
    short = ResultCounts(5600, 5900, 100)  # 5 results too few
    assert instant_requirement(RecallRequirement(0.95), short) == pytest.approx(1.0)
    damped = RecallRequirement(0.95, "damped", spread=5)
    assert instant_requirement(damped, short) == pytest.approx(0.95 + 0.05 / 5)
    assert instant_requirement(RecallRequirement(0.95, "damped", spread=1), short) == 1.0


@pytest.mark.spec("qddh:F086")
@given(st.floats(0.01, 1), SIZES, SIZES, st.floats(1e-3, 1e6))
def test_reaching_the_instant_requirement_reaches_the_one_over_the_period(
    recall: float, produced: float, true: float, true_next: float
) -> None:
    results = ResultCounts(min(produced, true), true, true_next)
    needed = instant_requirement(RecallRequirement(recall), results)
    assert needed is not None
    assert 0 <= needed <= 1
    reached = results.produced_before + needed * true_next
    asked = recall * (true + true_next)
    assert reached >= asked - 1e-6 * asked or needed == 1.0


@pytest.mark.spec("qddh:F086")
@pytest.mark.parametrize("calibration", ["literal", "damped"])
def test_nothing_is_known_of_an_interval_without_results(calibration: Calibration) -> None:
    asked = RecallRequirement(0.95, calibration)
    assert instant_requirement(asked, ResultCounts(5, 10, 0)) is None


@pytest.mark.spec("qddh:F088")
def test_feedback_raises_the_slack_while_the_estimated_recall_is_too_low() -> None:
    gains, state = PDParams(0.6, 0.8), PDState()
    slacks = []
    for produced in (90, 92, 96, 99):
        recall = estimated_recall(produced, 100)
        assert recall is not None
        state = step(gains, state, setpoint=0.95, measured=recall)
        slacks.append(slack_of(state, max_delay=10_000))
    assert slacks[0] == round(0.6 * 0.05 * 10_000)
    assert slacks[1] == round((0.03 + 0.6 * 0.03 - 0.8 * 0.02) * 10_000)
    assert slacks[3] < slacks[1]
    assert estimated_recall(5, 0) is None


@pytest.mark.parametrize(("recall", "spread"), [(0, 1), (1.1, 1), (0.9, 0)])
def test_a_recall_that_is_no_share_is_refused(recall: float, spread: int) -> None:
    with pytest.raises(SlackwaterError, match="recall requirement"):
        RecallRequirement(recall, spread=spread)
