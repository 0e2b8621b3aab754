"""Plans that were good before are found again when times are alike."""

from __future__ import annotations

import itertools
from math import inf

import pytest

from slackwater.optimize.choose import choose
from slackwater.optimize.known import pairwise
from slackwater.optimize.library import SHELVES, Library, added, distance, nearest
from slackwater.optimize.plan import Space
from slackwater.plan.tree import JoinNode, show_tree, tree_over

NAMES = ("a", "b", "c")
MORNING, EVENING = {"a": 100.0, "a b": 0.01}, {"a": 10.0, "a b": 0.2}


def tree(text: str, names: tuple[str, ...] = NAMES) -> JoinNode:
    return tree_over(text, names)


@pytest.mark.spec("adaptive:TRG-06")
def test_the_plan_of_the_most_similar_time_is_found() -> None:
    library = added(added((), tree("((a b) c)"), MORNING), tree("(a (b c))"), EVENING)
    found = nearest(library, {"a": 80.0, "a b": 0.02})
    assert found is not None
    assert show_tree(found.tree) == "((a b) c)"
    assert nearest((), MORNING) is None


def test_a_plan_stands_once_and_the_oldest_are_forgotten() -> None:
    library: Library = ()
    names = tuple(f"s{n}" for n in range(SHELVES + 2))
    for first in names:
        others = " ".join(name for name in names if name != first)
        library = added(library, tree(f"({first} ({others}))", names), MORNING)
    assert len(library) == SHELVES
    again = added(library, library[-1].tree, EVENING)
    assert len(again) == SHELVES
    assert again[0].signature == EVENING


def test_times_differ_by_their_largest_factor() -> None:
    assert distance(MORNING, MORNING) == 0
    assert distance(MORNING, EVENING) == pytest.approx(distance(EVENING, MORNING))
    assert distance({"a": 0.0}, {"a": 0.0}) == 0
    assert distance(MORNING, {"a": 1.0}) == inf


@pytest.mark.spec("adaptive:TRG-06")
def test_a_plan_that_was_good_before_is_chosen_if_it_is_still_better_than_what_is_found() -> None:
    names = tuple("abcdef")
    rates = dict.fromkeys(names, 100.0)
    pairs = dict.fromkeys(itertools.pairwise(names), 0.3)
    space = Space(pairwise(rates, pairs))
    exact = choose(space, exact=6).plan
    searched = choose(space, exact=1).plan
    assert not isinstance(exact.tree, str)
    with_it = choose(space, exact=1, tried=[exact.tree]).plan
    assert with_it.cost.cpu == pytest.approx(exact.cost.cpu)
    assert with_it.cost.cpu <= searched.cost.cpu
