from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.disorder.threshold import (
    Moments,
    Requirement,
    coverage_threshold,
    critical_value,
)
from slackwater.query.contract import ErrorKind

# spec/qddh.md §12.1: δ = .05, μ = 2, σ² = 1; the last column is COUNT with N = 555
ROWS = (55, 555, 2775, 5550)
GOLDEN = {
    0.001: (0.999989, 0.999905, 0.999709, 0.999593, 0.999886),
    0.01: (0.999059, 0.995925, 0.993375, 0.992532, 0.995542),
    0.05: (0.985419, 0.966691, 0.958314, 0.956031, 0.965239),
    0.10: (0.958756, 0.924565, 0.911797, 0.908481, 0.922275),
}

EPSILON = st.floats(0.0005, 0.3)
COUNT = st.integers(10, 100_000)
MOMENTS = st.builds(Moments, COUNT, st.floats(0.1, 50), st.floats(0, 100))


def sum_error(coverage: float, delta: float, moments: Moments) -> float:
    """The worst relative error of a sum at a coverage: the left side of eq. (4.1)."""
    square = moments.mean**2
    scatter = (moments.variance + square) / (moments.rows * square)
    noise = max(0.0, coverage - coverage**2) * scatter
    return (1 - coverage) + critical_value(delta) * math.sqrt(noise)


@pytest.mark.spec("qddh:F061")
@pytest.mark.parametrize("epsilon", GOLDEN)
def test_the_golden_thresholds_of_sum(epsilon: float) -> None:
    requirement = Requirement("sum", epsilon)
    found = [coverage_threshold(requirement, Moments(rows, 2.0, 1.0)) for rows in ROWS]
    assert found == pytest.approx(GOLDEN[epsilon][:4], abs=5e-7)


@pytest.mark.spec("qddh:F062")
@pytest.mark.parametrize("epsilon", GOLDEN)
def test_the_golden_thresholds_of_count(epsilon: float) -> None:
    found = coverage_threshold(Requirement("count", epsilon), Moments(555, 7.0, 3.0))
    assert found == pytest.approx(GOLDEN[epsilon][4], abs=5e-7)


@pytest.mark.spec("qddh:F061")
@given(EPSILON, MOMENTS)
def test_the_closed_form_is_the_smallest_coverage_that_keeps_the_bound(
    epsilon: float, moments: Moments
) -> None:
    found = coverage_threshold(Requirement("sum", epsilon), moments)
    low, high = 0.5, 1.0  # the error falls with the coverage above one half
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if sum_error(middle, 0.05, moments) <= epsilon else (middle, high)
    if found > 0.5:
        assert found == pytest.approx(high, abs=1e-9)
    assert sum_error(found, 0.05, moments) <= epsilon + 1e-9


@pytest.mark.spec("qddh:F061")
@given(EPSILON, EPSILON, MOMENTS)
def test_a_looser_bound_never_needs_more_and_never_less_than_one_minus_epsilon(
    one: float, other: float, moments: Moments
) -> None:
    strict, loose = sorted((one, other))
    high = coverage_threshold(Requirement("sum", strict), moments)
    low = coverage_threshold(Requirement("sum", loose), moments)
    assert 1 - loose - 1e-12 <= low <= high + 1e-12
    assert high <= 1


@pytest.mark.spec("qddh:F061")
@given(EPSILON, COUNT, COUNT)
def test_a_larger_window_needs_less(epsilon: float, one: int, other: int) -> None:
    few, many = sorted((one, other))
    requirement = Requirement("sum", epsilon)
    least = coverage_threshold(requirement, Moments(many, 2.0, 1.0))
    assert least <= coverage_threshold(requirement, Moments(few, 2.0, 1.0)) + 1e-12


@pytest.mark.spec("qddh:F062")
def test_avg_and_quantile_need_what_their_sampling_error_says() -> None:
    average = coverage_threshold(Requirement("avg", 0.01), Moments(1000, 2.0, 1.0))
    spread = 1.959963984540054**2
    assert average == pytest.approx(spread / (spread + 0.01**2 * 1000 * 4))
    median = coverage_threshold(Requirement("quantile", 0.02, share=0.5), Moments(1000))
    assert median == pytest.approx(spread * 0.25 / (spread * 0.25 + 0.02**2 * 1000))


@pytest.mark.spec("qddh:F062")
@pytest.mark.parametrize("kind", ["avg", "sum", "count", "quantile"])
def test_the_threshold_keeps_its_promise_on_random_samples(kind: ErrorKind) -> None:
    import numpy as np

    draws = np.random.default_rng(5)
    values = draws.gamma(4.0, 0.5, 2000)
    moments = Moments(values.size, float(values.mean()), float(values.var()))
    coverage = coverage_threshold(Requirement(kind, 0.02), moments)
    kept = draws.random((1500, values.size)) < coverage
    if kind == "count":
        errors = np.abs(kept.sum(1) / values.size - 1)
    elif kind == "sum":
        errors = np.abs((kept * values).sum(1) / values.sum() - 1)
    elif kind == "quantile":  # the rank, among all rows, of the median of those that are in
        medians = np.array([np.median(values[some]) for some in kept])
        errors = np.abs(np.searchsorted(np.sort(values), medians) / values.size - 0.5)
    else:
        errors = np.abs((kept * values).sum(1) / kept.sum(1) / values.mean() - 1)
    assert (errors <= 0.02).mean() >= 0.94


@pytest.mark.spec("qddh:F062")
def test_aggregates_without_error_model_get_a_labelled_heuristic() -> None:
    requirement = Requirement("heuristic", 0.05)
    assert requirement.is_heuristic
    assert coverage_threshold(requirement, Moments(10)) == pytest.approx(0.95)


def test_without_knowledge_nothing_less_than_everything_will_do() -> None:
    assert coverage_threshold(Requirement("sum", 0.1), Moments(0)) == 1.0
    assert coverage_threshold(Requirement("sum", 0.1), Moments(10, mean=0.0)) == 1.0


@pytest.mark.spec("qddh:F034")
def test_moments_from_sums_are_those_of_the_values() -> None:
    found = Moments.of_sums(4, 10.0, 30.0)
    assert (found.rows, found.mean, found.variance) == (4, 2.5, pytest.approx(1.25))
