from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import SlackwaterError
from slackwater.papers.prodding_bhat2011.operators.aggregate import AggregateParams, WindowAggregate
from slackwater.papers.prodding_bhat2011.operators.bucket import (
    CountBucket,
    PaneToWindow,
    TimeBucket,
)
from slackwater.papers.prodding_bhat2011.operators.element import DataTuple, Punctuation
from slackwater.papers.prodding_bhat2011.operators.operator import Operator
from slackwater.papers.prodding_bhat2011.operators.plan import Plan, WindowQuery, flat, paned
from slackwater.papers.prodding_bhat2011.operators.predicate import (
    ANY,
    Eq,
    In,
    Le,
    Predicate,
    Range,
)
from slackwater.papers.prodding_bhat2011.operators.prod import Feedback, Prod
from slackwater.papers.stream.monoids import COUNT, SUM


def passed(bucket: Operator, element: Punctuation | Prod) -> Predicate:
    [out] = bucket.take(element, 0)
    assert isinstance(out, Punctuation | Prod)
    assert out.attributes == element.attributes
    return out.time


@pytest.mark.spec("prodding:F6")
@pytest.mark.parametrize(
    ("size", "slide", "ts", "ids"),
    [
        (60, 20, 211, (10, 12)),
        (60, 20, 230, (11, 13)),
        (50, 50, 52, (1, 1)),
        (5, 2, 0, (0, 1)),
        (5, 2, 3, (1, 3)),
        (5, 2, 4, (2, 3)),
    ],
)
def test_ids_of_an_instant(size: int, slide: int, ts: int, ids: tuple[int, int]) -> None:
    assert TimeBucket(size, slide).ids(ts) == ids


@pytest.mark.spec("prodding:F6", "prodding:F9")
@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 500))
def test_a_window_covers_the_half_open_interval_that_ends_with_its_last_slide(
    size: int, slide: int, ts: int
) -> None:
    first, last = TimeBucket(size, slide).ids(ts)
    holds = [w for w in range(-50, 600) if (w + 1) * slide - size <= ts < (w + 1) * slide]
    assert holds == list(range(first, last + 1))


@pytest.mark.spec("prodding:F7")
@pytest.mark.parametrize("named", [(), (("sensor", Eq(1)),)])
def test_patterns_on_time_become_patterns_on_ids(
    named: tuple[tuple[str, Predicate], ...],
) -> None:
    bucket = TimeBucket(60, 20)
    assert passed(bucket, Punctuation(1, Le(240), named)) == Le(11)
    assert passed(bucket, Prod(1, Le(240), named)) == Le(11)
    assert passed(bucket, Prod(1, Eq(240), named)) == Eq(11)
    assert passed(bucket, Prod(1, Eq(255), named)) == Eq(11)
    assert passed(bucket, Prod(1, Range(201, 260), named)) == Range(10, 12)
    assert passed(bucket, Prod(1, Range(201, 219), named)) == In(frozenset())
    assert passed(bucket, Prod(1, In.of([220, 260]), named)) == In.of([10, 12])
    assert passed(bucket, Prod(1, ANY, named)) == ANY
    assert passed(bucket, Prod(1, Eq(-500), named)) == Eq(-26)  # mistimed is not its problem


@pytest.mark.spec("prodding:F7")
def test_a_bound_may_include_the_instant_itself() -> None:
    assert passed(TimeBucket(60, 20), Punctuation(1, Le(239))) == Le(10)
    assert passed(TimeBucket(60, 20, is_closed_bound=True), Punctuation(1, Le(239))) == Le(11)


@pytest.mark.spec("prodding:F7", "prodding:F11")
def test_panes_become_windows() -> None:
    bucket = PaneToWindow(panes=3, step=1)
    [out] = bucket.take(DataTuple({"id": 12}), 0)
    assert isinstance(out, DataTuple)
    assert (out.row["wid_from"], out.row["wid_to"]) == (12, 14)  # errata E-3, E-4
    assert passed(bucket, Punctuation(1, Le(10))) == Le(10)
    assert passed(bucket, Prod(1, Eq(12))) == Eq(12)
    two = PaneToWindow(panes=5, step=2)  # windows of 50 every 20 by panes of 10
    assert passed(two, Prod(1, Le(6))) == Le(2)
    assert passed(two, Prod(1, Le(7))) == Le(3)


@pytest.mark.spec("prodding:F57")
def test_a_window_is_complete_when_closed_pieces_cover_it() -> None:
    bucket = TimeBucket(30, 10)
    nothing = In(frozenset())
    assert passed(bucket, Punctuation(1, Range(20, 39))) == nothing
    assert passed(bucket, Punctuation(2, Range(40, 49))) == Range(4, 4)
    assert passed(bucket, Punctuation(3, Range(10, 19))) == Range(3, 4)
    assert passed(bucket, Punctuation(4, Le(10))) == Le(4)
    panes = PaneToWindow(panes=3, step=1)
    assert passed(panes, Punctuation(1, Range(2, 3))) == nothing
    assert passed(panes, Punctuation(2, Eq(4))) == Range(4, 4)
    assert passed(panes, Punctuation(3, Le(1))) == Le(4)


@pytest.mark.spec("prodding:F57")
@pytest.mark.parametrize("is_paned", [False, True])
def test_later_windows_close_before_earlier_ones(is_paned: bool) -> None:
    query = WindowQuery(20, 10, SUM)
    plan = Plan(paned(query) if is_paned else flat(query))
    for ts in (5, 15, 25, 35, 45):
        plan.push(DataTuple({"ts": ts, "value": ts}), ts)
    plan.push(Punctuation(1, Range(20, 49)), 50)
    assert [(r.window, r.value) for r in plan.results] == [(3, 60), (4, 80)]
    plan.push(DataTuple({"ts": 12, "value": 100}), 51)
    plan.push(Punctuation(2, Range(0, 19)), 52)
    assert [(r.window, r.value) for r in plan.results[2:]] == [(1, 120), (2, 140)]
    plan.push(Punctuation(3, Le(100)), 53)
    assert [(r.window, r.value) for r in plan.results[4:]] == [(0, 5), (5, 45)]


@pytest.mark.spec("prodding:F31")
@given(st.integers(1, 30), st.integers(1, 30), st.integers(0, 50))
def test_feedback_comes_back_as_the_window_it_asked_for(size: int, slide: int, k: int) -> None:
    bucket = TimeBucket(size, slide)
    for predicate in (Eq(k), Le(k), Range(k, k + 3), In.of([k, k + 2]), ANY):
        back = bucket.back(Feedback(1, predicate), 0)
        assert passed(bucket, Prod.of(back)) == predicate
    panes = PaneToWindow(panes=3, step=2)
    assert passed(panes, Prod.of(panes.back(Feedback(1, Eq(k)), 0))) == Eq(k)


@pytest.mark.spec("prodding:F3")
def test_the_same_query_on_two_timestamps() -> None:
    flows = [{"ts": 4, "end": 12, "value": 1}, {"ts": 6, "end": 8, "value": 2}]
    closing = {
        "ts": Punctuation(1, Le(10)),
        "end": Punctuation(2, ANY, (("end", Le(20)),)),
    }
    found = {}
    for attribute in ("ts", "end"):
        plan = Plan(flat(WindowQuery(10, 10, SUM, attribute=attribute)))
        for row in flows:
            plan.push(DataTuple(row), row["ts"])
        plan.push(closing["ts"], 30)
        by_ts = [(r.end, r.value) for r in plan.results]
        assert by_ts == ([(10, 3)] if attribute == "ts" else [])  # speaks of the other attribute
        plan.push(closing["end"], 31)
        found[attribute] = [(r.end, r.value) for r in plan.results]
    assert found == {"ts": [(10, 3)], "end": [(10, 2), (20, 1)]}


@pytest.mark.spec("prodding:F3")
def test_windows_of_so_many_tuples_close_by_themselves() -> None:
    top = WindowAggregate(AggregateParams(SUM, 4, 2))
    bucket = CountBucket(4, 2)
    plan = Plan([bucket, top])
    for number in range(7):
        plan.push(DataTuple({"ts": 100 - number, "value": number}), number)
    plan.push(Punctuation(1, Le(1000)), 8)
    assert [r.value for r in plan.results] == [0 + 1, 0 + 1 + 2 + 3, 2 + 3 + 4 + 5]
    plan.push(Prod(2, Eq(10)), 9)
    early = plan.results[3:]
    assert [(r.value, r.is_widened) for r in early] == [(4 + 5 + 6, True), (6, True)]
    assert bucket.widened == 1


def test_windows_of_no_length_are_refused() -> None:
    with pytest.raises(SlackwaterError, match="size 0"):
        TimeBucket(0, 1)


def test_counting_tuples_needs_no_value() -> None:
    plan = Plan(flat(WindowQuery(10, 10, COUNT, value=None)))
    plan.push(DataTuple({"ts": 3}), 3)
    plan.push(Punctuation(1, Le(10)), 10)
    assert [r.value for r in plan.results] == [1]
