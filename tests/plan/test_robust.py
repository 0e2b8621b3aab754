"""What is asked of robust plans is checked when the query is built; everything wrong is told."""

from __future__ import annotations

from typing import Any

import pytest

import slackwater as sw
from slackwater.plan.build import check
from slackwater.plan.robust import RobustPlan, dimensions
from slackwater.plan.stage import lay_out
from slackwater.query.stream import Query
from tests.driver import readings

CHAIN = ("a.k = b.k", "b.v = c.v")


def query(order: str = "robust", *, names: str = "abc", on: Any = CHAIN, **terms: Any) -> Query:
    joined = sw.join(
        *(readings(name=name) for name in names), on=on, within="1 s", order=order, **terms
    )
    return joined.query("q")


def problems(asked: Query) -> list[tuple[str, str]]:
    with pytest.raises(sw.QueryError) as error:
        check((asked,))
    return [(one.condition, one.message) for one in error.value.problems]


def robust(asked: Query) -> RobustPlan | None:
    [plan] = lay_out(check((asked,))).queries
    assert plan.join is not None
    return plan.join.robust


def test_terms_are_kept_as_they_were_given() -> None:
    assert robust(query()) == RobustPlan(None, 0.2)
    assert robust(query(uncertainty=2, tolerance=0)) == RobustPlan(2, 0.0)
    named = {"b.rate": 3, "a-b": 5}
    assert robust(query(uncertainty=named)) == RobustPlan((("a-b", 5), ("b.rate", 3)), 0.2)
    assert robust(query("adaptive")) is None


def test_what_a_caller_changes_afterwards_changes_nothing() -> None:
    named = {"b.rate": 3}
    asked = query(uncertainty=named)
    named["b.rate"] = 9
    assert robust(asked) == RobustPlan((("b.rate", 3),), 0.2)


def test_rates_and_connected_pairs_may_be_uncertain() -> None:
    [plan] = lay_out(check((query(),))).queries
    assert plan.join is not None
    assert dimensions(plan.join.graph) == ("a.rate", "b.rate", "c.rate", "a-b", "b-c")


@pytest.mark.parametrize("level", [6, -1, 2.5, "2", True])
def test_an_uncertainty_out_of_range_is_refused(level: Any) -> None:
    text = f"{level!r} is not one of: 0, 1, 2, 3, 4, 5"
    assert problems(query(uncertainty=level)) == [("ROBUST_UNCERTAINTY", text)]
    found = problems(query(uncertainty={"a.rate": level, "b.rate": 1}))
    assert found == [("ROBUST_UNCERTAINTY", f"that of 'a.rate', {text}")]


def test_a_dimension_that_there_is_not_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(sw.QueryError) as error:
        check((query(uncertainty={"a-c": 2, "a": 1, "b-c": 1}),))
    assert [one.message for one in error.value.problems] == [
        "there is no 'a'",
        "there is no 'a-c'",
    ]
    hint = "there are: a.rate, b.rate, c.rate, a-b, b-c"
    assert {one.hint for one in error.value.problems} == {hint}


def test_a_filter_above_the_join_connects_inputs_too() -> None:
    joined = sw.join(
        *(readings(name=name) for name in "abc"),
        on=CHAIN,
        within="1 s",
        order="robust",
        uncertainty={"a-c": 2},
    )
    assert robust(joined.where("a.k + c.k > 3").query("q")) is not None


@pytest.mark.parametrize("nothing", [0, {}, {"a.rate": 0, "b-c": 0}])
def test_a_space_in_which_one_plan_is_the_best_everywhere_is_refused(nothing: Any) -> None:
    [(condition, message)] = problems(query(uncertainty=nothing))
    assert condition == "ROBUST_SPACE"
    assert "nothing is uncertain" in message


def test_two_streams_have_no_orders_to_choose_from() -> None:
    [(condition, message)] = problems(query(names="ab", on="a.k = b.k"))
    assert condition == "ROBUST_SPACE"
    assert "in one way only" in message


@pytest.mark.parametrize("tolerance", [-0.1, 1.5, float("nan"), float("inf"), "0.2", True])
def test_a_tolerance_out_of_range_is_refused(tolerance: Any) -> None:
    found = problems(query(tolerance=tolerance))
    assert found == [("ROBUST_TOLERANCE", f"{tolerance!r} is not between 0 and 1")]


def test_terms_of_robust_plans_belong_to_robust_plans() -> None:
    found = problems(query("adaptive", uncertainty=2, tolerance=0.1))
    assert found == [
        ("ROBUST_ORDER", "uncertainty is about robust plans"),
        ("ROBUST_ORDER", "tolerance is about robust plans"),
    ]


def test_everything_that_is_wrong_is_told_at_once() -> None:
    found = problems(query(names="ab", on="a.k = b.k", uncertainty=7, tolerance=2))
    assert [condition for condition, _ in found] == [
        "ROBUST_SPACE",
        "ROBUST_UNCERTAINTY",
        "ROBUST_TOLERANCE",
    ]


def test_limits_have_no_robust_plans_to_choose_from() -> None:
    asked = sw.join(
        *(readings(name=name) for name in "abc"), on=CHAIN, within="1 s", order="robust"
    )
    found = problems(asked.query("q", resources=sw.resources(memory="1 MB")))
    assert [condition for condition, _ in found] == ["RESOURCES_PLACE"]
