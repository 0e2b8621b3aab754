from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from slackwater.disorder.feedback import PDParams
from slackwater.disorder.recall import RecallModel
from slackwater.errors import CheckpointError
from slackwater.papers.recall_ji2018.operators.join_slack import (
    JoinSeen,
    Method,
    RecallAdaptation,
    RecallParams,
    RecallState,
)
from slackwater.papers.recall_ji2018.operators.productivity import Profile
from slackwater.papers.recall_ji2018.operators.requirement import RecallRequirement

MODEL = RecallModel((4, 4), granularity=1)
SEEN = JoinSeen((np.array([6, 2, 1, 1]),) * 2, (0.0, 0.0), max_delay=3)
ASKED = RecallParams(RecallRequirement(0.8), selectivity="eq", period=30, interval=10)
TEN = Profile(((0, 100),), ((0, 10),))
NOTHING = Profile((), ())


def unit_of(params: RecallParams, state: RecallState | None = None) -> RecallAdaptation:
    return RecallAdaptation.start(params, MODEL, state)


@pytest.mark.spec("qddh:F086", "qddh:F087")
def test_the_slack_makes_up_for_what_the_period_lacks() -> None:
    unit = unit_of(ASKED)
    unit.sizes.update(5)  # of 10: three too few, so the next interval needs 1.1 of its results
    assert unit.step(TEN, SEEN) == 3
    assert unit.required == 1.0
    unit.sizes.update(10)
    unit.step(TEN, SEEN)
    assert unit.required == pytest.approx(0.9)  # 15 of 20 in two intervals, 24 of 30 in three
    unit.sizes.update(10)
    assert unit.step(TEN, SEEN) == 0
    assert unit.required == pytest.approx(0.4)  # 20 of 20 before it


@pytest.mark.spec("qddh:F084", "qddh:F085")
def test_where_late_tuples_are_more_productive_more_slack_is_needed() -> None:
    productive = Profile(((0, 600), (3, 400)), ((0, 30), (3, 70)))
    off = replace(ASKED, requirement=RecallRequirement(0.8, "off"))
    assert unit_of(off).step(productive, SEEN) == 2
    assert unit_of(replace(off, selectivity="noneq")).step(productive, SEEN) == 3


@pytest.mark.spec("qddh:F085")
@pytest.mark.parametrize("method", ["am", "pd"])
def test_an_interval_without_results_keeps_the_slack(method: Method) -> None:
    unit = unit_of(replace(ASKED, method=method, selectivity="noneq"))
    assert unit.step(NOTHING, SEEN) is None
    assert unit.sizes.true() == 0


@pytest.mark.spec("qddh:F088")
def test_feedback_follows_the_recall_of_the_period() -> None:
    unit = unit_of(replace(ASKED, method="pd", gains=PDParams(1.0, 0.0)))
    unit.sizes.update(5)
    assert unit.step(TEN, replace(SEEN, max_delay=1000)) == 300
    unit.sizes.update(10)
    assert unit.step(TEN, replace(SEEN, max_delay=1000)) == 350


@pytest.mark.spec("qddh:F087")
def test_the_slack_never_exceeds_its_bound() -> None:
    assert unit_of(replace(ASKED, at_most=1)).step(TEN, SEEN) == 1


@pytest.mark.spec("qddh:F087")
def test_the_search_by_trial_decides_the_same() -> None:
    for recall in (0.3, 0.6, 0.9, 1.0):
        asked = replace(ASKED, requirement=RecallRequirement(recall, "off"))
        literal = replace(asked, is_literal=True)
        assert unit_of(asked).step(TEN, SEEN) == unit_of(literal).step(TEN, SEEN)


@pytest.mark.parametrize("method", ["am", "pd"])
def test_a_unit_continues_from_state_saved_as_json(method: Method) -> None:
    steady = unit_of(replace(ASKED, method=method))
    steady.sizes.update(6)
    steady.step(TEN, SEEN)
    saved = json.loads(json.dumps(steady.snapshot().to_json()))
    resumed = unit_of(replace(ASKED, method=method), RecallState.from_json(saved))
    for unit in (steady, resumed):
        unit.sizes.update(9)
    assert resumed.step(TEN, SEEN) == steady.step(TEN, SEEN)
    assert resumed.snapshot() == steady.snapshot()


def test_saved_state_of_an_unknown_version_is_refused() -> None:
    with pytest.raises(CheckpointError, match="version 99"):
        unit_of(ASKED, RecallState(version=99))
