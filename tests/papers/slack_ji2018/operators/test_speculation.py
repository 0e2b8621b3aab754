"""Answers that are given early and taken back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from slackwater.disorder.coverage import CoverageModel
from slackwater.disorder.speculation import bounded, is_good_enough
from slackwater.disorder.threshold import Requirement
from slackwater.papers.slack_ji2018.operators.oracle import exact_results
from slackwater.papers.slack_ji2018.operators.speculation import (
    Answer,
    SpeculationParams,
    SpeculativeSWA,
)
from slackwater.papers.slack_ji2018.operators.swa import SWAParams
from slackwater.papers.slack_ji2018.workload import SET_2
from slackwater.papers.stream.monoids import SUM
from slackwater.papers.stream.soccer import generate
from slackwater.papers.stream.windows import TimeWindow
from slackwater.stats.arrival import Arrival, arrivals_with
from slackwater.units import MILLISECOND, SECOND

QUERY = SWAParams(TimeWindow(SECOND // 2, SECOND // 2), SUM)
ASKED = SpeculationParams(Requirement("sum", 0.005), at_most=50 * MILLISECOND)


@pytest.fixture(scope="module")
def stream() -> list[Arrival[float]]:
    known = generate(replace(SET_2.shortened(0.02), spike_share=0.1))
    return arrivals_with(known.ts.tolist(), known.values.round(2).tolist())


def answers(params: SpeculationParams, stream: list[Arrival[float]]) -> list[Answer]:
    swa = SpeculativeSWA(params, QUERY)
    return [answer for arrival in stream for answer in swa.update(arrival)] + swa.finish()


@pytest.mark.spec("qddh:F142")
def test_with_a_bound_on_the_slack_what_is_later_is_revised(stream: list[Arrival[float]]) -> None:
    free = replace(ASKED, stops=False)
    found = answers(free, stream)
    true = {result.end: result.value for result in exact_results(QUERY, stream)}
    last = {answer.end: answer.value for answer in found}
    assert last == pytest.approx(true)  # nothing is lost, however late
    first = [answer.emitted_at - answer.end for answer in found if answer.revision == 0]
    patient = answers(replace(free, at_most=60 * SECOND), stream)
    waits = [answer.emitted_at - answer.end for answer in patient if answer.revision == 0]
    assert np.mean(first[:-1]) < np.mean(waits[:-1])
    assert max(first[20:-1]) < 200 * MILLISECOND  # K_ub and the gap to the next row
    revised = sum(answer.revision > 0 for answer in found)
    assert revised > sum(answer.revision > 0 for answer in patient)


@pytest.mark.spec("qddh:F142")
def test_every_revision_retracts_the_value_before(stream: list[Arrival[float]]) -> None:
    standing: dict[int, float] = {}
    for answer in answers(replace(ASKED, stops=False), stream):
        assert answer.retracted == standing.get(answer.end)
        assert (answer.revision == 0) == (answer.end not in standing)
        standing[answer.end] = answer.value


@pytest.mark.spec("qddh:F141")
def test_revisions_end_when_they_are_good_enough(stream: list[Arrival[float]]) -> None:
    every, some = (answers(replace(ASKED, stops=stops), stream) for stops in (False, True))
    assert len(some) < len(every)
    true = {result.end: result.value for result in exact_results(QUERY, stream)}
    last = {answer.end: answer.value for answer in some}
    first = {answer.end: answer.value for answer in some if answer.revision == 0}

    def kept(given: dict[int, float]) -> float:
        errors = [abs(given[end] - value) / value for end, value in true.items()]
        return float(np.mean([error <= ASKED.requirement.epsilon for error in errors]))

    assert kept(last) >= 0.95
    assert kept(last) > kept(first)
    loose = replace(ASKED, requirement=Requirement("sum", 0.05))
    assert len(answers(loose, stream)) < len(some)


@pytest.mark.spec("qddh:F141")
def test_an_answer_is_good_enough_when_as_much_slack_would_have_been() -> None:
    model, delays = CoverageModel(4, granularity=1), np.array([6, 2, 1, 1])
    for threshold in (0.8, 0.9, 0.95, 1.0):
        least = model.smallest_of(delays, threshold)
        assert is_good_enough(model, delays, least, threshold)
        assert least == 0 or not is_good_enough(model, delays, least - 1, threshold)
    assert (bounded(9, 5), bounded(4, 5), bounded(9, None)) == (5, 4, 9)


def test_windows_are_forgotten_after_a_while() -> None:
    swa = SpeculativeSWA(replace(ASKED, keep=SECOND), QUERY)
    for number in range(40):
        swa.update(Arrival("s", number, number * SECOND // 4, 1.0))
    assert len(swa._windows) < 8
