"""Whether, how much, and which groups: by the rule of the source work."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.balance.cost import Cost, Spent
from slackwater.balance.rule import Move, Thresholds, decide
from slackwater.balance.select import select
from slackwater.balance.split import HEAVY, split
from slackwater.balance.table import Distribution, Load, balanced

LIMITS = Thresholds(highest=80, lowest=60, difference=20)
WEIGHT = st.floats(0, 1000)
LOADS = st.lists(st.builds(Load, WEIGHT, WEIGHT), min_size=64, max_size=64)


@pytest.mark.spec("adaptive:DIS-01")
@pytest.mark.parametrize(
    ("loads", "wanted"),
    [
        ({1: 79.9, 2: 0}, "nobody is overloaded"),
        ({1: 90, 2: 61}, "everybody is overloaded"),
        ({1: 80, 2: 60.5}, "everybody is overloaded"),
        ({1: 80, 2: 60.0}, Move(1, 2, 10)),
        ({1: 80, 2: 59, 3: 61}, Move(1, 2, 10.5)),
        ({1: 10, 2: 100, 3: 50}, Move(2, 1, 45)),
    ],
)
def test_load_moves_from_the_most_to_the_least_loaded(
    loads: dict[int, float], wanted: object
) -> None:
    assert decide(loads, LIMITS) == wanted


@pytest.mark.spec("adaptive:DIS-01")
def test_a_small_difference_is_left_alone() -> None:
    assert decide({1: 80, 2: 60}, Thresholds(80, 60, 20.1)) == "the difference is small"


@pytest.mark.spec("adaptive:DIS-03")
def test_the_largest_groups_that_fit_are_chosen() -> None:
    assert select({1: 5, 2: 4, 3: 3, 4: 1}, 8) == (1, 3)
    assert select({1: 50, 2: 9}, 8) == ()
    assert select({1: 0, 2: 2}, 5) == (2,)


@pytest.mark.spec("adaptive:DIS-02")
def test_the_example_of_two_machines() -> None:
    """Modulo 2 over the first column: even values at one machine, odd ones at the other."""
    table = Distribution.even(2, 2)
    assert [table.machines[value % 2] for value in (1, 2, 3, 4)] == [(1,), (0,), (1,), (0,)]
    assert table.moved({1: (0,)}).of(0) == {0, 1}


@pytest.mark.spec("adaptive:DIS-03")
@given(LOADS, st.integers(1, 9))
def test_no_machine_is_left_with_more_than_before(groups: list[Load], machines: int) -> None:
    table = Distribution.even(64, machines)
    better = balanced(table, groups, machines, Thresholds(0, float("inf"), 0))
    assert sorted(group for m in range(machines) for group in better.of(m)) == list(range(64))
    before, after = (max(t.loads(groups, machines).values()) for t in (table, better))
    assert after <= before * (1 + 1e-9)


@given(st.lists(st.builds(Load, st.floats(1, 2)), min_size=64, max_size=64))
def test_groups_of_about_one_size_end_up_even(groups: list[Load]) -> None:
    """Whoever had half of everything, as in the source work's experiments."""
    table = Distribution((*((0,) for _ in range(32)), *((1 + n % 3,) for n in range(32))))
    better = balanced(table, groups, 4, Thresholds(0, float("inf"), 0))
    loads = better.loads(groups, 4).values()
    assert max(loads) <= 1.15 * sum(loads) / 4


# groups that are split ----------------------------------------------------------------------------


@given(LOADS, st.integers(1, 9), st.integers(1, 9))
def test_a_group_is_split_only_if_it_outweighs_a_share(
    groups: list[Load], machines: int, before: int
) -> None:
    found = split(Distribution.even(64, before), groups, machines)
    fair = sum(load.total for load in groups) / machines
    for load, mine in zip(groups, found.machines, strict=True):
        assert len(set(mine)) == len(mine)
        assert set(mine) <= set(range(machines))
        if load.divisible <= HEAVY * fair:
            assert len(mine) == 1
        else:
            assert load.divisible / len(mine) <= fair * (1 + 1e-9) or len(mine) == machines


@pytest.mark.parametrize("machines", [2, 3, 4, 10])
def test_one_key_with_half_of_all_rows_holds_up_nobody(machines: int) -> None:
    groups = [Load(0, 1.0) for _ in range(63)] + [Load(0, 63.0)]
    table = split(Distribution.even(64, machines), groups, machines)
    fair = 126 / machines
    table = balanced(table, groups, machines, Thresholds(fair, fair, 0.1 * fair))
    assert max(table.loads(groups, machines).values()) <= 1.15 * fair


def test_what_cannot_be_divided_stays_whole() -> None:
    groups = [Load(63.0, 1.0), *(Load(1.0) for _ in range(63))]
    assert split(Distribution.even(64, 4), groups, 4) == Distribution.even(64, 4)


# what rows cost -----------------------------------------------------------------------------------


@given(st.floats(1e-8, 1e-5), st.floats(0.01, 1.0), st.integers(0, 10**6))
def test_the_cost_of_rows_is_learned_from_how_long_machines_took(
    new: float, held: float, seed: int
) -> None:
    cost, random = Cost(), Random(seed)
    for _ in range(30):
        rows = [(random.randrange(10**5), random.randrange(10**6)) for _ in range(4)]
        cost = cost.after(Spent(0, f, h, new * (f + held * h)) for f, h in rows)
    assert cost.held == pytest.approx(held, rel=0.5, abs=0.05)


@given(st.lists(st.builds(Spent, *(st.integers(0, 10**7),) * 3, st.floats(0, 1e3))))
def test_whatever_was_measured_a_row_has_a_cost(spent: list[Spent]) -> None:
    assert 0 < Cost().after(spent).held <= 1
