from __future__ import annotations

import pytest

from slackwater.errors import SlackwaterError
from slackwater.papers.prodding_bhat2011.operators.element import DataTuple, Output, Punctuation
from slackwater.papers.prodding_bhat2011.operators.operator import Operator
from slackwater.papers.prodding_bhat2011.operators.passing import Map, Project, Relay, Select
from slackwater.papers.prodding_bhat2011.operators.plan import Plan, WindowQuery, flat
from slackwater.papers.prodding_bhat2011.operators.predicate import ANY, Eq, In, Le, Range
from slackwater.papers.prodding_bhat2011.operators.prod import Prod
from slackwater.papers.stream.monoids import SUM

SENSOR = (("sensor", Eq(1)),)
PROD = Prod(1, Eq(50), SENSOR)
CLOSED = Punctuation(2, Le(50), SENSOR)
ROW = {"ts": 3, "sensor": 1, "value": 5}


def out(operator: Operator, element: Output) -> list[Output]:
    return operator.take(element, 0)


@pytest.mark.spec("prodding:F19", "prodding:F26")
def test_a_selection_that_contradicts_a_prod_still_lets_it_pass() -> None:
    select = Select(lambda row: row["sensor"] == 2)
    assert out(select, DataTuple(ROW)) == []
    assert out(select, DataTuple({**ROW, "sensor": 2})) != []
    assert out(select, PROD) == [PROD]
    assert out(select, CLOSED) == [CLOSED]


@pytest.mark.spec("prodding:F26")
def test_a_projection_renames_what_patterns_say() -> None:
    project = Project({"ts": "ts", "sensor": "road"})
    assert out(project, DataTuple(ROW)) == [DataTuple({"ts": 3, "road": 1})]
    assert out(project, PROD) == [Prod(1, Eq(50), (("road", Eq(1)),))]
    assert out(project, CLOSED) == [Punctuation(2, Le(50), (("road", Eq(1)),))]
    assert project.widened == 0


@pytest.mark.spec("prodding:F26")
def test_where_an_attribute_disappears_a_prod_is_widened_and_a_punctuation_ends() -> None:
    project = Project({"ts": "ts", "value": "value"})
    assert out(project, PROD) == [Prod(1, Eq(50), is_widened=True)]
    assert out(project, CLOSED) == []  # without its sensor it would assert too much
    assert project.widened == 1
    free = Prod(3, Eq(50), (("sensor", ANY),))
    assert out(project, free) == [free]
    assert project.widened == 1
    with pytest.raises(SlackwaterError, match="application time must stay"):
        Project({"value": "value"})


@pytest.mark.spec("prodding:F26")
def test_the_estimate_of_a_widened_prod_says_so() -> None:
    plan = Plan([Project({"ts": "ts", "value": "value"}), *flat(WindowQuery(50, 50, SUM))])
    plan.push(DataTuple(ROW), 3)
    plan.push(DataTuple({**ROW, "sensor": 2}), 4)
    plan.push(PROD, 5)
    assert [(r.value, r.is_widened) for r in plan.results] == [(10, True)]


@pytest.mark.spec("prodding:F26")
def test_an_increasing_function_translates_predicates_and_another_drops_them() -> None:
    rising = Map("sensor", lambda value: value * 10, is_increasing=True)
    for predicate, above in (
        (Eq(1), Eq(10)),
        (Le(2), Le(20)),
        (Range(1, 2), Range(10, 20)),
        (In.of([1, 2]), In.of([10, 20])),
    ):
        prod = Prod(1, Eq(50), (("sensor", predicate),))
        assert out(rising, prod) == [Prod(1, Eq(50), (("sensor", above),))]
    assert out(rising, DataTuple(ROW)) == [DataTuple({**ROW, "sensor": 10})]
    blurred = Map("sensor", lambda value: value // 2)
    assert out(blurred, PROD) == [Prod(1, Eq(50), is_widened=True)]
    assert out(blurred, CLOSED) == []
    assert blurred.widened == 1
    other = Prod(4, Eq(50), (("lane", Eq(1)),))
    assert out(blurred, other) == [other]


@pytest.mark.spec("prodding:F19")
def test_ids_turn_back_into_times_for_windows_above() -> None:
    relay = Relay(10)
    times = [(Eq(4), Eq(50)), (Le(4), Le(50)), (Range(2, 4), Range(29, 49)), (ANY, ANY)]
    for ids, ends in [*times, (In.of([1, 2]), In.of([20, 30]))]:
        assert out(relay, Prod(1, ids)) == [Prod(1, ends)]
