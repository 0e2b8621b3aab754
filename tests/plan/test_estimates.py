"""Estimates checked against their query, and which values are scaled."""

from __future__ import annotations

import math
from typing import Any

import pytest

import slackwater as sw
from slackwater.errors import QueryError
from slackwater.plan.build import check
from slackwater.plan.estimates import EstimateColumns
from slackwater.plan.sql.estimates import reading
from slackwater.plan.sql.windows import Writer
from slackwater.plan.stage import QueryPlan, lay_out
from slackwater.query.stream import Stream
from tests.spark.driver import readings


def planned(stream: Stream, **terms: Any) -> QueryPlan:
    terms.setdefault("estimates", sw.estimates(every=0))
    return lay_out(check([stream.query("q", sw.slack("5 s"), **terms)])).queries[0]


def counted() -> Stream:
    window = readings().window("10 s").group_by("k")
    return window.aggregate(n="count(*)", s="sum(v)", a="avg(v)", top="max(v)", r="sum(v) / 2")


@pytest.mark.spec("prodding:F60")
def test_only_sums_and_counts_are_scaled_and_numbers_get_a_band() -> None:
    columns = planned(counted()).estimable
    assert columns == EstimateColumns(("n", "s", "a", "top", "r"), ("n", "s"))


def test_a_sum_of_sums_is_scaled_but_not_what_a_filter_or_a_maximum_has_touched() -> None:
    above = counted().window("30 s").aggregate(all="sum(s)", most="max(s)", windows="count(*)")
    assert planned(above).estimable == EstimateColumns(("all", "most", "windows"), ("all",))
    filtered = counted().where("n > 3").window("30 s").aggregate(all="sum(s)")
    assert planned(filtered).estimable == EstimateColumns(("all",), ())


def test_estimates_belong_to_what_a_checkpoint_means_but_their_cadence_does_not() -> None:
    plain = check([counted().query("q", sw.slack("5 s"))])
    often = check([counted().query("q", sw.slack("5 s"), estimates=sw.estimates(every=0))])
    rarely = check([counted().query("q", sw.slack("5 s"), estimates=sw.estimates(every=60))])
    assert lay_out(often).identity == lay_out(rarely).identity != lay_out(plain).identity


STRANGE: tuple[Any, ...] = (math.nan, math.inf, 10**400, "0.3", True, [0.3])


@pytest.mark.parametrize(
    ("term", "condition"),
    [
        (sw.estimates(every="soon"), "DURATION_INVALID"),
        (sw.estimates(every="-1 s"), "DURATION_NEGATIVE"),
        (sw.estimates(every=1, aggressiveness=0.5), "ESTIMATES_WHEN"),
        (sw.estimates(aggressiveness=1.0), "ESTIMATES_RANGE"),
        (sw.estimates(aggressiveness=-0.5), "ESTIMATES_RANGE"),
        (sw.estimates(accuracy=95), "ESTIMATES_RANGE"),
        (sw.estimates(every=1, band=1), "ESTIMATES_RANGE"),
        (sw.estimates(every=math.nan), "DURATION_INVALID"),
        (sw.estimates(every=math.inf), "DURATION_INVALID"),
        *((sw.estimates(aggressiveness=value), "ESTIMATES_RANGE") for value in STRANGE),
        *((sw.estimates(accuracy=value), "ESTIMATES_RANGE") for value in STRANGE),
        *((sw.estimates(every=1, band=value), "ESTIMATES_RANGE") for value in STRANGE),
        (sw.estimates(every=1, where="nothing = 1"), "COLUMN_UNKNOWN"),
        (sw.estimates(every=1, where=""), "SQL_EMPTY"),
        (sw.estimates(every=1, where=5), "SQL_EMPTY"),  # type: ignore[arg-type]
        (sw.estimates(every=1, where="sum(n) > 3"), "SQL_NOT_SCALAR"),
        (sw.estimates(every=1, where="n = :x"), "SQL_UNSUPPORTED"),
        (sw.estimates(every=1, where="(" * 3000 + "true" + ")" * 3000), "SQL_TOO_DEEP"),
        (sw.estimates(every=1, where="n = " + "1" * 20_000), "SQL_TOO_LONG"),
        (sw.estimates(every=1, where="k +"), "SQL_UNPARSABLE"),
        (sw.estimates(every=1, where="k + 1"), "TYPE_MISMATCH"),
        (sw.estimates(accuracy=0.9, of="z"), "ESTIMATES_COLUMN"),
    ],
)
def test_what_cannot_be_is_refused_by_name(term: Any, condition: str) -> None:
    with pytest.raises(QueryError) as caught:
        planned(counted(), estimates=term)
    assert [problem.condition for problem in caught.value.problems] == [condition]


@pytest.mark.parametrize(
    ("other", "condition"),
    [({"band": 0.5}, "ESTIMATES_BAND"), ({"quality": max}, "ESTIMATES_QUALITY")],
)
def test_what_all_estimates_of_a_query_share_is_not_said_twice(
    other: dict[str, Any], condition: str
) -> None:
    terms = [sw.estimates(every=1, band=0.8, quality=min), sw.estimates(every=2, **other)]
    with pytest.raises(QueryError) as caught:
        planned(counted(), estimates=terms)
    assert [problem.condition for problem in caught.value.problems] == [condition]


def test_one_of_several_estimates_may_say_what_all_share() -> None:
    terms = [sw.estimates(every=1), sw.estimates(every=2, band=0.8, quality=min)]
    plan = planned(counted(), estimates=terms).estimates
    assert plan is not None
    assert (plan.band, plan.quality) == (0.8, min)


def test_a_bare_join_has_no_estimates_and_taken_names_are_refused() -> None:
    joined = sw.join(readings(name="a"), readings(name="b"), on="k", within="3 s")
    with pytest.raises(QueryError, match="ESTIMATES_KIND"):
        planned(joined.select("a.v AS v"))
    with pytest.raises(QueryError, match="'prod' is a column of estimates"):
        planned(readings().window("10 s").aggregate(prod="count(*)"))


def test_levels_are_read_from_the_bottom_and_provisional_rows_join_what_the_next_one_holds() -> (
    None
):
    above = counted().window("30 s").aggregate(all="sum(s)")
    query = planned(above)
    steps = reading(Writer(), query.stages)
    low, high = (stage.state.identity for stage in query.stages)
    assert [(step.name, step.reads) for step in steps] == [
        ("open-1", {"panes": (low,)}),
        ("panes-2", {"input": ("open-1",)}),
        ("open-2", {"panes": (high, "panes-2")}),
    ]
    revised = planned(above, late="revise")
    steps = reading(Writer(), revised.stages)
    assert [step.name for step in steps] == ["open-1", "newest-2", "panes-2", "open-2"]
    assert steps[-1].reads == {"panes": ("panes-2",)}
