"""Costly queries checked: parameters refused by name, states of their own."""

from __future__ import annotations

from typing import Any

import pytest

import slackwater as sw
from slackwater.errors import QueryError
from slackwater.plan.build import check
from slackwater.plan.costly import CostPlan
from slackwater.plan.explain import explain_text, explain_value
from slackwater.plan.stage import PipelinePlan, lay_out
from slackwater.query.stream import Stream
from tests.spark.driver import readings

OFTEN = sw.estimates(every=0)


def planned(stream: Stream, **terms: Any) -> PipelinePlan:
    counted = stream.window("10 s").aggregate(n="count(*)")
    return lay_out(check([counted.query("q", terms.pop("contract", sw.slack(0)), **terms)]))


def problems(stream: Stream, **terms: Any) -> list[tuple[str, str]]:
    with pytest.raises(QueryError) as refused:
        planned(stream, **terms)
    return [(problem.condition, problem.where) for problem in refused.value.problems]


@pytest.mark.parametrize(
    ("cost", "condition", "parameter"),
    [
        ({"budget": 0}, "COSTLY_BUDGET", "budget"),
        ({"budget": True}, "COSTLY_BUDGET", "budget"),
        ({"budget": "10"}, "COSTLY_BUDGET", "budget"),
        ({"budget": 1, "aside": "later"}, "COSTLY_ASIDE", "aside"),
        ({"budget": 1, "aside": "0:1"}, "COSTLY_ASIDE", "aside"),
        ({"budget": 1, "aside": "3:2"}, "COSTLY_ASIDE", "aside"),
        ({"budget": 1, "aside": 3}, "COSTLY_ASIDE", "aside"),
        ({"budget": 1, "starve": "1 s"}, "COSTLY_STARVE", "starve"),
        ({"budget": 1, "aside": "drop", "starve": "1 s"}, "COSTLY_STARVE", "starve"),
        ({"budget": 1, "aside": "idle", "starve": "-1 s"}, "DURATION_NEGATIVE", "starve"),
        ({"budget": 1, "aside": "idle", "starve": "soon"}, "DURATION_INVALID", "starve"),
    ],
)
def test_bad_parameters_are_refused_by_name(
    cost: dict[str, Any], condition: str, parameter: str
) -> None:
    where = f"query 'q', step 1 costly, {parameter}"
    assert problems(readings().costly(**cost), estimates=OFTEN) == [(condition, where)]


def test_all_problems_are_told_at_once() -> None:
    stream = readings().where("v > 0").costly(0, aside="idle")
    found = problems(stream, late="side", contract=sw.max_error(0.1))
    assert [condition for condition, _ in found] == [
        "COSTLY_PLACE",
        "COSTLY_LATE",
        "COSTLY_CONTRACT",
        "COSTLY_BUDGET",
        "COSTLY_ASIDE",  # nobody estimates
    ]


def test_costly_is_for_one_stream() -> None:
    other = readings(name="o")
    joined = sw.join(readings().costly(5), other, on="r.k = o.k", within="1 s")
    assert problems(joined)[0][0] == "COSTLY_PLACE"
    above = sw.join(readings(), other, on="r.k = o.k", within="1 s").costly(5)
    assert problems(above)[0][0] == "COSTLY_PLACE"
    assert problems(readings().costly(5).costly(6))[0][0] == "COSTLY_PLACE"


def test_the_state_says_that_it_is_costly_but_not_at_what_budget() -> None:
    plain, few, many = (
        planned(stream) for stream in (readings(), readings().costly(1), readings().costly(9))
    )
    assert few.identity == many.identity != plain.identity
    identities = [plan.queries[0].base.state.identity for plan in (plain, few, many)]
    assert identities[1] == identities[2] != identities[0]


def test_two_costly_queries_have_backlogs_of_their_own() -> None:
    counted = readings().costly(5).window("10 s").aggregate(n="count(*)")
    plan = lay_out(check([counted.query("a"), counted.query("b")]))
    assert len(plan.base_states) == 2


def test_explain_tells_the_budget_and_who_waits() -> None:
    stream = readings().costly(500, aside="3:1", starve="1 minute")
    plan = planned(stream, estimates=OFTEN)
    assert plan.queries[0].costly == CostPlan(500, "ratio", 3, 60_000_000)
    text = "costly: 500 rows in a batch, others wait, and once they were estimated come after 3 new"
    assert text in explain_text(plan)
    told = explain_value(plan)["contracts"]["q"]["costly"]
    assert told == {"budget": 500, "aside": "3:1", "starve_us": 60_000_000}
