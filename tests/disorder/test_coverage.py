from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.disorder.coverage import CoverageModel
from slackwater.errors import SlackwaterError
from slackwater.stats.histogram import DelayHistogram

HISTOGRAMS = st.dictionaries(st.integers(0, 40), st.integers(1, 50), max_size=12).map(
    DelayHistogram.of
)
MODELS = st.builds(
    CoverageModel, st.integers(1, 60), st.integers(1, 7), st.none() | st.integers(1, 70)
)


@pytest.mark.spec("qddh:F065")
def test_the_golden_coverages() -> None:
    delays = DelayHistogram.of({0: 6, 1: 2, 2: 1, 3: 1})
    model = CoverageModel(window=4, granularity=1)
    assert [model.expected(delays, k) for k in range(4)] == pytest.approx([0.825, 0.925, 0.975, 1])
    assert model.curve(delays)[:4] == pytest.approx([0.825, 0.925, 0.975, 1])


@pytest.mark.spec("qddh:F065")
@given(MODELS, HISTOGRAMS)
def test_the_curve_is_the_literal_formula_for_every_slack(
    model: CoverageModel, delays: DelayHistogram
) -> None:
    curve = model.curve(delays)
    literal = [model.expected(delays, step * model.granularity) for step in range(curve.size)]
    assert curve == pytest.approx(literal, abs=1e-9)


@pytest.mark.spec("qddh:F065")
@given(MODELS, HISTOGRAMS)
def test_more_slack_never_covers_less_and_the_largest_delay_covers_all(
    model: CoverageModel, delays: DelayHistogram
) -> None:
    curve = model.curve(delays)
    assert all(after >= before - 1e-12 for before, after in pairwise(curve))
    assert curve[-1] == pytest.approx(1.0)


@pytest.mark.spec("qddh:F066")
@given(MODELS, HISTOGRAMS, st.floats(0, 1))
def test_the_vectorised_search_finds_what_trial_finds(
    model: CoverageModel, delays: DelayHistogram, threshold: float
) -> None:
    assert model.smallest(delays, threshold) == model.smallest_literal(delays, threshold)


@pytest.mark.spec("qddh:F066")
def test_the_search_stops_one_step_above_the_largest_delay() -> None:
    delays = DelayHistogram.of({0: 1, 5: 1})
    model = CoverageModel(window=10, granularity=2)
    assert model.smallest(delays, 2.0) == model.smallest_literal(delays, 2.0) == 12


@pytest.mark.spec("qddh:F065")
def test_one_basic_window_counts_only_what_is_in_order_after_the_slack() -> None:
    delays = DelayHistogram.of({0: 6, 1: 2, 2: 1, 3: 1})
    assert CoverageModel(4, 1, basic=4).expected(delays, 1) == pytest.approx(0.8)


def test_a_model_without_window_is_refused() -> None:
    with pytest.raises(SlackwaterError, match="window 0"):
        CoverageModel(0, 1)
