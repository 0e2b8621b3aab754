"""Operators of an annotated plan get machines, or it is told why not."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.papers.adaptive_zhu2006.machines.allocation import (
    METHODS,
    Allocation,
    AnnotatedPlan,
    Capacity,
    Edge,
    Feedback,
    Profile,
    even_split,
    few_machines,
    is_valid,
    loads,
    smallest,
)

PLAN = AnnotatedPlan(
    (Profile("AB", 40, 100), Profile("BC", 30, 50, "nested"), Profile("ABC", 20, 30)),
    (Edge("AB", "ABC", 5), Edge("BC", "ABC", 1)),
)


@pytest.mark.spec("adaptive:DIS-15")
def test_a_join_method_follows_from_the_predicate() -> None:
    assert METHODS["one column"] == "hash"
    assert METHODS["several columns"] == "mixed"
    assert METHODS["complex"] == "nested"
    assert [Profile("J", 1, 1, method).is_partitioned for method in METHODS.values()] == [
        True,
        False,
        False,
    ]


@pytest.mark.spec("adaptive:DIS-15")
def test_everything_stays_on_one_machine_as_long_as_it_fits() -> None:
    found = few_machines(PLAN, Capacity(100, 200, 3))
    assert found == Allocation({"AB": (0,), "BC": (0,), "ABC": (0,)})


@pytest.mark.spec("adaptive:DIS-15")
def test_what_leaves_is_what_sends_least() -> None:
    """Units 90 are too many for 80: BC goes, over an edge of 1, and both ends pay for it."""
    found = few_machines(PLAN, Capacity(80, 200, 3))
    assert found == Allocation({"AB": (0,), "BC": (1,), "ABC": (0,)})
    assert isinstance(found, Allocation)
    assert loads(PLAN, found) == {0: (61, 130), 1: (31, 50)}


@pytest.mark.spec("adaptive:DIS-15")
def test_an_operator_too_large_for_a_machine_is_divided_or_told() -> None:
    capacity = Capacity(35, 200, 4)
    found = few_machines(PLAN, capacity)
    assert isinstance(found, Allocation)
    assert len(found.homes["AB"]) > 1  # a hash join by one key
    assert is_valid(PLAN, found, capacity)
    assert few_machines(PLAN, Capacity(25, 200, 8)) == Feedback("operator too large", "BC")
    assert few_machines(PLAN, Capacity(35, 50, 3)) == Feedback("cluster too small")


@pytest.mark.spec("adaptive:DIS-15")
def test_an_even_split_takes_so_few_machines_that_each_has_enough_to_do() -> None:
    capacity = Capacity(100, 200, 9)
    wide, few = even_split(PLAN, capacity), even_split(PLAN, capacity, load_factor=0.3)
    assert isinstance(wide, Allocation)
    assert isinstance(few, Allocation)
    machines = [{m for mine in one.homes.values() for m in mine} for one in (wide, few)]
    assert len(machines[0]) > len(machines[1])
    assert len(machines[1]) <= 3


@pytest.mark.spec("adaptive:DIS-15")
def test_the_next_plan_is_tried_when_one_cannot_be_laid_out() -> None:
    hashed = AnnotatedPlan((Profile("AB", 40, 100), Profile("C", 30, 50)), ())
    nested = AnnotatedPlan((Profile("ABC", 60, 10, "nested"),), ())
    number, found = smallest([nested, hashed], Capacity(50, 100, 2))
    assert (number, type(found)) == (1, Allocation)
    assert smallest([nested], Capacity(50, 100, 2)) == (0, Feedback("operator too large", "ABC"))


@given(
    sizes=st.lists(st.tuples(st.integers(1, 60), st.integers(1, 60)), min_size=1, max_size=6),
    machines=st.integers(1, 6),
)
def test_operators_that_can_be_divided_get_machines_if_there_are_enough(
    sizes: list[tuple[int, int]], machines: int
) -> None:
    operators = tuple(Profile(f"J{n}", cpu, rows) for n, (cpu, rows) in enumerate(sizes))
    edges = tuple(Edge(one.name, other.name, 1) for one, other in pairwise(operators))
    plan, capacity = AnnotatedPlan(operators, edges), Capacity(50, 50, machines)
    enough = all(sum(column) <= 50 * machines for column in zip(*sizes, strict=True))
    for answer in (few_machines(plan, capacity), even_split(plan, capacity)):
        assert isinstance(answer, Allocation if enough else Feedback)
        assert isinstance(answer, Feedback) or is_valid(plan, answer, capacity)
