"""Orders of filters: what they cost on rows that were counted, and the best of them."""

from __future__ import annotations

from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.robust import filters
from slackwater.robust.filters import FilterCosts, best_order, shares, work

COSTS = st.lists(st.floats(0.01, 100), min_size=2, max_size=5)


@st.composite
def counted(draw: st.DrawFn) -> tuple[list[float], tuple[tuple[int, int], ...]]:
    costs = draw(COSTS)
    masks = st.tuples(st.integers(0, 2 ** len(costs) - 1), st.integers(1, 50))
    return costs, tuple(draw(st.lists(masks, min_size=1, max_size=12, unique_by=lambda x: x[0])))


@given(counted())
def test_an_order_costs_what_rows_meet_one_by_one(
    case: tuple[list[float], tuple[tuple[int, int], ...]],
) -> None:
    costs, patterns = case
    for order in permutations(range(len(costs))):
        total = 0.0
        for mask, rows in patterns:
            for number in order:
                total += costs[number] * rows
                if not mask >> number & 1:
                    break
        assert work(order, costs, patterns) == pytest.approx(total / sum(n for _, n in patterns))


@given(counted())
def test_the_best_order_is_the_best_of_all_and_greedy_within_four_times(
    case: tuple[list[float], tuple[tuple[int, int], ...]],
) -> None:
    """The bound is proved for the greedy rule by conditional ranks (Babu et al. 2004, 4.1)."""
    costs, patterns = case
    least = min(work(order, costs, patterns) for order in permutations(range(len(costs))))
    assert work(best_order(costs, patterns), costs, patterns) == pytest.approx(least)
    assert work(filters._greedy(costs, patterns), costs, patterns) <= 4 * least * (1 + 1e-9)


@given(st.lists(st.tuples(st.floats(0.1, 9), st.floats(0.05, 0.95)), min_size=2, max_size=4))
def test_of_independent_filters_ranks_find_the_best_order(
    given_: list[tuple[float, float]],
) -> None:
    costs, passing = zip(*given_, strict=True)
    patterns = []
    for bits in product((0, 1), repeat=len(costs)):
        weight = 1.0
        for bit, share in zip(bits, passing, strict=True):
            weight *= share if bit else 1 - share
        patterns.append((sum(bit << n for n, bit in enumerate(bits)), round(weight * 1e9)))
    point = (*passing, *costs)
    found = FilterCosts(len(costs))
    ranked = found.optimize(point)
    assert work(ranked, costs, tuple(patterns)) == pytest.approx(
        work(best_order(costs, tuple(patterns)), costs, tuple(patterns)), rel=1e-4
    )
    assert found.cost(ranked, point) == pytest.approx(
        work(ranked, costs, tuple(patterns)), rel=1e-4
    )
    assert sum(found.loads(ranked, point)) == pytest.approx(found.cost(ranked, point))
    assert shares(tuple(patterns), len(costs)) == pytest.approx(passing, rel=1e-3)


def test_filters_that_drop_the_same_rows_are_not_asked_one_after_the_other() -> None:
    patterns = ((0b100, 60), (0b111, 20), (0b011, 20))  # the first two drop what the other does
    costs = (1.0, 1.1, 1.2)
    assert best_order(costs, patterns) == (0, 2, 1)
    ranks = FilterCosts(3).optimize((*shares(patterns, 3), *costs))
    assert ranks == (0, 1, 2)
    assert work((0, 2, 1), costs, patterns) < work(ranks, costs, patterns)
