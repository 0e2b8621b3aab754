from __future__ import annotations

import json

import numpy as np
import pytest

from slackwater.errors import CheckpointError, SlackwaterError
from slackwater.estimate.aggressiveness import (
    AggressivenessParams,
    AggressivenessState,
    set_manually,
    step,
)
from slackwater.estimate.running import Running

PARAMS = AggressivenessParams(target=95, margin=1, step=0.1, highest=0.5, start=0.3, fresh=4)
START = AggressivenessState.first(PARAMS)


def seen(*accuracies: float, before: Running | None = None) -> Running:
    return (before or Running()).add(np.array(accuracies), last=10, weight=0.1)


@pytest.mark.spec("prodding:F55")
@pytest.mark.parametrize(
    ("reached", "value"), [(97, 0.4), (96, 0.4), (95.9, 0.3), (94, 0.3), (93.9, 0.2)]
)
def test_prods_come_earlier_if_estimates_are_good_and_later_if_not(
    reached: float, value: float
) -> None:
    assert step(PARAMS, START, seen(*[reached] * 4)).value == pytest.approx(value)


@pytest.mark.spec("prodding:F55")
@pytest.mark.parametrize(("reached", "bound"), [(100, 0.5), (0, 0.0)])
def test_bounds_are_kept(reached: float, bound: float) -> None:
    state, known = START, Running()
    for _ in range(20):
        known = seen(*[reached] * 4, before=known)
        state = step(PARAMS, state, known)
        assert 0 <= state.value <= 0.5
    assert state.value == bound


@pytest.mark.spec("prodding:F55")
def test_no_evidence_is_used_twice() -> None:
    known = seen(*[99.0] * 4)
    once = step(PARAMS, START, known)
    assert step(PARAMS, once, known) == once
    almost = seen(*[10.0] * 3, before=known)
    assert step(PARAMS, once, almost) == once
    # by the mean of all eight the accuracy would still be near the target
    enough = seen(93.0, 93.0, 93.0, 93.0, before=known)
    assert enough.mean == 96
    assert step(PARAMS, once, enough).value == pytest.approx(0.3)


@pytest.mark.spec("prodding:F55")
def test_pairs_made_before_an_adjustment_do_not_judge_it() -> None:
    params = AggressivenessParams(95, step=0.1, start=0.3, fresh=2, skipped=3)
    known = seen(100.0, 100.0)
    state = step(params, START, known)
    assert state.value == pytest.approx(0.4)
    for old in (0.0, 0.0, 0.0):
        known = seen(old, before=known)
        state = step(params, state, known)
        assert state.value == pytest.approx(0.4)
    state = step(params, state, seen(100.0, 100.0, before=known))
    assert state.value == pytest.approx(0.5)


@pytest.mark.spec("prodding:F54")
def test_a_person_takes_over_and_hands_back() -> None:
    known = seen(*[10.0] * 4)
    held = set_manually(START, 0.45, known)
    bad = seen(*[10.0] * 40, before=known)
    assert step(PARAMS, held, bad).value == 0.45
    back = set_manually(held, None, bad)
    assert back.value == START.value
    assert step(PARAMS, back, bad) == back  # what was seen meanwhile is no evidence
    assert step(PARAMS, back, seen(*[99.0] * 4, before=bad)).value == pytest.approx(0.4)


def test_the_state_survives_json_and_another_version_is_refused() -> None:
    state = set_manually(step(PARAMS, START, seen(*[99.0] * 4)), 0.2, seen(1.0))
    form = json.loads(json.dumps(state.to_json()))
    assert AggressivenessState.from_json(form) == state
    with pytest.raises(CheckpointError, match="version 9"):
        AggressivenessState.from_json({**form, "version": 9})


def test_parameters_that_make_no_sense_are_refused() -> None:
    for wrong in ({"target": 101}, {"step": 0}, {"start": 2}, {"fresh": 0}):
        with pytest.raises(SlackwaterError, match="controller of aggressiveness"):
            AggressivenessParams(**{"target": 95, **wrong})  # type: ignore[arg-type]
