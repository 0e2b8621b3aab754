from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.disorder.recall import RecallModel, true_results
from slackwater.errors import SlackwaterError
from slackwater.papers.recall_ji2018.operators.productivity import Profile
from slackwater.stats.histogram import Counts, Shares

GOLDEN = np.array([6, 2, 1, 1])
ROWS = st.lists(st.integers(0, 20), min_size=1, max_size=12).map(np.array)


@st.composite
def cases(draw: st.DrawFn) -> tuple[RecallModel, list[Counts], list[float]]:
    streams = draw(st.integers(2, 4))
    windows = draw(st.lists(st.integers(1, 40), min_size=streams, max_size=streams))
    basic = draw(st.none() | st.integers(1, 45))
    model = RecallModel(tuple(windows), draw(st.integers(1, 5)), basic)
    rows = draw(st.lists(ROWS, min_size=streams, max_size=streams))
    leads = draw(st.lists(st.floats(0, 30), min_size=streams, max_size=streams))
    return model, rows, leads


RATIOS = st.none() | st.lists(st.floats(0, 2), min_size=1, max_size=8).map(np.array)


@pytest.mark.spec("qddh:F084")
def test_the_golden_recalls() -> None:
    model, delays = RecallModel((4, 4), 1), [GOLDEN, GOLDEN]
    golden = [0.495, 0.74, 0.8775, 1.0]
    assert [model.expected(delays, k) for k in range(4)] == pytest.approx(golden)
    assert model.curve(delays)[:4] == pytest.approx(golden)


@pytest.mark.spec("qddh:F085")
def test_the_golden_ratios_scale_the_recall() -> None:
    profile = Profile(((0, 600), (1, 200), (2, 200)), ((0, 60), (1, 30), (2, 10)))
    model, delays, ratios = RecallModel((4, 4), 1), [GOLDEN, GOLDEN], profile.ratios()
    assert ratios == pytest.approx([1, 1.125, 1])
    recalls = [model.expected(delays, k, ratios=ratios) for k in range(4)]
    assert recalls == pytest.approx([0.495, 0.74 * 1.125, 0.8775, 1.0])


@pytest.mark.spec("qddh:F084", "qddh:F085", "qddh:F087")
@given(cases(), RATIOS)
def test_the_curve_is_the_literal_formula_for_every_slack(
    case: tuple[RecallModel, list[Counts], list[float]], ratios: Shares | None
) -> None:
    model, delays, leads = case
    curve = model.curve(delays, leads, ratios)
    steps = range(curve.size)
    literal = [model.expected(delays, k * model.granularity, leads, ratios) for k in steps]
    assert curve == pytest.approx(literal, abs=1e-9)


@pytest.mark.spec("qddh:F087")
@given(cases(), RATIOS, st.floats(0, 1))
def test_the_vectorised_search_finds_what_trial_finds(
    case: tuple[RecallModel, list[Counts], list[float]], ratios: Shares | None, required: float
) -> None:
    model, delays, leads = case
    found = model.smallest(delays, required, leads, ratios)
    assert found == model.smallest_literal(delays, required, leads, ratios)


@pytest.mark.spec("qddh:F084")
@given(cases())
def test_equal_selectivity_gives_a_share_that_never_falls_and_ends_at_one(
    case: tuple[RecallModel, list[Counts], list[float]],
) -> None:
    model, delays, leads = case
    curve = model.curve(delays, leads)
    assert all(-1e-12 <= recall <= 1 + 1e-12 for recall in curve)
    assert all(after >= before - 1e-12 for before, after in pairwise(curve))
    assert curve[-2:] == pytest.approx([1.0, 1.0])


@pytest.mark.spec("qddh:F084")
def test_a_stream_that_leads_needs_less_slack() -> None:
    model, delays = RecallModel((4, 4), 1), [GOLDEN, GOLDEN]
    assert model.expected(delays, 0, [3.9, 3.9]) == pytest.approx(model.expected(delays, 3))
    assert model.smallest(delays, 0.9, [2.0, 0.0]) < model.smallest(delays, 0.9)


@pytest.mark.spec("qddh:F087")
def test_the_first_sufficient_slack_is_taken_where_recall_falls_again() -> None:
    model, delays = RecallModel((4, 4), 1), [GOLDEN, GOLDEN]
    ratios = np.array([1.0, 1.3, 0.5, 1.0])
    assert model.smallest(delays, 0.9, ratios=ratios) == 1
    assert model.smallest(delays, 0.99, ratios=ratios) == 3
    assert model.smallest(delays, 2.0) == model.smallest_literal(delays, 2.0) == 4


@pytest.mark.spec("qddh:F084")
def test_the_rates_and_the_interval_cancel() -> None:
    rates, windows = [0.3, 0.2, 0.1], (4, 6, 8)
    true = true_results(0.05, rates, windows, span=100)
    assert true == pytest.approx(0.05 * 0.006 * 100 * (48 + 32 + 24))
    delays = [GOLDEN] * 3
    model = RecallModel(windows, 1)
    in_order = 0.6
    covered = [w * model._coverages()[n].expected_of(GOLDEN, 0) for n, w in enumerate(windows)]
    produced = true_results(0.05, rates, covered, span=100) * in_order
    assert model.expected(delays, 0) == pytest.approx(produced / true)


def test_one_stream_is_no_join() -> None:
    with pytest.raises(SlackwaterError, match="two streams"):
        RecallModel((5,), 1)
    with pytest.raises(SlackwaterError, match="granularity 0"):
        RecallModel((5, 5), 0)
