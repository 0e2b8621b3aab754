from __future__ import annotations

from statistics import median
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import SlackwaterError
from slackwater.papers.stream.monoids import AVG, COUNT, MAX, MIN, SUM, Monoid, quantile

ALL = {"count": COUNT, "sum": SUM, "min": MIN, "max": MAX, "avg": AVG, "median": quantile(0.5)}
VALUES = st.lists(st.none() | st.integers(-100, 100), max_size=12)


def fold(monoid: Monoid[Any, Any, Any], values: list[int | None]) -> Any:
    partial = monoid.zero
    for value in values:
        partial = monoid.add(partial, value)
    return partial


@pytest.mark.spec("qddh:F069")
@pytest.mark.parametrize("name", ALL)
@given(one=VALUES, other=VALUES)
def test_partials_combine_to_the_aggregate_of_all_values(
    name: str, one: list[int | None], other: list[int | None]
) -> None:
    monoid = ALL[name]
    together = monoid.of(one + other)
    assert monoid.get(monoid.merge(fold(monoid, one), fold(monoid, other))) == together
    assert monoid.get(monoid.merge(fold(monoid, other), fold(monoid, one))) == together
    assert monoid.get(monoid.merge(monoid.zero, fold(monoid, one))) == monoid.of(one)


@pytest.mark.spec("qddh:F069")
def test_aggregates_skip_missing_values_and_only_count_sees_them() -> None:
    results = {name: monoid.of([3, None, 1, 8]) for name, monoid in ALL.items()}
    assert results == {"count": 4, "sum": 12, "min": 1, "max": 8, "avg": 4.0, "median": 3.0}


@pytest.mark.spec("qddh:F069")
def test_the_aggregate_of_nothing_is_unknown_and_its_count_zero() -> None:
    results = {name: monoid.of([]) for name, monoid in ALL.items()}
    assert results == {**dict.fromkeys(ALL, None), "count": 0}


@pytest.mark.spec("qddh:F069")
@given(st.lists(st.integers(-100, 100), min_size=1))
def test_quantiles_reach_from_the_minimum_over_the_median_to_the_maximum(
    values: list[int],
) -> None:
    found = [quantile(p).of(values) for p in (0, 0.5, 1)]
    assert found == [min(values), median(values), max(values)]


def test_a_quantile_lies_between_its_neighbours() -> None:
    assert quantile(0.9).of([0, 10, 20]) == pytest.approx(18.0)


def test_an_impossible_quantile_is_refused() -> None:
    with pytest.raises(SlackwaterError, match=r"p is 1\.5"):
        quantile(1.5)
