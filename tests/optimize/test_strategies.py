"""The searches of the source work, against its figures, its guarantees and the whole space."""

from __future__ import annotations

import random
import time

import pytest

from slackwater.optimize.bjtree_init import bjtree_init, min_state, removals, smallest_tree
from slackwater.optimize.cost import Cost, Units
from slackwater.optimize.exhaustive import exhaustive, extensions
from slackwater.optimize.fronts import best_plans, front, partitions
from slackwater.optimize.known import Known, pairwise
from slackwater.optimize.mjoin_init import candidates, frequencies, mjoin_init
from slackwater.optimize.plan import Plan, Space, answer
from slackwater.plan.tree import JoinNode, Tree, all_trees, inputs_of, nodes_of, show_tree
from tests.optimize.graphs import drawn
from tests.optimize.test_costs import SETS

SEED = time.time_ns()
SHAPES = ("chain", "star", "tree", "cyclic")
NO_LIMITS = Cost(float("inf"), float("inf"))


def canonical(tree: Tree) -> str:
    """A tree as text, whatever the order in which children are listed."""
    if isinstance(tree, str):
        return tree
    return f"({' '.join(sorted(map(canonical, tree.children)))})"


def between(draw: random.Random, space: Space) -> Cost:
    """Limits somewhere between the m-way join and the binary tree, so that there is a choice."""
    ends = (space.cost(space.node(space.known.names)), smallest_tree(space).cost)
    cpu, memory = (
        sorted(values) for values in zip(*((e.cpu, e.memory) for e in ends), strict=True)
    )
    return Cost(draw.uniform(*cpu), draw.uniform(*memory))


@pytest.mark.spec("adaptive:OPT-16")
@pytest.mark.parametrize(
    ("count", "plans"), [(2, 1), (3, 4), (4, 26), (5, 236), (6, 2_752), (7, 39_208)]
)
def test_every_plan_is_reached_once(count: int, plans: int) -> None:
    names = "ABCDEFG"[:count]
    found: list[Tree] = [names[0]]
    for name in names[1:]:
        found = [larger for tree in found for larger in extensions(tree, name)]
    texts = {canonical(tree) for tree in found}
    assert len(found) == len(texts) == plans
    if count < 6:
        assert texts == {canonical(tree) for tree in all_trees(names)}


@pytest.mark.spec("adaptive:OPT-16")
def test_one_more_input_goes_into_a_join_or_onto_any_queue() -> None:
    pair = JoinNode(("A", "B"))
    assert {canonical(tree) for tree in extensions(pair, "C")} == {
        "((A B) C)",
        "((A C) B)",
        "((B C) A)",
        "(A B C)",
    }


@pytest.mark.spec("adaptive:OPT-09", "adaptive:OPT-14", "adaptive:OPT-15")
@pytest.mark.parametrize("pairs", ["produced", "inspected"])
@pytest.mark.parametrize("memory", [30_000, 60_000])
def test_where_both_are_scarce_both_strategies_come_to_the_hybrid(pairs: str, memory: int) -> None:
    space = Space(SETS[4], Units(pairs=pairs))  # type: ignore[arg-type]
    hybrid = space.best(JoinNode((JoinNode(("A", "B")), "C", "D")))
    limits = Cost(space.cost(hybrid).cpu * 1.000001, memory)
    for strategy in (mjoin_init, bjtree_init):
        found = answer(strategy, space, limits)
        assert canonical(found.tree) == "((A B) C D)"
        assert found.cost.memory == pytest.approx(24_000)


@pytest.mark.spec("adaptive:OPT-14")
def test_the_state_that_saves_least_for_its_rows_goes_first() -> None:
    space = Space(SETS[4])
    tree = smallest_tree(space)
    assert canonical(tree.tree) == "((A B) (C D))"
    assert tree.cost.memory == pytest.approx(74_000)
    ratios = {
        round(held): (space.cost(smaller).cpu - tree.cost.cpu) / held
        for held, smaller in removals(space, tree.tree)
    }
    assert ratios.keys() == {20_000, 50_000}
    assert ratios[20_000] == pytest.approx(19.9, abs=0.05)
    assert ratios[50_000] == pytest.approx(3.12, abs=0.005)


@pytest.mark.spec("adaptive:OPT-08")
def test_the_orders_of_set_four() -> None:
    node = Space(SETS[4]).node("ABCD")
    orders = ["".join("ABCD"[o] for o in (n, *node.order(n))) for n in range(4)]
    assert orders == ["ABCD", "BACD", "CBAD", "DCBA"]


@pytest.mark.spec("adaptive:OPT-14")
def test_a_state_that_costs_more_than_it_saves_goes_and_both_get_less() -> None:
    known = pairwise(dict.fromkeys("ABC", 10.0), {("A", "B"): 1.0, ("B", "C"): 0.001}, 10.0)
    space = Space(known, Units(insert=5.0, delete=5.0))
    before = space.plan(space.best(JoinNode((JoinNode(("A", "B")), "C"))))
    [(held, smaller)] = removals(space, before.tree)
    assert space.cost(smaller).cpu < before.cost.cpu
    assert space.cost(smaller).memory == pytest.approx(before.cost.memory - held)


@pytest.mark.spec("adaptive:OPT-12", "adaptive:OPT-13")
def test_the_fewest_combinations_first_is_not_always_the_fewest_in_all() -> None:
    known = pairwise(
        {"A": 5.0, "B": 10.0, "C": 2.0, "D": 11.0},
        {("A", "B"): 0.5, ("B", "C"): 1.0, ("C", "D"): 1.0},
    )
    space = Space(known)
    greedy = space.plan(min_state(space, cartesian=False))
    assert canonical(greedy.tree) == "(((B C) A) D)"
    assert greedy.cost.memory == pytest.approx(98)
    bushy = space.plan(space.best(JoinNode((JoinNode(("A", "B")), JoinNode(("C", "D"))))))
    assert bushy.cost.memory == pytest.approx(75)


@pytest.mark.spec("adaptive:OPT-12")
def test_a_tree_of_small_states_may_be_bushy_and_predicates_add_up() -> None:
    shares = {("A", "D"): 0.05, ("A", "B"): 0.8, ("B", "D"): 0.9, ("C", "E"): 0.2, ("B", "C"): 0.9}
    known = pairwise(dict.fromkeys("ABCDE", 10.0), shares)
    assert known.kept(known.set_of("B"), known.set_of(JoinNode(("A", "D")))) == pytest.approx(0.72)
    tree = min_state(Space(known), cartesian=False)
    assert {"A D", "C E"} <= {" ".join(sorted(inputs_of(node))) for node in nodes_of(tree)}


@pytest.mark.spec("adaptive:OPT-13")
def test_a_star_without_products_has_the_smallest_states_of_all_linear_trees() -> None:
    draw = random.Random(SEED)
    for _ in range(40):
        known = drawn(draw, 5, "star")
        space = Space(known)
        found = space.cost(min_state(space, cartesian=False)).memory
        least = min(
            space.cost(tree).memory
            for tree in all_trees(known.names)
            if all(len(n.children) == 2 for n in nodes_of(tree)) and has_no_product(known, tree)
        )
        assert found == pytest.approx(least), f"seed {SEED}"


def has_no_product(known: Known, tree: Tree) -> bool:
    return all(
        known.touches(known.set_of(node.children[0]), known.set_of(node.children[1]))
        for node in nodes_of(tree)
    )


@pytest.mark.spec("adaptive:OPT-09")
def test_pairs_that_many_use_and_that_are_small_come_first() -> None:
    space = Space(SETS[4])
    node = space.node("ABCD")
    assert set(frequencies(space, node)) == {(0, 1), (1, 2), (2, 3)}
    assert set(frequencies(space, node).values()) == {4}  # a tree: all rows use all predicates
    assert candidates(space, node) == [(0, 1), (2, 3), (1, 2)]  # 20,000, 50,000, 200,000 rows


@pytest.mark.spec("adaptive:OPT-10", "adaptive:OPT-11", "adaptive:OPT-15")
def test_a_strategy_never_gets_worse_than_where_it_began() -> None:
    draw, merged = random.Random(SEED), 0
    for _ in range(150):
        space = Space(drawn(draw, draw.randint(3, 7), draw.choice(SHAPES)))
        limits = between(draw, space)
        first, *_ = found = list(mjoin_init(space, limits))
        last = found[-1]
        assert last.cost.cpu <= first.cost.cpu * (1 + 1e-9), f"seed {SEED}"
        if first.cost.memory <= limits.memory:
            assert last.cost.memory <= limits.memory, f"seed {SEED}"
        assert sorted(inputs_of(last.tree)) == list(space.known.names)
        below = nodes_of(last.tree)[:-1]
        merged += any(len(node.children) > 2 for node in below)
        *_, removed = bjtree_init(space, limits)
        assert sorted(inputs_of(removed.tree)) == list(space.known.names)
        if not removed.cost.within(limits):  # it went all the way
            assert len(nodes_of(removed.tree)) == 1, f"seed {SEED}"
    assert merged, f"seed {SEED}: no joins were merged"


@pytest.mark.spec("adaptive:OPT-16", "adaptive:OPT-17")
def test_no_strategy_finds_a_plan_where_there_is_none_and_few_miss_one() -> None:
    draw, there, found = random.Random(SEED), 0, {"mjoin": 0, "bjtree": 0}
    for _ in range(60):
        space = Space(drawn(draw, draw.randint(3, 4), draw.choice(SHAPES)))
        limits = between(draw, space)
        exact = exhaustive(space, limits, early=False)
        known = any(plan.cost.within(limits) for plan in best_plans(space))
        assert (exact is not None) == known, f"seed {SEED}"
        early = exhaustive(space, limits)
        assert early is None or early.cost.within(limits)
        there += known
        for name, strategy in (("mjoin", mjoin_init), ("bjtree", bjtree_init)):
            is_there = answer(strategy, space, limits).cost.within(limits)
            assert known or not is_there, f"seed {SEED}"  # no false positives
            found[name] += is_there
    assert all(count <= there for count in found.values())


@pytest.mark.spec("adaptive:OPT-16")
def test_a_search_without_an_answer_says_so_and_stops_at_its_budget() -> None:
    space = Space(SETS[3])
    assert exhaustive(space, Cost(1.0, 1.0)) is None
    assert exhaustive(space, NO_LIMITS, budget=3) is None
    found = exhaustive(space, NO_LIMITS)
    assert found is not None
    assert sorted(inputs_of(found.tree)) == list("ABCD")


@pytest.mark.spec("adaptive:OPT-18")
def test_the_front_is_that_of_the_whole_space() -> None:
    draw = random.Random(SEED)
    for _ in range(12):
        space = Space(drawn(draw, draw.randint(3, 5), draw.choice(SHAPES)))
        every = [space.plan(space.best(tree)) for tree in all_trees(space.known.names)]
        best = [plan.cost for plan in every if not any(o.cost.dominates(plan.cost) for o in every)]
        found = best_plans(space)
        assert [p.cost.cpu for p in found] == pytest.approx(sorted({c.cpu for c in best})), SEED
        memories = [p.cost.memory for p in found]
        assert memories == pytest.approx(sorted({c.memory for c in best}, reverse=True)), SEED


@pytest.mark.spec("adaptive:OPT-18")
def test_of_plans_that_are_not_comparable_both_are_kept() -> None:
    plans = [
        Plan("a", Cost(1, 9)),
        Plan("b", Cost(2, 9)),
        Plan("c", Cost(3, 4)),
        Plan("d", Cost(3, 4)),
    ]
    assert [show_tree(plan.tree) for plan in front(plans)] == ["a", "c"]
    assert len(list(partitions((0, 1, 2, 3)))) == 14  # Bell(4), without the whole
