from __future__ import annotations

import json

import pytest

from slackwater.errors import SlackwaterError
from slackwater.papers.prodding_bhat2011.operators.predicate import (
    ANY,
    Eq,
    In,
    Le,
    Predicate,
    Range,
)
from slackwater.papers.prodding_bhat2011.operators.prod import Feedback, Form, Prod, Scope, refresh


@pytest.mark.spec("prodding:F14", "prodding:F25")
@pytest.mark.parametrize(
    ("time", "form"),
    [
        (Eq(50), "equality"),
        (Le(50), "bound"),
        (Range(20, 50), "range"),
        (In.of([10, 50]), "general"),
        (ANY, "general"),
    ],
)
def test_the_form_of_a_prod_is_how_it_names_windows(time: Predicate, form: Form) -> None:
    assert Prod(1, time).form == form
    assert Prod(1, time).kinds == {form, "plain"}


@pytest.mark.spec("prodding:F14")
@pytest.mark.parametrize(
    ("predicate", "scope"),
    [(ANY, "plain"), (Eq(1), "group-wise"), (In.of([1, 2]), "general"), (Le(3), "general")],
)
def test_the_scope_of_a_prod_is_whom_it_asks_for(predicate: Predicate, scope: Scope) -> None:
    prod = Prod(1, Eq(50), (("sensor", predicate),))
    assert prod.scope == scope
    assert prod.matches({"sensor": 1, "speed": 40})
    assert prod.matches({"sensor": 9}) == (scope == "plain")


@pytest.mark.spec("prodding:F1", "prodding:F14")
def test_prods_and_feedback_survive_json() -> None:
    prod = Prod("a", Range(1, 9), (("y", Le(5)), ("x", In.of([1, "b"]))), "control", True)
    assert Prod.from_json(json.loads(json.dumps(prod.to_json()))) == prod
    feedback = Feedback(3, Le(60), (("x", Eq(1)),))
    assert Feedback.from_json(json.loads(json.dumps(feedback.to_json()))) == feedback


@pytest.mark.spec("prodding:F31")
def test_feedback_turns_into_a_prod_with_the_same_predicates() -> None:
    feedback = Feedback(3, Le(60), (("sensor", Eq(1)),))
    prod = Prod.of(feedback)
    assert (prod.id, prod.time, prod.attributes) == (3, Le(60), (("sensor", Eq(1)),))
    assert prod.source == "feedback"


def test_refresh_asks_for_all_windows_for_some_or_for_a_group() -> None:
    assert refresh(1).time == ANY
    assert refresh(2, newest_end=60).time == Le(60)
    one = refresh(3, sensor=4)
    assert (one.time, one.attributes) == (ANY, (("sensor", Eq(4)),))
    assert refresh(4, sensor={4, 5}).attributes == (("sensor", In.of([4, 5])),)


@pytest.mark.spec("prodding:F26")
def test_a_constraint_taken_off_is_told_and_one_that_was_not_there_is_not() -> None:
    prod = Prod(1, Eq(50), (("sensor", Eq(1)), ("lane", ANY)))
    assert prod.without("sensor") == Prod(1, Eq(50), is_widened=True)
    assert prod.without("lane") is prod


def test_order_of_attributes_does_not_matter() -> None:
    one, other = ("x", Eq(1)), ("y", Eq(2))
    assert Prod(1, ANY, (one, other)) == Prod(1, ANY, (other, one))


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(SlackwaterError, match="constrained twice"):
        Prod(1, ANY, (("x", Eq(1)), ("x", Eq(2))))
    with pytest.raises(SlackwaterError, match="source is 'nobody'"):
        Prod(1, source="nobody")  # type: ignore[arg-type]
