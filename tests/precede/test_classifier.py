"""What a row is worth: the rules of a classifier, and what a row carries on its way."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.precede.classifier import EMPTY, Assessment, JudgedRow, can_gain, classify
from slackwater.precede.domain import Domain, Range, equal_widths
from slackwater.precede.level import NO_RANK, DynamicLevel, StaticLevel
from slackwater.precede.plan import INITIAL, RankPlan
from slackwater.precede.predicate import Predicate
from slackwater.precede.standing import NOWHERE, UNRANKED, Standing
from tests.precede.stocks import ONE, PIPELINE, QUERY, RC1, RC2, RC3, RC4, THREE, TWO, news

BOTH = {"S.ownedByCompany": True, "S.aggressive": True, "S.underEvaluation": True}


def static(rank: int) -> StaticLevel:
    return StaticLevel(rank, Predicate(f"S.s{rank} = TRUE"), "S")


def dynamic(rank: int, until: int = 1) -> DynamicLevel:
    return DynamicLevel("S", until, rank, f"S.d{rank}", 1)


@pytest.mark.spec("precedence:PR-05")
def test_the_smallest_active_rank_wins() -> None:
    assert classify(UNRANKED, Assessment(QUERY.levels), JudgedRow(BOTH)).standing.significant == 1
    without = Assessment((TWO, THREE))
    assert classify(UNRANKED, without, JudgedRow(BOTH)).standing.significant == 3


@pytest.mark.spec("precedence:PR-23", "precedence:PR-24")
def test_a_static_hit_ends_dynamic_tests_and_a_dynamic_hit_ends_none() -> None:
    at = Assessment((static(1), static(3)), (dynamic(1), dynamic(2), dynamic(3)))
    hit = classify(UNRANKED, at, JudgedRow({"S.s1": True, "S.d1": 1, "S.d2": 1}))
    assert hit == (Standing(1), 1, 0)
    both = classify(UNRANKED, at, JudgedRow({"S.d1": 1, "S.s3": True, "S.d2": 1, "S.d3": 1}))
    assert both == (Standing(3, 1, 1), 2, 1)
    late = classify(UNRANKED, at, JudgedRow({"S.s3": True, "S.d1": 0, "S.d2": 0, "S.d3": 1}))
    assert late == (Standing(3), 2, 2)


@pytest.mark.spec("precedence:PR-07", "precedence:PR-08")
def test_the_most_critical_promise_wins_and_then_the_longest() -> None:
    at = Assessment((), (news("c", 1), news("c", 2), news("c", 2, rank=2), news("e", 2, rank=2)))
    assert classify(UNRANKED, at, JudgedRow({"N.sector": "c"})).standing == Standing(NO_RANK, 1, 2)
    assert classify(UNRANKED, at, JudgedRow({"N.sector": "e"})).standing == Standing(NO_RANK, 2, 2)
    assert classify(UNRANKED, at, JudgedRow({"B.sector": "c"})).standing == UNRANKED
    longer = classify(Standing(NO_RANK, 1, 1), at, JudgedRow({"N.sector": "c"}))
    assert longer.standing == Standing(NO_RANK, 1, 2)


RANKS = st.integers(1, 4)
ROWS = st.fixed_dictionaries(
    {f"S.s{rank}": st.booleans() for rank in range(1, 5)}
    | {f"S.d{rank}": st.sampled_from([0, 1]) for rank in range(1, 5)}
)
LEVELS = st.builds(
    Assessment,
    st.lists(st.builds(static, RANKS), max_size=5).map(tuple),
    st.lists(st.builds(dynamic, RANKS, st.integers(1, 3)), max_size=6).map(tuple),
)
SIGNIFICANT = st.one_of(RANKS, st.just(NO_RANK))
PROMISES = st.one_of(st.just((NO_RANK, NOWHERE)), st.tuples(RANKS, st.integers(1, 3)))
STANDINGS = st.builds(lambda s, p: Standing(s, *p), SIGNIFICANT, PROMISES)


def plainly(standing: Standing, at: Assessment, row: dict[str, object]) -> Standing:
    """Definitions 1 and 2 without short-cuts; promises behind the significant rank left out."""
    met = [level.rank for level in at.static if level.condition.holds(row)]
    significant = min([standing.significant, *met])
    held = [(standing.promising, -standing.until)]
    held += [(d.rank, -d.until) for d in at.dynamic
             if row.get(d.attribute) == d.value and d.rank < significant]  # fmt: skip
    promising, until = min(held)
    return Standing(significant, promising, -until)


@pytest.mark.spec("precedence:PR-05", "precedence:PR-08", "precedence:PR-23")
@given(STANDINGS, LEVELS, ROWS)
def test_short_cuts_change_nothing(
    standing: Standing, at: Assessment, row: dict[str, object]
) -> None:
    found = classify(standing, at, JudgedRow(row))
    assert found.standing == plainly(standing, at, row)
    assert found.static_tests <= len(at.static)
    assert found.dynamic_tests <= len(at.dynamic)


@pytest.mark.spec("precedence:PR-25")
@given(STANDINGS, LEVELS, ROWS)
def test_a_row_that_is_led_around_a_classifier_loses_nothing(
    standing: Standing, at: Assessment, row: dict[str, object]
) -> None:
    if not can_gain(standing, at):
        assert classify(standing, at, JudgedRow(row)).standing == standing
    assert not can_gain(standing, EMPTY)


@pytest.mark.spec("precedence:PR-25", "precedence:PR-41")
def test_the_plan_of_figure_3_leads_rank_one_around_the_third_classifier() -> None:
    blogs = DynamicLevel("B", 2, 1, "B.sector", "c")
    plan = RankPlan(((ONE, RC2), (TWO, RC3)), ((news("c"), (RC1,)), (blogs, (RC4,))))
    assert {*PIPELINE.edges} == {RC1, RC2, RC3, RC4}
    assert not can_gain(Standing(1), plan.assessment(RC3))
    assert can_gain(UNRANKED, plan.assessment(RC3))
    assert (plan.active_ranks, plan.last_active) == ((1, 2), 2)
    assert all(INITIAL.assessment(edge) == EMPTY for edge in PIPELINE.edges)
    assert INITIAL.last_active is None


@pytest.mark.spec("precedence:PR-06", "precedence:PR-09")
def test_the_rank_is_the_more_critical_of_both() -> None:
    assert UNRANKED.rank == NO_RANK
    assert Standing(3, 1, 2).rank == 1
    assert Standing(2, 3, 2).rank == 2
    assert Standing(2).rank == 2


@pytest.mark.spec("precedence:PR-21")
def test_a_promise_ends_at_its_operator_and_significance_never() -> None:
    short, long = Standing(NO_RANK, 1, 1), Standing(NO_RANK, 1, 2)
    assert short.queue(3) == 1
    assert short.reach(1).merge(UNRANKED) == UNRANKED
    assert short.reach(1).merge(Standing(1)) == Standing(1)
    assert long.reach(1).merge(UNRANKED) == long
    assert long.reach(2) == UNRANKED
    assert short.merge(long) == long
    assert Standing(2, 3, 1).merge(Standing(NO_RANK, 1, 2)) == Standing(2, 1, 2)
    assert Standing(2).reach(1).reach(2) == Standing(2)


@given(STANDINGS, STANDINGS, STANDINGS)
def test_merging_is_in_no_order(a: Standing, b: Standing, c: Standing) -> None:
    assert a.merge(b) == b.merge(a)
    assert a.merge(b).merge(c) == a.merge(b.merge(c))
    assert a.merge(UNRANKED) == a


@pytest.mark.spec("precedence:PR-26")
def test_a_plan_changes_the_queue_and_not_the_rank() -> None:
    raised = classify(
        UNRANKED, Assessment((), (news("c", 1, rank=2),)), JudgedRow({"N.sector": "c"})
    )
    assert raised.standing.queue(2) == 2
    assert raised.standing.reach(1).queue(2) == NO_RANK
    row = Standing(2)
    assert [row.queue(last) for last in (None, 1, 2, 3)] == [NO_RANK, NO_RANK, 2, 2]
    assert row.rank == 2


@pytest.mark.spec("precedence:PR-37")
def test_continuous_values_are_counted_and_tested_by_range() -> None:
    domain = Domain((("S.price", equal_widths(0.0, 30.0, 3)),))
    assert [*domain.values("S.price", 10.0)] == [Range(10.0, 20.0)]
    assert [*domain.values("S.price", -1.0)] == [Range(float("-inf"), 0.0)]
    assert [*domain.values("S.price", 30.0)] == [Range(30.0, float("inf"))]
    at = Assessment((), (DynamicLevel("S", 1, 1, "S.price", Range(10.0, 20.0)),))
    assert classify(UNRANKED, at, JudgedRow({"S.price": 19.9}, domain)).standing.promising == 1
    assert classify(UNRANKED, at, JudgedRow({"S.price": 20.0}, domain)).standing == UNRANKED


def test_a_row_with_several_sectors_promises_with_each() -> None:
    at = Assessment((), (news("a"), news("b", 2)))
    row = JudgedRow({"N.sector": frozenset("abc")})
    assert classify(UNRANKED, at, row).standing == Standing(NO_RANK, 1, 2)
