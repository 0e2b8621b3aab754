"""Engines for operators: how many plans are looked at, and that the best is found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.hybrid.algebra import Relation, Select, Window, steps
from slackwater.hybrid.cost import Cost, better
from slackwater.hybrid.optimizer import optimize
from slackwater.hybrid.placement import Rules, place, plan_count, priced, pure
from slackwater.hybrid.units import UnitCosts
from tests.hybrid.examples import UNITS, AnyCosts, branch, joined, m_way, shown

PLANS = (m_way(2), m_way(1), shown(joined(branch(1, 5, "max"), branch(2, 1, "max"), 1)))


@pytest.mark.spec("qddh:F129", "qddh:F130")
@pytest.mark.parametrize(
    ("shape", "operators", "plans"),
    [((2,), 6, 11), ((2, 3), 15, 312), ((2, 3, 1, 1, 1), 24, 8411), ((3,), 9, 32), ((5,), 15, 284)],
)
def test_pruning_leaves_the_printed_number_of_plans(
    shape: tuple[int, ...], operators: int, plans: int
) -> None:
    plan = m_way(*shape)
    assert len(steps(plan)) == operators
    assert plan_count(plan) == plans
    assert place(plan, AnyCosts(1)).plans == plans


@pytest.mark.spec("qddh:F130")
def test_without_pruning_there_are_as_many_plans_as_subsets() -> None:
    assert place(m_way(2), AnyCosts(1), Rules(prunes=False)).plans == 2**6
    assert place(m_way(3), AnyCosts(1), Rules(prunes=False)).plans == 2**9


@pytest.mark.spec("qddh:F129", "qddh:F131")
@given(st.sampled_from(PLANS), st.integers(0, 10**6), st.sampled_from([0.4, 1.0, 2.0, 6.0]))
def test_pruning_finds_a_plan_as_good_as_all_of_them(
    plan: Relation, seed: int, most: float
) -> None:
    costs = AnyCosts(seed, most)
    best = place(plan, costs, Rules(prunes=False))
    assert place(plan, costs).cost.rank == pytest.approx(best.cost.rank)
    if any(cost.is_feasible for cost in pure(plan, costs)):
        dropped = place(plan, costs, Rules(drops_infeasible=True))
        assert dropped.cost.rank == pytest.approx(best.cost.rank)
        assert dropped.plans <= plan_count(plan)
    assert priced(plan, costs, best.column).rank == pytest.approx(best.cost.rank)


@pytest.mark.spec("qddh:F131")
def test_plans_with_a_bottleneck_are_dropped_where_the_query_is_known_to_be_feasible() -> None:
    seed = next(
        n for n in range(99) if any(c.is_feasible for c in pure(m_way(2), AnyCosts(n, 1.15)))
    )
    dropped = place(m_way(2), AnyCosts(seed, 1.15), Rules(drops_infeasible=True))
    kept = place(m_way(2), AnyCosts(seed, 1.15))
    assert dropped.plans < kept.plans == 11
    assert dropped.cost == kept.cost


@pytest.mark.spec("qddh:F131")
def test_a_statement_that_is_too_slow_alone_is_kept_if_it_may_get_faster() -> None:
    """It ships fewer rows back when the filter after it is part of it."""
    known = {"row a": 2.0, "row b": 2.0, "column a": 1.5, "column b": 1.5, "column a,b": 0.9}
    plan: Relation = Window("w", ("v",), 1.0, 10.0, 1.0)
    for name in "ab":
        plan = Select(name, plan, "v > 0", 0.5)
    found = place(plan, AnyCosts(0, asked=known), Rules(drops_infeasible=True))
    assert (found.column, found.cost) == ({"a", "b"}, Cost(0.9, 0.9))


@pytest.mark.spec("qddh:F127")
@given(st.lists(st.builds(Cost, st.floats(0, 3), st.floats(0, 9)), min_size=3, max_size=3))
def test_the_order_of_plans_is_a_total_preorder(costs: list[Cost]) -> None:
    one, two, three = costs
    assert not better(one, one)
    assert not (better(one, two) and better(two, one))
    if not better(two, one) and not better(three, two):
        assert not better(three, one)


@pytest.mark.spec("qddh:F127")
def test_a_feasible_plan_goes_before_others_and_a_cheap_one_before_a_dear_one() -> None:
    assert better(Cost(1.0, 9.0), Cost(1.01, 1.5))
    assert better(Cost(0.9, 1.2), Cost(0.5, 1.3))
    assert better(Cost(1.1, 9.0), Cost(1.2, 1.2))


@pytest.mark.spec("qddh:F132")
def test_large_plans_are_cut_and_still_priced_as_a_whole() -> None:
    plan = m_way(2, 3, 1, 1, 1)
    costs = UnitCosts(UNITS)
    whole, cut = place(plan, costs), place(plan, costs, Rules(at_most=15))
    assert cut.plans < whole.plans / 10
    assert cut.cost.rank == pytest.approx(priced(plan, costs, cut.column).rank)
    assert cut.cost.rank >= whole.cost.rank
    small = m_way(2)
    assert place(small, costs, Rules(at_most=15)).plans == 11


@pytest.mark.spec("qddh:F133")
def test_without_minding_feasibility_the_least_use_wins_and_falls_behind() -> None:
    """Three filters: as one statement they use least, and too much for one operator."""

    class Busy(AnyCosts):
        def row(self, step):  # type: ignore[no-untyped-def]
            return 0.7

        def column(self, composite):  # type: ignore[no-untyped-def]
            return 1.2 if len(composite.members) == 3 else 3.0

    plan: Relation = Window("w", ("v",), 1.0, 10.0, 1.0)
    for name in "abc":
        plan = Select(name, plan, "v > 0", 0.5)
    minded, free = (optimize(plan, Busy(0), minds_feasibility=is_on) for is_on in (True, False))
    assert minded.is_known_feasible
    assert (minded.placement.column, minded.placement.cost.total) == (set(), pytest.approx(2.1))
    assert free.placement.column == {"a", "b", "c"}
    assert free.placement.cost == Cost(1.2, 1.2)


@pytest.mark.spec("qddh:F126", "qddh:F131")
def test_rows_are_chosen_where_shipping_costs_more_than_it_saves() -> None:
    """A sum is cheap in rows; the largest of a long window is not."""

    def query(function: str) -> Relation:
        return shown(joined(branch(1, 5, function, 100_000), branch(2, 1, function, 100_000), 1))

    sums, largest = (optimize(query(f), UnitCosts(UNITS)) for f in ("avg", "max"))
    assert sums.placement.column == frozenset()
    assert {"per plug 1"} <= largest.placement.column
    assert "load 1" not in largest.placement.column  # filters stay: they halve what is shipped
    assert not largest.rows_only.is_feasible
    assert largest.placement.cost.is_feasible


def test_a_plan_is_at_least_as_good_as_either_engine_alone() -> None:
    for rate in (100, 1000, 10_000, 40_000):
        for plan in (m_way(3, rate=rate), shown(branch(1, 5, "max", rate))):
            found = optimize(plan, UnitCosts(UNITS))
            for alone in (found.rows_only, found.columns_only):
                assert not better(alone, found.placement.cost)
