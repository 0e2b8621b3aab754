"""Rows wait by rank, are worked on within a budget, and keep what they carry about ranks."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.papers.precedence_works2015.operators.row import merge, row_of
from slackwater.papers.precedence_works2015.operators.steps import project, select
from slackwater.precede.adaptor import SetActiveRanks, adapt
from slackwater.precede.classifier import Assessment
from slackwater.precede.level import NO_RANK, DynamicLevel
from slackwater.precede.pipeline import Operator, Pipeline
from slackwater.precede.plan import RankPlan
from slackwater.precede.standing import Standing
from slackwater.units import SECOND
from tests.papers.precedence_works2015.examples import (
    all_served,
    at_random,
    executor,
    served,
    sources,
    waiting,
)
from tests.precede.stocks import ONE, OP1, OP2, PIPELINE, RC1, RC2, RC3, RC4, THREE, TWO, news

BLOGS = DynamicLevel("B", 2, 1, "B.sector", "c")
ALL_EARLY = RankPlan(((ONE, RC2), (TWO, RC2), (THREE, RC2)))
FIGURE_3 = RankPlan(((ONE, RC2), (TWO, RC3)), ((news("c"), (RC1,)), (BLOGS, (RC4,))))


@pytest.mark.spec("precedence:PR-12", "precedence:PR-15", "precedence:PR-16")
def test_rows_of_one_rank_share_a_queue_whatever_gave_them_the_rank() -> None:
    op = Operator("op1", ("S", "N"), keys=OP1.keys)
    plan = RankPlan(((ONE, RC2), (TWO, RC2)), ((news("c", 2), (RC1,)),))
    one = executor(plan, Pipeline((op, OP2)))
    rows = [("S", 1, "c", 1), ("N", 2, "c", 0), ("S", 3, "c", 0), ("S", 4, "d", 1)]
    rows += [("S", 5, "d", 2), ("S", 6, "d", 3), ("N", 7, "d", 0)]
    for source in sources(rows):
        one.arrive(source)
    assert waiting(one) == {
        (1, 1, 0): [0, 3],
        (1, 1, 1): [1],
        (2, 1, 0): [4],
        (NO_RANK, 1, 0): [2, 5],
        (NO_RANK, 1, 1): [6],
    }
    one.work(2.0)  # 0, then 1: their result goes on with the more critical rank of both
    assert waiting(one)[1, 2, 0] == [1]


@pytest.mark.spec("precedence:PR-13", "precedence:PR-03")
def test_without_active_levels_everything_is_first_come_first_served() -> None:
    rows = sources([("S", n, f"s{n}", n % 4) for n in range(8)])
    assert all_served(executor(), rows) == [*range(8)]
    mixed = sources([("SN"[n % 2], n, f"s{n}", n % 4) for n in range(9)])
    assert all_served(executor(), mixed) == [*range(9)]


@pytest.mark.spec("precedence:PR-14", "precedence:PR-30")
def test_the_most_critical_goes_furthest_before_others_begin() -> None:
    rows = sources(
        [("B", 1, "c", 0), ("S", 2, "c", 0), ("S", 3, "c", 3), ("S", 4, "c", 1), ("N", 5, "c", 0)]
    )
    one = executor(ALL_EARLY)
    assert all_served(one, rows[:4]) == [3, 2, 0, 1]
    one = executor(RankPlan(ALL_EARLY.static, ((news("c", 2), (RC1,)), (BLOGS, (RC4,)))))
    assert all_served(one, rows) == [0, 3, 4, 4, 2, 4, 1, 4]  # furthest along, then the oldest
    assert len(one.given) == 3


@pytest.mark.spec("precedence:PR-14")
@given(st.integers(0), st.integers(1, 60), st.floats(0, 40))
def test_nobody_is_served_while_a_more_critical_row_waits(
    seed: int, rows: int, budget: float
) -> None:
    one = executor(ALL_EARLY)
    for source in at_random(seed, rows):
        one.arrive(source)
    spent, before = one.books.spent, 0
    while one.books.spent - spent < budget and (place := one._next()) is not None:
        assert min(queue for queue, *_ in waiting(one)) == place[0]
        one.work(1e-9)
        before += 1
    assert before == one.books.rows["served"]


@pytest.mark.spec("precedence:PR-29")
@given(st.integers(0), st.floats(0.5, 50))
def test_a_budget_is_exceeded_by_one_row_at_most(seed: int, budget: float) -> None:
    one = executor(FIGURE_3)
    for source in at_random(seed, 50):
        one.arrive(source)
    before = one.books.spent
    left = one.work(budget)
    used = one.books.spent - before
    assert left == pytest.approx(budget - used)
    most = max(1 + 50 * 0.05 + 50 * 2 * 0.03, 0)
    assert used <= budget + most
    assert used >= budget or not waiting(one)
    assert sum(one.books.units.values()) == pytest.approx(one.books.spent)


@pytest.mark.spec("precedence:PR-20", "precedence:PR-26")
def test_a_promise_ends_in_front_of_its_operator_and_before_the_state() -> None:
    plan = RankPlan(((ONE, RC2),), ((news("c", 1), (RC1,)),))
    one = executor(plan)
    [paper, plain, critical] = sources([("N", 1, "c", 0), ("S", 2, "c", 0), ("S", 3, "c", 1)])
    row = one.arrive(paper)
    assert row.standing == Standing(NO_RANK, 1, 1)
    assert waiting(one) == {(1, 1, 1): [0]}
    one.work(0.1)
    [kept] = one.joins["op1"].states[1]["c"]
    assert kept.standing == Standing()
    one.arrive(plain)
    one.work(1e-9)
    one.arrive(critical)
    one.work(1e-9)
    assert waiting(one) == {(1, 2, 0): [2], (NO_RANK, 2, 0): [1]}


@pytest.mark.spec("precedence:PR-22")
@given(st.integers(0))
def test_a_significant_rank_reaches_the_end(seed: int) -> None:
    one = executor(RankPlan(((ONE, RC2), (TWO, RC2), (THREE, RC2))))
    sent = []
    give = one._give
    one._give = lambda row, op: (sent.append((op.name, row)), give(row, op))  # type: ignore[assignment, misc, return-value]
    for source in at_random(seed, 60, until=20 * SECOND):
        one.arrive(source)
    one.work(1e9)
    assert all(row.standing.significant == row.level for _, row in sent)


@pytest.mark.spec("precedence:PR-60")
def test_a_promise_for_the_last_join_of_a_run_is_classified_once() -> None:
    short = executor(RankPlan((), ((news("c", 1), (RC1,)), (news("c", 2), (RC3,)))))
    long = executor(RankPlan((), ((news("c", 2), (RC1,)),)))
    rows = sources([("S", 1, "c", 0), ("N", 2, "c", 0), ("B", 3, "c", 0)])
    for one in (short, long):
        all_served(one, rows)
        assert len(one.given) == 1
    assert (short.books.tests["dynamic"], long.books.tests["dynamic"]) == (2, 1)


@pytest.mark.spec("precedence:PR-25", "precedence:PR-24")
def test_rows_that_cannot_gain_are_led_around_a_classifier() -> None:
    one = executor(FIGURE_3)
    rows = sources([("N", 1, "c", 0), ("S", 2, "c", 1), ("S", 3, "c", 2)])
    all_served(one, rows)
    assert one.books.tests["around"] == 1  # the result of rank 1 in front of op2
    assert one.books.tests["static"] == 3  # both stocks at their leaf, one result behind it
    assert one.books.tests["dynamic"] == 1


@pytest.mark.spec("precedence:PR-17", "precedence:PR-18")
def test_selections_and_projections_leave_ranks_as_they_are() -> None:
    [paper] = sources([("N", 1, "c", 0)])
    row = replace(row_of(paper), standing=Standing(2, 1, 3))
    assert select(row, lambda one: True) == [row]
    assert select(row, lambda one: False) == []
    cut = project(row, frozenset({"N.sector"}))
    assert (cut.standing, cut.get("N.sector"), cut.newest.ts) == (row.standing, None, 1)
    few = Operator("few", ("N",), "select")
    cuts = Operator("cut", ("op1",), "project", drops=frozenset({"N.sector"}))
    pipeline = Pipeline(
        (few, Operator("op1", ("S", "few"), keys=OP1.keys), cuts,
         Operator("op2", ("cut", "B"), keys=OP2.keys))
    )  # fmt: skip
    edge = pipeline.route("N")[0]
    plan = RankPlan((), ((news("c", 4), (edge,)),))
    one = executor(plan, pipeline, conditions={"few": lambda row: row.get("N.sector") == "c"})
    rows = sources([("N", 1, "c", 0), ("N", 2, "d", 0), ("S", 3, "c", 0), ("S", 4, "d", 0)])
    for source in rows:
        one.arrive(source)
    assert served(one, 0.3) == [0]
    assert waiting(one)[1, 2, 1] == [0]
    served(one, 2.2)
    assert waiting(one)[1, 4, 0] == [2]
    served(one, 1e9)
    assert one.books.units["selections"] == pytest.approx(0.6)


@pytest.mark.spec("precedence:PR-65", "precedence:PR-66", "precedence:PR-67")
def test_what_is_told_holds_for_the_next_row_and_moves_none_that_waits() -> None:
    one = executor(ALL_EARLY)
    rows = sources([("S", 1, "c", 2), ("S", 2, "c", 0), ("S", 3, "c", 2)])
    one.arrive(rows[0])
    one.arrive(rows[1])
    new = RankPlan(((ONE, RC2),))
    before = waiting(one)
    one.tell(adapt(PIPELINE, ALL_EARLY, new))
    assert waiting(one) == before
    last = one.arrive(rows[2])
    assert waiting(one) == {(2, 1, 0): [0], (NO_RANK, 1, 0): [1, 2]}
    assert last.standing == Standing()  # the level of its rank is tested no more
    one.tell([SetActiveRanks(3)])
    assert one._next() is not None
    one.work(1e-9)
    assert one.settings.last_active == 3


@pytest.mark.spec("precedence:PR-26")
def test_a_rank_that_counts_for_nothing_is_kept() -> None:
    one = executor(ALL_EARLY)
    paper, stock = sources([("N", 1, "c", 0), ("S", 2, "c", 2)])
    one.arrive(paper)
    one.arrive(stock)
    one.tell([SetActiveRanks(1)])
    one.work(1e9)
    [row] = one.joins["op2"].states[0]["c"]
    assert row.standing.significant == 2


@pytest.mark.spec("precedence:PR-27")
def test_rows_expire_and_are_counted_by_what_they_were_worth() -> None:
    one = executor(FIGURE_3, lifespan=30 * SECOND)
    one.promise(Assessment((), (news("c", 2), BLOGS, news("d", 1, rank=2))))
    rows = [
        ("S", 0, "c", 1),
        ("S", 1, "x", 3),
        ("N", 2, "c", 0),
        ("N", 3, "d", 0),
        ("B", 4, "d", 0),
    ]
    for source in sources(rows):
        one.arrive(source)
    one.advance(30 * SECOND)
    assert one.books.rows["sources expired"] == 0
    one.advance(30 * SECOND + 5)
    assert one.books.rows["sources expired"] == 5
    assert one.books.significant == {1: 1, 3: 1}
    assert one.books.promising == {1: 1, 2: 1}
    assert waiting(one) == {}
    for_ever = executor(FIGURE_3, lifespan=None)
    for source in sources(rows):
        for_ever.arrive(source)
    for_ever.advance(10_000 * SECOND)
    assert for_ever.books.rows["sources expired"] == 0
    assert for_ever.work(1e9) > 0


@pytest.mark.spec("precedence:PR-21")
def test_a_result_is_born_with_its_oldest_member_and_meets_with_its_newest() -> None:
    stock, paper = sources([("S", 5, "c", 1), ("N", 9, "c", 0)])
    row = merge(row_of(stock), row_of(paper))
    assert (row.born, row.newest, row.level) == (5, paper, 1)
