from __future__ import annotations

import pytest

from slackwater.papers.prodding_bhat2011.operators.dedup import Dedup
from slackwater.papers.prodding_bhat2011.operators.element import DataTuple, Output, Punctuation
from slackwater.papers.prodding_bhat2011.operators.join import Join
from slackwater.papers.prodding_bhat2011.operators.operator import Chain, Fork
from slackwater.papers.prodding_bhat2011.operators.passing import Select
from slackwater.papers.prodding_bhat2011.operators.plan import Plan, WindowQuery, flat
from slackwater.papers.prodding_bhat2011.operators.predicate import Eq, Le
from slackwater.papers.prodding_bhat2011.operators.prod import Prod
from slackwater.papers.prodding_bhat2011.operators.union import Union
from slackwater.papers.stream.monoids import COUNT, SUM


def row(ts: int, key: int = 0, **more: object) -> DataTuple:
    return DataTuple({"ts": ts, "key": key, **more})


@pytest.mark.spec("prodding:F26", "prodding:F19")
def test_a_union_forwards_a_prod_at_once_and_a_punctuation_when_all_agree() -> None:
    union = Union(2)
    assert union.take(Prod(1, Eq(10)), 0, 0) == [Prod(1, Eq(10))]
    assert union.take(Punctuation(2, Le(10)), 0, 0) == []
    assert union.take(Punctuation(3, Le(7)), 0, 1) == [Punctuation(3, Le(7))]
    assert union.take(Punctuation(4, Le(9)), 0, 1) == [Punctuation(4, Le(9))]
    assert union.take(Punctuation(5, Le(9)), 0, 1) == []  # nothing new


@pytest.mark.spec("prodding:F26")
def test_an_aligned_union_waits_for_the_same_prod_on_all_inputs() -> None:
    union = Union(2, is_aligned=True)
    assert union.take(Prod(1, Eq(10)), 0, 0) == []
    assert union.take(Prod(2, Eq(20)), 0, 1) == []
    assert union.take(Prod(1, Eq(10)), 0, 1) == [Prod(1, Eq(10))]


@pytest.mark.spec("prodding:F26")
def test_a_prod_behind_a_waiting_union_is_in_time_for_the_aggregate_above() -> None:
    """Too late for the closed input, in time above: that is why belated prods go on."""
    branches = [Chain([Select(lambda _: True)]) for _ in range(2)]
    plan = Plan([Fork(branches, Union(2)), *flat(WindowQuery(10, 10, SUM, "v"))])
    plan.push(row(3, v=1), 3, 0)
    plan.push(Punctuation(1, Le(10)), 10, 0)
    plan.push(row(4, v=2), 11, 1)
    plan.push(Prod(2, Eq(10)), 12, 0)
    plan.push(Punctuation(3, Le(10)), 20, 1)
    assert [(r.kind, r.value) for r in plan.results] == [("early", 3), ("final", 3)]


@pytest.mark.spec("prodding:F26")
def test_a_join_has_nothing_to_be_swept_out() -> None:
    join = Join(("key",), within=5)
    plan = Plan([join, *flat(WindowQuery(10, 10, COUNT, value=None))])
    plan.push(row(1, 7, a=1), 1, 0)
    plan.push(row(3, 7, b=2), 3, 1)
    plan.push(row(3, 8, b=2), 3, 1)
    plan.push(Prod(1, Eq(10)), 4, 0)
    assert [(r.kind, r.value) for r in plan.results] == [("early", 1)]
    plan.push(row(2, 8, a=1), 5, 0)  # its partner is still there
    for port in (0, 1):
        plan.push(Punctuation(port, Le(10)), 10, port)
    assert [(r.kind, r.value) for r in plan.results[1:]] == [("final", 2)]
    for port in (0, 1):
        plan.push(Punctuation(port, Le(40)), 40, port)
    assert join.sides == ({}, {})


@pytest.mark.spec("prodding:F26", "prodding:F23")
def test_unmatched_tuples_of_an_outer_join_are_provisional_until_their_time_is_over() -> None:
    plan = Plan([Join(("key",), 5, is_outer=True), *flat(WindowQuery(10, 10, COUNT, value=None))])
    plan.push(row(1, 7), 1, 0)
    plan.push(row(2, 8), 2, 0)
    plan.push(Prod(1, Eq(10)), 3, 0)
    assert [(r.kind, r.value) for r in plan.results] == [("early", 2)]
    plan.push(row(3, 7), 4, 1)  # the first one finds a partner after all
    for port in (0, 1):
        plan.push(Punctuation(port, Le(10)), 10, port)
    assert len(plan.results) == 1  # a tuple of 9 might still stay alone and follow
    for port in (0, 1):
        plan.push(Punctuation(port, Le(15)), 15, port)
    assert [(r.kind, r.value) for r in plan.results[1:]] == [("final", 2)]


@pytest.mark.spec("prodding:F26", "prodding:F23")
def test_provisional_tuples_join_and_pass_but_are_not_remembered() -> None:
    join = Join(("key",), 5)
    join.take(row(1, 7), 0, 0)
    lent = DataTuple({"ts": 2, "key": 7}, None, "q")
    [match] = join.take(lent, 0, 1)
    assert isinstance(match, DataTuple)
    assert match.provisional == "q"
    assert join.sides[1] == {}
    dedup = Dedup(("key",))
    assert dedup.take(lent, 0) == [lent]
    assert dedup.seen == {}


@pytest.mark.spec("prodding:F26", "prodding:F19")
def test_duplicate_elimination_keeps_its_memory_on_a_prod() -> None:
    dedup = Dedup(("key",))
    outs: list[list[Output]] = [
        dedup.take(one, 0) for one in (row(1, 7), Prod(1, Eq(10)), row(2, 7), row(12, 8))
    ]
    assert [len(out) for out in outs] == [1, 1, 0, 1]
    dedup.take(Punctuation(2, Le(10)), 0)
    assert dedup.seen == {(8,): 12}
