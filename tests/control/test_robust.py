"""Plans are prepared for what was seen or said, by a bounded search, and kept as they are."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import Any

import pytest

from slackwater.codec import pack, unpack
from slackwater.control import robust
from slackwater.control.fewest import MOST_LEARNED
from slackwater.control.robust import RobustMemory, _prepared
from slackwater.control.robust_join import JoinCosts
from slackwater.control.robust_set import (
    MOST_ASKED,
    Look,
    Prepared,
    budget,
    cheapest,
    prepare,
)
from slackwater.optimize.cost import Units
from slackwater.optimize.facts import Facts
from slackwater.optimize.known import Known
from slackwater.optimize.plan import Space
from slackwater.plan.graph import JoinGraph, equal_classes, per_stream
from slackwater.plan.robust import RobustPlan
from slackwater.robust.coverage import coverage, sampled
from slackwater.units import SECOND

# what differs between orders is most of the work
UNITS = Units(insert=1e-7, delete=0.0, pair=1e-6)


def star(arms: int) -> JoinGraph:
    """A hub with a column for each of its arms."""
    names = ("hub", *(f"s{number}" for number in range(arms)))
    pairs = [(f"hub_{name}", f"{name}_key") for name in names[1:]]
    owner = {column: "hub" for column, _ in pairs} | {key: key.split("_")[0] for _, key in pairs}
    reach = per_stream([60 * SECOND] * len(names))
    return JoinGraph(names, reach, equal_classes(pairs, owner), ())


def swinging(arms: int, count: int = 12, seed: int = 1) -> list[Look]:
    """One arm in turn brings and holds few rows."""
    draw, looks = random.Random(seed), []
    for number in range(count):
        came = [1_000, *(50 if one == number % arms else 2_000 for one in range(arms))]
        held = [2 * rows + draw.randint(0, 9) for rows in came]
        looks.append(Look(tuple(came), tuple(held), (0.002,) * arms))
    return looks


def made(terms: RobustPlan, arms: int = 3, looks: list[Look] | None = None) -> Prepared:
    return prepare(star(arms), terms, looks or swinging(arms), UNITS, 7)


def test_bounds_are_learned_of_what_swings_and_nothing_else() -> None:
    space = made(RobustPlan()).plans.space
    free = {space.dimensions[number].name for number in space.free}
    assert free == {"s0.rate", "s1.rate", "s2.rate"}
    for one in space.dimensions:
        if not one.is_certain:
            assert one.hi / one.lo == pytest.approx(40, rel=0.1)


def test_of_much_that_swings_what_swings_most_is_uncertain() -> None:
    looks = [
        Look(look.came, look.held, tuple(0.002 * (2 if n % 2 else 1) for _ in range(8)))
        for n, look in enumerate(swinging(8, 16))
    ]
    space = made(RobustPlan(), 8, looks).plans.space
    free = {space.dimensions[number].name for number in space.free}
    assert len(free) == MOST_LEARNED
    assert all(name.endswith(".rate") for name in free)


def test_what_is_said_to_be_uncertain_lies_around_what_was_seen() -> None:
    space = made(RobustPlan((("hub-s1", 5), ("s0.rate", 2)))).plans.space
    found = {one.name: (one.lo, one.hi) for one in space.dimensions if not one.is_certain}
    mean = sum(look.came[1] for look in swinging(3)) / 12
    assert found["s0.rate"] == pytest.approx((0.8 * mean, 1.2 * mean))
    assert found["hub-s1"] == pytest.approx((0.001, 0.003))
    assert len(found) == 2


def test_few_plans_are_near_the_best_all_over_the_space() -> None:
    found = made(RobustPlan(None, 0.2))
    costs = JoinCosts(star(3), UNITS, found.depths)
    probes = sampled(found.plans.space, 300, 5)
    assert 1 < len(found.plans.plans) < 10
    assert coverage(costs, found.plans.plans, probes, 0.2) > 0.95
    assert coverage(costs, found.plans.plans[:1], probes, 0.2) < 0.9
    assert found.covered > 0.95
    assert sum(found.parts) == pytest.approx(1)
    assert all(plan.children == star(3).names for plan in found.plans.plans)


def test_the_search_is_bounded_however_many_streams_there_are() -> None:
    asked = []
    for arms in (2, 4, 8, 19):
        found = made(RobustPlan(5, 0.0), arms)
        asked.append(found.plans.calls)
        assert 1 < len(found.plans.plans) <= found.plans.calls <= budget(star(arms))
        assert sum(found.parts) == pytest.approx(1)
    assert asked[0] <= MOST_ASKED
    assert asked[-1] < 10  # each takes a hundred times as long


def test_the_same_looks_give_the_same_set() -> None:
    assert made(RobustPlan()) == made(RobustPlan())
    assert made(RobustPlan(3)) == made(RobustPlan(3))


def test_the_plan_of_a_batch_is_the_one_that_costs_least_and_stays_where_others_are_no_better() -> (
    None
):
    found = made(RobustPlan(None, 0.0))
    plans = found.plans.plans
    for scarce in range(3):
        sizes = (2_000.0, *(100.0 if one == scarce else 4_000.0 for one in range(3)))
        known = JoinCosts(star(3), UNITS, found.depths)._space(
            (*(size / depth for size, depth in zip(sizes, found.depths, strict=True)), *[0.002] * 3)
        )
        number = cheapest(found.plans, known, None)
        assert known.cost(plans[number]).cpu == min(known.cost(plan).cpu for plan in plans)
        assert plans[number].order(0)[0] == 1 + scarce  # the hub probes it first
    nothing = Space(Known(star(3).names, (0.0,) * 4, (0.0,) * 4, lambda _: 1.0, ()), UNITS)
    for current in range(len(plans)):
        assert cheapest(found.plans, nothing, current) == current


# the memory ------------------------------------------------------------------------------------


class Join:
    """As much of a join as plans are prepared from."""

    def __init__(self, terms: RobustPlan) -> None:
        self.graph, self.robust = star(3), terms


def facts_of(look: Look) -> Facts:
    graph = star(3)
    came = dict(zip(graph.names, look.came, strict=True))
    held = {n: h - c for n, h, c in zip(graph.names, look.held, look.came, strict=True)}
    return replace(Facts(), fresh=came, held=held)


def after(
    memory: RobustMemory, looks: list[Look], terms: RobustPlan, first: int = 0
) -> RobustMemory:
    join: Any = Join(terms)
    for number, look in enumerate(looks, first):
        memory = replace(memory, facts=facts_of(look))
        memory, _ = _prepared(join, memory, UNITS, number)
    return memory


@pytest.fixture(autouse=True)
def plain_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shares of pairs are those of the looks; only rows are counted here."""

    def look_of(graph: JoinGraph, facts: Facts) -> Look:
        came = tuple(facts.fresh[name] for name in graph.names)
        held = tuple(facts.held[name] for name in graph.names)
        return Look(came, tuple(a + b for a, b in zip(came, held, strict=True)), (0.002,) * 3)

    monkeypatch.setattr(robust, "look_of", look_of)


def test_a_set_is_made_once_enough_was_seen_and_stays_while_the_stream_is_inside() -> None:
    looks = swinging(3, 30)
    memory = after(RobustMemory(), looks[:7], RobustPlan())
    assert memory.prepared is None
    memory = after(memory, looks[7:], RobustPlan(), 7)
    assert memory.prepared is not None
    assert memory.prepared.batch == 7
    assert len(memory.looks) == 24


def test_another_set_is_made_when_the_stream_has_left_the_space_rarer_each_time() -> None:
    memory = after(RobustMemory(), swinging(3, 9), RobustPlan())
    assert memory.prepared is not None
    moved = [replace(look, held=tuple(9 * rows for rows in look.held)) for look in swinging(3, 4)]
    again = after(memory, moved[:3], RobustPlan(), 9)
    assert again.prepared == memory.prepared
    assert again.outside == 3
    again = after(again, moved[3:], RobustPlan(), 12)
    assert again.prepared is not None
    assert again.prepared.batch == 12
    assert (again.rest, again.outside) == (8, 0)
    assert again.prepared.outside(again.prepared.point(moved[3])) == ()


def test_other_terms_ask_for_another_set() -> None:
    memory = after(RobustMemory(), swinging(3, 9), RobustPlan())
    again = after(memory, swinging(3, 1), RobustPlan(2, 0.1), 9)
    assert again.prepared is not None
    assert again.prepared.terms == RobustPlan(2, 0.1)


def test_a_set_of_a_form_that_is_not_known_is_made_anew() -> None:
    memory = after(RobustMemory(), swinging(3, 9), RobustPlan())
    assert memory.prepared is not None
    odd = replace(memory.prepared, plans=replace(memory.prepared.plans, version=99))
    again = after(replace(memory, prepared=odd), swinging(3, 1), RobustPlan(), 9)
    assert again.prepared is not None
    assert again.prepared.batch == 9


def test_what_is_remembered_comes_back_from_a_file_and_is_small() -> None:
    memory = after(RobustMemory(), swinging(3, 30), RobustPlan(None, 0.0))
    text = json.dumps(pack(memory))
    assert unpack(json.loads(text), RobustMemory) == memory
    assert len(text) < 10_000
    assert unpack({}, RobustMemory) == RobustMemory()
