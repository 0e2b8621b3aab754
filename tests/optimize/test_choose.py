"""One plan is chosen: within limits if there is one, else the nearest, in the time given."""

from __future__ import annotations

import random
import time
from math import inf

import pytest

from slackwater.optimize.bjtree_init import bjtree_init
from slackwater.optimize.choose import EXACT, choose, excess, scarce
from slackwater.optimize.cost import Cost
from slackwater.optimize.mjoin_init import mjoin_init
from slackwater.optimize.plan import Space
from slackwater.plan.tree import JoinNode, all_trees, inputs_of, nodes_of
from tests.optimize.graphs import drawn
from tests.optimize.test_costs import SETS
from tests.optimize.test_strategies import between, canonical

SEED = time.time_ns()


@pytest.mark.spec("adaptive:OPT-18")
def test_the_least_work_within_the_limits_is_chosen() -> None:
    space = Space(SETS[4])
    free = choose(space)
    assert free.is_within
    assert free.is_exact
    best = min(space.cost(space.best(tree)).cpu for tree in all_trees("ABCD"))
    assert free.plan.cost.cpu == pytest.approx(best)
    tight = choose(space, Cost(inf, 30_000))
    assert canonical(tight.plan.tree) == "((A B) C D)"
    assert tight.runner_up is not None
    assert tight.runner_up.tree != tight.plan.tree


def test_where_no_plan_is_within_the_nearest_is_chosen() -> None:
    space = Space(SETS[4])
    limits = Cost(1.0e6, 5_000)
    choice = choose(space, limits)
    assert not choice.is_within
    every = [space.cost(space.best(tree)) for tree in all_trees("ABCD")]
    assert excess(choice.plan.cost, limits) == pytest.approx(
        min(excess(cost, limits) for cost in every)
    )
    assert excess(Cost(1.0, 1.0), Cost(0.0, 1.0)) == inf


@pytest.mark.spec("adaptive:OPT-19")
def test_the_strategy_follows_what_is_scarce() -> None:
    space = Space(SETS[4])
    assert scarce(space, Cost(1e9, 10_000)) == "memory"
    assert scarce(space, Cost(1e6, 1e6)) == "cpu"


@pytest.mark.spec("adaptive:OPT-18")
def test_many_inputs_get_a_plan_in_the_time_that_is_given() -> None:
    space = Space(drawn(random.Random(SEED), 20, "cyclic"))
    limits = between(random.Random(SEED), space)
    ticks = iter(range(1_000_000))
    hasty = choose(space, limits, budget=1.0, clock=lambda: float(next(ticks)))
    assert not hasty.is_exact
    assert sorted(inputs_of(hasty.plan.tree)) == sorted(space.known.names)
    patient = choose(space, limits, budget=60.0)
    assert excess(patient.plan.cost, limits) <= excess(hasty.plan.cost, limits) * (1 + 1e-9), SEED


@pytest.mark.spec("adaptive:OPT-20")
def test_time_grows_like_a_polynomial_of_low_degree() -> None:
    """Counted in joins whose orders were worked out: clocks on a busy machine prove nothing."""
    worked: dict[int, float] = {}
    for count in (5, 10, 20):
        total = 0
        for turn in range(5):
            draw = random.Random(SEED + turn)
            space = Space(drawn(draw, count, "tree"))
            limits = Cost(1.0, inf)  # never within: both go all the way
            *_, _last = mjoin_init(space, limits)
            *_, mjoin = bjtree_init(space, Cost(1.0, 1.0))
            assert isinstance(mjoin.tree, JoinNode)
            assert len(nodes_of(mjoin.tree)) == 1
            total += len(space._orders)
        worked[count] = total / 5
    assert worked[10] < worked[5] * 2**3.5, (SEED, worked)
    assert worked[20] < worked[10] * 2**3.5, (SEED, worked)


def test_a_few_inputs_are_searched_in_all_ways() -> None:
    draw = random.Random(SEED)
    for count in range(2, EXACT):
        space = Space(drawn(draw, count, "tree"))
        limits = between(draw, space)
        choice = choose(space, limits)
        for strategy in (mjoin_init, bjtree_init):
            for plan in strategy(space, limits):
                slack = Cost(plan.cost.cpu * (1 + 1e-9), plan.cost.memory * (1 + 1e-9))
                assert any(one.cost.within(slack) for one in choice.front), SEED
