"""Which plans fit on a placement, and the ways to find one: by the example of the source work."""

from __future__ import annotations

import random
import time
from functools import reduce
from itertools import product
from operator import add
from statistics import stdev

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.errors import SlackwaterError
from slackwater.robust.erp import erp
from slackwater.robust.placement.choice import PLACERS, place
from slackwater.robust.placement.cor_phy import cor_phy
from slackwater.robust.placement.correlation import correlation, deviation, joint_deviation, mean
from slackwater.robust.placement.demand import demand_of
from slackwater.robust.placement.exhaustive import (
    exhaustive,
    intersection,
    placements,
    stirling,
)
from slackwater.robust.placement.greedy_phy import Greedy, greedy_phy
from slackwater.robust.placement.llf import balanced, llf
from slackwater.robust.placement.opt_prune import opt_prune, weighed
from slackwater.robust.placement.placement import (
    Demand,
    configuration_score,
    coverage_ratio,
    score_joint,
    score_min,
    supported,
    supports,
)
from tests.robust.instances import (
    FALLING,
    PIPELINE,
    RISING,
    TABLE,
    demand,
    example,
    groups,
    table,
)

SEED = time.time_ns()
COLUMNS = list(zip(*TABLE, strict=True))


def by_node(placement: tuple[int, ...]) -> set[frozenset[int]]:
    """Which operators are together, numbered from 1."""
    nodes = set(placement)
    return {frozenset(n + 1 for n, at in enumerate(placement) if at == node) for node in nodes}


def plans(found: tuple[int, ...]) -> set[int]:
    return {number + 1 for number in found}


@pytest.mark.spec("robust:F100")
@pytest.mark.parametrize(
    ("parts", "carried"),
    [
        (("123", "45"), {1, 2}),
        (("124", "35"), {2}),
        (("125", "34"), {1, 2}),
        (("12", "345"), {3}),
        (("135", "24"), {1}),
        (("13", "245"), {1, 2}),
        (("145", "23"), {1, 2}),
        (("14", "235"), {1, 2}),
        (("15", "234"), {2}),
    ],
)
def test_what_each_placement_of_the_table_supports(
    parts: tuple[str, str], carried: set[int]
) -> None:
    assert plans(supported(table(200), groups(*parts))) == carried


@pytest.mark.spec("robust:F100")
def test_the_other_placements_of_the_table_support_nothing() -> None:
    every = list(placements(5, (200.0, 200.0)))
    able = [one for one in every if supported(table(200), one)]
    assert (len(every), len(able)) == (16, 9)
    # the placement that the source work prints does not support its third plan
    assert not supports(table(200), groups("23", "145"), 2)
    assert not supports(table(200, first_of_third=110), groups("23", "145"), 2)


def test_demands_that_do_not_fit_together_are_refused() -> None:
    with pytest.raises(SlackwaterError, match="2 weights for 1 plans"):
        Demand(((1.0, 2.0),), (0.5, 0.5), (1.0,))
    with pytest.raises(SlackwaterError, match="capacity above 0"):
        Demand(((1.0,),), (1.0,), (0.0,))
    with pytest.raises(SlackwaterError, match="a load for every operator"):
        Demand(((1.0,), (1.0, 2.0)), (0.5, 0.5), (1.0,))


@pytest.mark.spec("robust:F101")
def test_the_heaviest_goes_where_most_is_left() -> None:
    assert llf([3, 5, 4], [8, 8]) == (1, 0, 1)
    assert llf([3, 5, 4], [7, 6]) is None
    assert balanced([3, 5, 4], [8, 6]) == (0, 0, 1)
    assert llf([9], [8]) is None
    assert llf([], [8]) == ()
    assert llf([2, 2], [3, 2]) == (0, 1)


@pytest.mark.spec("robust:F102")
@pytest.mark.parametrize(
    ("capacity", "kept", "parts", "carried"),
    [
        (190, {1}, ("14", "235"), {1, 2}),
        (200, {1}, ("14", "235"), {1, 2}),
        (205, {1, 2}, ("45", "123"), {1, 2}),
        (240, {1, 2}, ("45", "123"), {1, 2}),
    ],
)
def test_greedy_gives_up_the_lightest_plans(
    capacity: float, kept: set[int], parts: tuple[str, str], carried: set[int]
) -> None:
    found = greedy_phy(table(capacity))
    assert plans(found.kept) == kept
    assert found.placement is not None
    assert by_node(found.placement) == by_node(groups(*parts))
    assert plans(supported(table(capacity), found.placement)) == carried
    assert kept <= carried


@pytest.mark.spec("robust:F102")
def test_greedy_says_so_where_nothing_fits() -> None:
    assert greedy_phy(table(180)) == Greedy(None, ())


@pytest.mark.spec("robust:F102")
def test_correlation_does_not_always_cover_more() -> None:
    heavy_last = table(205, RISING)
    greedy = greedy_phy(heavy_last)
    assert greedy.placement is not None
    assert plans(greedy.kept) == {3}
    assert by_node(greedy.placement) == by_node(groups("15", "234"))
    assert score_joint(heavy_last, greedy.placement) == pytest.approx(0.8)
    assert score_joint(heavy_last, cor_phy(heavy_last)) == pytest.approx(0.5)


@pytest.mark.spec("robust:F103")
def test_the_statistics_of_the_table() -> None:
    assert [mean(c) for c in COLUMNS] == pytest.approx([65, 63.333, 80, 73.333, 56.667], abs=1e-3)
    assert [deviation(c) for c in COLUMNS] == pytest.approx(
        [17.795, 20.548, 10.801, 20.548, 12.472], abs=1e-3
    )
    assert [stdev(c) for c in COLUMNS] == pytest.approx(
        [21.794, 25.166, 13.229, 25.166, 15.275], abs=1e-3
    )


CORRELATIONS = {
    (1, 2): (0.8660, 45.37),
    (1, 3): (-0.9538, 10.00),
    (1, 4): (-0.8660, 12.58),
    (1, 5): (0.8260, 35.47),
    (2, 3): (-0.9762, 12.58),
    (2, 4): (-0.5, 25.17),
    (2, 5): (0.4336, 34.64),
    (3, 4): (0.6758, 35.47),
    (3, 5): (-0.6186, 12.58),
    (4, 5): (-0.9972, 10.00),
}


@pytest.mark.spec("robust:F103")
@pytest.mark.parametrize("pair", CORRELATIONS)
def test_how_pairs_of_the_table_change_together(pair: tuple[int, int]) -> None:
    one, other = (COLUMNS[number - 1] for number in pair)
    rho, sample_spread = CORRELATIONS[pair]
    assert correlation(one, other) == pytest.approx(rho, abs=1e-4)
    spread = joint_deviation(one, other)
    assert spread * 1.5**0.5 == pytest.approx(sample_spread, abs=5e-3)
    by_formula = deviation(one) ** 2 + deviation(other) ** 2
    by_formula += 2 * correlation(one, other) * deviation(one) * deviation(other)
    assert spread == pytest.approx(by_formula**0.5)


@pytest.mark.spec("robust:F103")
def test_what_does_not_change_is_correlated_with_nothing() -> None:
    assert correlation([1, 1, 1], [1, 2, 3]) == 0.0


@pytest.mark.spec("robust:F104")
@pytest.mark.parametrize(
    ("capacity", "carried"),
    [(180, {2}), (190, {2}), (195, {2}), (200, {1, 2}), (205, {1, 2}), (210, {1, 2, 3})],
)
def test_correlation_places_the_table(capacity: float, carried: set[int]) -> None:
    found = cor_phy(table(capacity))
    assert found == groups("13", "245")
    assert plans(supported(table(capacity), found)) == carried


@pytest.mark.spec("robust:F104")
def test_with_the_cost_that_was_meant_it_is_the_printed_placement() -> None:
    meant = table(200, first_of_third=110)
    assert cor_phy(meant) == groups("23", "145")
    assert plans(supported(meant, cor_phy(meant))) == {1, 2}
    for capacity, carried in ((229, {1, 2}), (230, {1, 2, 3})):
        more = table(capacity, first_of_third=110)
        assert plans(supported(more, cor_phy(more))) == carried


@pytest.mark.spec("robust:F104")
def test_pairs_may_be_summed_instead() -> None:
    found = cor_phy(table(200), "pairsum")
    assert found[2] != found[3]  # the two that are heaviest are apart
    assert found[3] == found[4]  # 4 and 5 hardly change together
    draw = random.Random(1)
    many = [demand(draw, 8, 3, 5, 1.3) for _ in range(60)]
    assert any(cor_phy(one) != cor_phy(one, "pairsum") for one in many)


@pytest.mark.spec("robust:F105")
def test_looking_at_capacities_overloads_fewer_plans_on_average() -> None:
    draw = random.Random(4)
    many = [demand(draw, 8, 3, 6, 1.2) for _ in range(60)]
    plain = mean([score_joint(one, cor_phy(one)) for one in many])
    aware = mean([score_joint(one, cor_phy(one, is_aware=True)) for one in many])
    assert aware > plain


@pytest.mark.spec("robust:F106")
def test_a_configuration_is_worth_the_plans_it_supports() -> None:
    known = table(200)
    assert configuration_score(known, 0, [0, 2]) == pytest.approx(1.0)
    assert configuration_score(known, 0, [1, 3, 4]) == pytest.approx(0.8)  # plan 3 needs 210
    assert configuration_score(known, 0, range(5)) == 0.0
    assert configuration_score(known, 0, []) == pytest.approx(1.0)


@pytest.mark.spec("robust:F107")
def test_the_least_score_overestimates_what_is_carried_together() -> None:
    tight = table(180, RISING)
    best_joint = max(score_joint(tight, one) for one in placements(5, tight.capacities))
    best_min = max(score_min(tight, one) for one in placements(5, tight.capacities))
    assert (best_joint, best_min) == pytest.approx((0.3, 0.5))
    assert opt_prune(tight).score == pytest.approx(0.3)
    assert opt_prune(tight, "min").score == pytest.approx(0.5)


@pytest.mark.spec("robust:F109")
@pytest.mark.parametrize(
    ("capacity", "score"),
    [(180, 0.5), (190, 0.8), (200, 0.8), (205, 0.8), (210, 1.0), (250, 1.0)],
)
def test_the_best_placement_of_the_table(capacity: float, score: float) -> None:
    for by in ("joint", "min"):
        found = opt_prune(table(capacity), by)  # type: ignore[arg-type]
        assert found.is_finished
        if by == "joint":
            assert found.score == pytest.approx(score)
            assert score_joint(table(capacity), found.placement) == pytest.approx(score)


@pytest.mark.spec("robust:F108")
@settings(max_examples=60)
@given(st.integers(0, 2**32))
def test_one_configuration_more_never_raises_a_score(seed: int) -> None:
    """Lemma 5.1: of a partial placement, with nodes that are still empty."""
    draw = random.Random(seed)
    known = demand(draw, 6, 3, 4, draw.uniform(0.9, 1.6))
    whole = [draw.randrange(3) for _ in range(6)]
    for joint in (True, False):
        scores = []
        for used in range(4):
            parts = [[o for o in range(6) if whole[o] == node] for node in range(used)]
            able = [
                {p for p in range(4) if known.load(p, part) <= known.capacities[0]}
                for part in parts
            ]
            if joint:
                common = set(range(4)).intersection(*able)
                scores.append(sum(known.weights[plan] for plan in common))
            else:
                each = (sum(known.weights[plan] for plan in one) for one in able)
                scores.append(min(each, default=1.0))
        assert all(later <= earlier + 1e-12 for earlier, later in zip(scores, scores[1:]))  # noqa: B905, RUF007


SIZES = list(product(range(1, 9), range(1, 5)))


@pytest.mark.spec("robust:F109")
@pytest.mark.parametrize(("operators", "nodes"), SIZES)
def test_pruning_loses_nothing(operators: int, nodes: int) -> None:
    """All sizes up to 8 operators and 4 nodes, slack from too little to plenty, both scores."""
    draw = random.Random(SEED + 10 * operators + nodes)
    for slack in (0.9, 1.1, 1.3, 1.7):
        known = demand(draw, operators, nodes, draw.randint(1, 5), slack)
        best = exhaustive(known)
        found = opt_prune(known)
        assert found.score == pytest.approx(best.score), SEED
        assert score_joint(known, found.placement) == pytest.approx(found.score), SEED
        if operators <= 6:
            least = exhaustive(known, score_min)
            assert opt_prune(known, "min").score == pytest.approx(least.score), SEED


@pytest.mark.parametrize("plans", [3, 40, 189])
def test_scores_are_the_same_to_the_last_bit_on_any_machine(plans: int) -> None:
    draw = np.random.default_rng(SEED)
    weights, able = draw.random(plans), draw.random((plans, 257)) < 0.5
    one_by_one = [reduce(add, weights[fits].tolist(), 0.0) for fits in able.T]
    assert weighed(weights, able).tolist() == one_by_one, SEED


@pytest.mark.spec("robust:F114")
@pytest.mark.parametrize("nodes", [2, 3, 4])
def test_pruning_loses_nothing_where_nodes_differ(nodes: int) -> None:
    draw = random.Random(SEED + nodes)
    for slack in (1.0, 1.2, 1.5):
        for _ in range(4):
            known = demand(draw, 6, nodes, 4, slack, even=False)
            found, best = opt_prune(known), exhaustive(known)
            assert found.score == pytest.approx(best.score), SEED
            assert score_joint(known, found.placement) == pytest.approx(found.score), SEED
            everything = max(score_joint(known, one) for one in product(range(nodes), repeat=6))
            assert best.score == pytest.approx(everything), SEED


@pytest.mark.spec("robust:F114")
def test_the_larger_node_gets_more() -> None:
    assert llf([4, 3, 2], [6, 3]) == (0, 1, 0)
    uneven = Demand(((4.0, 3.0, 2.0), (4.0, 3.0, 2.0)), (0.5, 0.5), (6.0, 3.0))
    assert supported(uneven, opt_prune(uneven).placement) == (0, 1)
    assert cor_phy(uneven)[0] == 0


@pytest.mark.spec("robust:F110")
def test_what_correlation_finds_is_taken_where_it_carries_all() -> None:
    found = opt_prune(table(210))
    assert (found.placement, found.score, found.visited) == (cor_phy(table(210)), 1.0, 0)


@pytest.mark.spec("robust:F111")
def test_the_search_ends_where_all_plans_are_carried() -> None:
    draw, ended = random.Random(8), 0
    for _ in range(40):
        known = demand(draw, 8, 3, 4, 1.5)
        if score_joint(known, cor_phy(known)) < 1 - 1e-9:
            found = opt_prune(known)
            if found.score > 1 - 1e-9:
                ended += 1
                assert found.visited < exhaustive(known).visited
    assert ended > 0
    tight = opt_prune(demand(random.Random(9), 8, 3, 4, 1.15))
    assert tight.pruned > tight.visited


@pytest.mark.spec("robust:F112")
def test_as_many_placements_are_looked_at_as_there_are() -> None:
    known = {
        (5, 2): 16,
        (10, 5): 86_472,
        (10, 10): 115_975,
        (15, 5): 255_514_355,
        (15, 10): 1_381_367_941,
        (20, 5): 795_019_337_135,
    }
    assert {size: stirling(*size) for size in known} == known
    for operators, nodes in ((1, 1), (5, 2), (6, 3), (7, 4), (4, 6)):
        every = list(placements(operators, (1.0,) * nodes))
        assert len(every) == len(set(every)) == stirling(operators, nodes)
    assert exhaustive(demand(random.Random(1), 7, 3, 3, 1.3)).visited == stirling(7, 3)


@pytest.mark.spec("robust:F113")
def test_sets_of_placements_that_support_each_plan_say_the_same() -> None:
    draw = random.Random(SEED)
    for _ in range(20):
        known = demand(draw, 5, 2, 4, draw.uniform(0.9, 1.5))
        placement, carried = intersection(known)
        expected = exhaustive(known).score
        assert sum(known.weights[plan] for plan in carried) == pytest.approx(expected), SEED
        if placement is not None:
            assert set(carried) <= set(supported(known, placement)), SEED
    assert intersection(table(50)) == (None, ())


@pytest.mark.spec("robust:F115")
def test_a_ratio_says_how_much_of_the_best_was_reached() -> None:
    known = table(205, RISING)
    best = opt_prune(known).placement
    assert coverage_ratio(known, cor_phy(known), best) == pytest.approx(0.5 / 0.8)
    assert coverage_ratio(known, best, best) == 1.0
    assert coverage_ratio(known, None, best) == 0.0
    assert coverage_ratio(table(50), None, (0, 0, 0, 1, 1)) == 1.0  # nothing could be reached


@pytest.mark.spec("robust:F116")
def test_a_search_without_time_gives_what_it_has() -> None:
    known = demand(random.Random(3), 10, 4, 6, 1.15)
    ticks = iter(range(1_000_000))
    hasty = opt_prune(known, seconds=5, clock=lambda: float(next(ticks)))
    assert not hasty.is_finished
    assert hasty.score >= score_joint(known, cor_phy(known))
    ticks = iter(range(1_000_000))
    tired = exhaustive(known, seconds=5, clock=lambda: float(next(ticks)))
    assert (tired.is_finished, tired.visited) == (False, 5)


def test_loads_are_those_of_the_worst_corner_of_a_region() -> None:
    known = example()
    found = erp(known, 0.02)
    heaviest = demand_of(found, PIPELINE, (300.0, 300.0))
    middle = demand_of(found, PIPELINE, (300.0, 300.0), where="center")
    estimate = demand_of(found, PIPELINE, (300.0, 300.0), where="estimate")
    assert sum(heaviest.weights) == pytest.approx(1.0)
    for number, plan in enumerate(found.plans):
        corners = [PIPELINE.loads(plan, known.space.at(box.hi)) for box in found.region(number)]
        if corners:
            assert heaviest.loads[number] == tuple(map(max, zip(*corners, strict=True)))
        assert all(
            a >= b for a, b in zip(heaviest.loads[number], middle.loads[number], strict=True)
        )
        assert estimate.loads[number] == PIPELINE.loads(plan, (0.5, 0.7))
    even = demand_of(found, PIPELINE, (300.0,), weights=(1.0,) * len(found.plans))
    assert set(even.weights) == {1.0}


def test_every_placer_is_in_the_tuple_and_too_little_is_refused_with_what_lacks() -> None:
    for name, _ in PLACERS:
        found = place(table(210), name)
        assert found.score == pytest.approx(1.0 if name != "greedy_phy" else 0.8), name
        assert plans(found.carried) == plans(supported(table(210), found.placement))
    with pytest.raises(SlackwaterError) as refused:
        place(table(100))
    assert refused.value.condition == "CAPACITY_TOO_SMALL"
    assert "has 100 and would need" in refused.value.message
    assert FALLING[0] == 0.5
