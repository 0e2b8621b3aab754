"""Robust plans of a join of the engine: good all over the space, saved, found in no time."""

from __future__ import annotations

import json
import random
from itertools import combinations, permutations, product

import pytest

from slackwater.codec import pack, unpack
from slackwater.control.robust_join import (
    JoinCosts,
    JoinPlans,
    join_space,
    robust_plans,
)
from slackwater.errors import SlackwaterError
from slackwater.optimize.cost import Units
from slackwater.plan.graph import JoinGraph, equal_classes, per_stream
from slackwater.plan.robust import share_of
from slackwater.plan.tree import JoinNode
from slackwater.robust.classifier import classifier
from slackwater.robust.coverage import classified_coverage, coverage, sampled
from slackwater.robust.placement.demand import demand_of
from slackwater.units import SECOND

NAMES = ("hub", "a", "b", "c")
# the hub has a column for each of the others: a star
PAIRS = [(f"hub_{name}", f"{name}_key") for name in NAMES[1:]]
OWNER = {column: "hub" for column, _ in PAIRS} | {key: key[0] for _, key in PAIRS}
STAR = JoinGraph(NAMES, per_stream([60 * SECOND] * 4), equal_classes(PAIRS, OWNER), ())
RATES = {"hub": 20.0, "a": 10.0, "b": 10.0, "c": 10.0}
SHARES = {frozenset({"hub", name}): 0.002 for name in NAMES[1:]}
UNITS = Units(insert=2.0, delete=1.0, pair=3.0, scan=0.01, probe=0.5)


def costs() -> JoinCosts:
    return JoinCosts(STAR, UNITS)


def test_dimensions_are_rates_and_shares_by_name() -> None:
    space = join_space(STAR, RATES, SHARES, {"hub.rate": 2, "a-hub": 5})
    assert [one.name for one in space.dimensions] == [
        *("hub.rate", "a.rate", "b.rate", "c.rate"),
        *("a-hub", "b-hub", "c-hub"),
    ]
    assert space.free == (0, 4)
    assert share_of(frozenset({"hub", "a"})) == "a-hub"
    with pytest.raises(SlackwaterError, match="no statistic 'hub'"):
        join_space(STAR, RATES, SHARES, {"hub": 2})


def test_loads_by_input_are_the_cost() -> None:
    model, draw = costs(), random.Random(1)
    space = join_space(STAR, RATES, SHARES, 5)
    for probe in sampled(space, 20, 3):
        orders = tuple(
            tuple(draw.sample([n for n in range(4) if n != child], 3)) for child in range(4)
        )
        for plan in (model.optimize(probe.point), JoinNode(NAMES, orders)):
            loads = model.loads(plan, probe.point)
            assert sum(loads) == pytest.approx(model.cost(plan, probe.point))


@pytest.mark.spec("robust:F030")
def test_no_order_costs_less_where_more_comes_or_is_kept() -> None:
    model, draw = costs(), random.Random(2)
    space = join_space(STAR, RATES, SHARES, 5)
    plan = model.optimize(space.estimate)
    for probe in sampled(space, 30, 4):
        lower = tuple(value * draw.uniform(0.5, 1) for value in probe.point)
        assert model.cost(plan, lower) <= model.cost(plan, probe.point) * (1 + 1e-9)


def test_the_best_orders_are_the_best_of_all() -> None:
    model = costs()
    space = join_space(STAR, RATES, SHARES, 5)
    for probe in sampled(space, 5, 5):
        found = model.optimize(probe.point)
        each = [permutations([n for n in range(4) if n != child]) for child in range(4)]
        best = min(model.cost(JoinNode(NAMES, way), probe.point) for way in product(*each))
        assert model.cost(found, probe.point) == pytest.approx(best)


def test_a_few_orders_are_enough_and_are_found_again_after_saving() -> None:
    model = costs()
    swinging = {f"{name}.rate": (2.0, 40.0) for name in NAMES[1:]}
    space = join_space(STAR, RATES, SHARES, {}, swinging)
    found = robust_plans(model, space, 0.2)
    assert found.stopped == "exhausted"
    assert 1 < len(found.plans) < 100
    probes = sampled(space, 300, 6)
    assert coverage(model, found.plans, probes, 0.2) > 0.98
    assert classified_coverage(model, found, probes, 0.2) > 0.9
    single = model.optimize(space.estimate)
    assert coverage(model, [single], probes, 0.2) < 0.9
    saved = unpack(json.loads(json.dumps(pack(found))), JoinPlans)
    assert saved == found
    choose = classifier(saved, model).choose
    for probe in probes:
        assert choose(probe.point).plan == found.plan_at(probe.point)
    for one, other in combinations(found.plans, 2):  # no state moves: orders differ, nothing else
        assert one.children == other.children == NAMES
    asked = demand_of(found, model, (1e6, 1e6))
    assert sum(asked.weights) == pytest.approx(1.0)
    assert all(len(row) == len(NAMES) for row in asked.loads)


def test_a_budget_is_kept_and_still_every_point_has_a_plan() -> None:
    model = costs()
    shares = {pair: (n + 1) * 0.001 for n, pair in enumerate(SHARES)}
    space = join_space(STAR, RATES, shares, 5)
    found = robust_plans(model, space, 0.0, budget=12)
    assert found.calls <= 12
    assert found.fallback_share > 0
    for probe in sampled(space, 50, 7):
        assert 0 <= found.plan_at(probe.point) < len(found.plans)
