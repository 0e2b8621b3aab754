from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import SlackwaterError
from slackwater.papers.prodding_bhat2011.operators.predicate import (
    ANY,
    Eq,
    In,
    Le,
    Predicate,
    Range,
    from_json,
)

NUMBERS = st.integers(-5, 5)
PREDICATES = st.one_of(
    st.just(ANY),
    st.builds(Eq, st.one_of(NUMBERS, st.text(max_size=3), st.none())),
    st.builds(Le, NUMBERS),
    st.tuples(NUMBERS, NUMBERS).map(lambda pair: Range(min(pair), max(pair))),
    st.sets(st.one_of(NUMBERS, st.text(max_size=3))).map(In.of),
)


@pytest.mark.spec("prodding:F1")
@given(PREDICATES)
def test_a_predicate_survives_json(predicate: Predicate) -> None:
    assert from_json(json.loads(json.dumps(predicate.to_json()))) == predicate


@pytest.mark.spec("prodding:F1")
@given(NUMBERS, NUMBERS, st.sets(NUMBERS))
def test_each_form_matches_what_it_says(bound: int, value: int, values: set[int]) -> None:
    assert ANY.matches(value)
    assert Eq(bound).matches(value) == (value == bound)
    assert Le(bound).matches(value) == (value <= bound)
    low, high = min(bound, 0), max(bound, 0)
    assert Range(low, high).matches(value) == (low <= value <= high)
    assert In.of(values).matches(value) == (value in values)


@pytest.mark.spec("prodding:F1")
@pytest.mark.parametrize("predicate", [Eq(1), Le(1), Range(0, 1), In.of([1])])
def test_an_unknown_value_matches_only_who_asks_for_any(predicate: Predicate) -> None:
    assert not predicate.matches(None)
    assert ANY.matches(None)
    assert Eq(None).matches(None)


def test_values_of_another_kind_match_no_bound() -> None:
    assert not Le(5).matches("4")
    assert not Range(1, 5).matches("4")


@pytest.mark.parametrize("form", [["eq"], ["between", 1, 2], [], ["in", 5]])
def test_what_is_no_predicate_is_refused(form: list[Any]) -> None:
    with pytest.raises(SlackwaterError, match="is no predicate"):
        from_json(form)


def test_an_interval_that_ends_before_it_begins_is_refused() -> None:
    with pytest.raises(SlackwaterError, match="no interval"):
        Range(2, 1)
    with pytest.raises(SlackwaterError, match="no interval"):
        Range(2, "z")
