"""Plans that are rewritten step by step, and the states that match by number at the end."""

from __future__ import annotations

from random import Random

import pytest

from slackwater.errors import SlackwaterError
from slackwater.papers.adaptive_zhu2006.operators.box import Box
from slackwater.papers.adaptive_zhu2006.operators.engine import Engine
from slackwater.papers.adaptive_zhu2006.operators.matching import Step, by_schema
from slackwater.papers.adaptive_zhu2006.operators.moving import move_state
from slackwater.papers.adaptive_zhu2006.operators.oracle import expected
from slackwater.papers.adaptive_zhu2006.operators.plan import (
    Condition,
    Join,
    Plan,
    Project,
    Select,
    Source,
    tree,
)
from slackwater.papers.adaptive_zhu2006.operators.query import Column
from slackwater.papers.adaptive_zhu2006.operators.rewriting import Rewriting
from tests.papers.adaptive_zhu2006.operators.random_plans import chain, random_arrivals

QUERY = chain(names="ABC")
ON_C = Condition(Column("C", "v"), "=", 1)
B_V = Column("B", "v")
DROP = frozenset((B_V,))
A, B, C = (Source(name) for name in "ABC")
JOINS = tree("(A B) C")
UP: Plan = Project(Select(JOINS, ON_C), DROP)
DOWN: Plan = Join((Join((Project(B, DROP), Select(C, ON_C))), A))


def pushed_down() -> Rewriting:
    change = Rewriting(UP, QUERY)
    change.swap(JOINS, A)  # (B C) A
    change.push(Select(tree("(B C) A"), ON_C))
    change.push(Select(tree("B C"), ON_C))
    below = Join((Join((B, Select(C, ON_C))), A))
    change.push(Project(below, DROP))
    change.push(Project(below.inputs[0], DROP))
    return change


def pulled_up() -> Rewriting:
    change = Rewriting(DOWN, QUERY)
    change.pull(Project(B, DROP))
    change.pull(Select(C, ON_C))
    change.pull(Project(Select(tree("B C"), ON_C), DROP))
    change.pull(Select(tree("B C"), ON_C))
    change.swap(tree("(B C) A"), C)
    return change


@pytest.mark.spec("adaptive:MIG-15")
def test_the_example_numbers_its_states_and_writes_down_what_passes_them() -> None:
    before = dict(Rewriting(UP, QUERY).numbered())
    assert sorted(before) == [1, 2, 3, 4]  # S_A, S_B, S_AB, S_C
    change = pushed_down()
    assert change.plan == DOWN
    after = {number: place.child for number, place in change.numbered()}
    assert sorted(after) == [1, 2, 4, 5]  # S_BC is new
    assert after[5] == DOWN.inputs[0]
    filtered, dropped = Step("filter", ON_C), Step("project", B_V)
    assert change.recorded() == {1: (), 2: (dropped,), 4: (filtered,), 5: (filtered, dropped)}
    matches = change.match(Box((UP,)), Box((DOWN,)), QUERY)
    assert {place.child for place in matches} == {A, Project(B, DROP), Select(C, ON_C)}


@pytest.mark.spec("adaptive:MIG-15")
def test_one_select_pushed_once_is_written_down_in_one_state() -> None:
    condition = Condition(Column("B", "v"), ">", 9)
    change = Rewriting(Select(tree("A B"), condition), chain(names="AB"))
    change.push(change.plan)
    assert change.plan == Join((A, Select(B, condition)))
    assert change.recorded() == {1: (), 2: (Step("filter", condition),)}


@pytest.mark.spec("adaptive:MIG-15")
@pytest.mark.parametrize("addressing", ["position", "id"])
@pytest.mark.parametrize("is_down", [True, False], ids=["down", "up"])
def test_states_matched_by_number_lose_nothing(is_down: bool, addressing: str) -> None:
    missed = 0
    for seed in range(5):
        change = pushed_down() if is_down else pulled_up()
        arrivals = random_arrivals(Random(seed), QUERY, 80)
        for match in (change.match, by_schema):
            engine = Engine(QUERY, UP if is_down else DOWN, addressing=addressing)
            engine.run(arrivals[:30])
            new = Box((change.plan,))
            if match == change.match:
                done = move_state(engine, new, match=match)
                assert (len(done.matched), len(done.made)) == (3, 1)
                engine.run(arrivals[30:])
                assert engine.records() == expected(QUERY, arrivals, [ON_C], DROP)
            else:  # schemas do not tell: S_B has other columns
                missed += len(match(Box(engine.roots), new, QUERY)) < 3
    assert missed == 5


@pytest.mark.spec("adaptive:MIG-15")
def test_what_cannot_pass_is_refused() -> None:
    key = frozenset((Column("B", "k0"),))
    for plan, step in (
        (Project(JOINS, key), lambda one: [one.push(one.plan), one.push(one.plan.inputs[0])]),
        (UP, lambda one: one.pull(UP)),
        (UP, lambda one: one.push(Select(A, ON_C))),
        (UP, lambda one: one.swap(JOINS, C)),
        (Project(Select(A, ON_C), DROP), lambda one: one.push(one.plan)),
    ):
        with pytest.raises(SlackwaterError, match="REWRITE_REFUSED"):
            step(Rewriting(plan, QUERY))
