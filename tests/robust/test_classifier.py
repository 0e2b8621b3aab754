"""The plan of a point: fast, the same as by looking through all parts, and saved."""

from __future__ import annotations

import json
import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.codec import pack, unpack
from slackwater.robust.classifier import Chosen, Tally, classifier
from slackwater.robust.coverage import sampled
from slackwater.robust.decision_tree import accuracy, induced
from slackwater.robust.erp import erp, erp_literal
from slackwater.robust.pipeline import Order
from slackwater.robust.plan_set import PlanSet
from slackwater.robust.reference import oracle, static
from slackwater.robust.region_tree import region_tree, walk
from tests.robust.instances import PIPELINE, drawn, example

SEED = time.time_ns()


@pytest.mark.spec("robust:F044")
@settings(max_examples=30)
@given(st.integers(0, 2**32), st.integers(1, 3))
def test_the_tree_says_what_a_look_through_all_parts_says(seed: int, dimensions: int) -> None:
    draw = random.Random(seed)
    known = drawn(draw, 6, dimensions, level=5, units=12)
    found = erp(known, draw.choice((0.0, 0.02, 0.1)))
    tree = region_tree(found)
    for _ in range(60):
        point = tuple(draw.uniform(one.lo * 0.7, one.hi * 1.3) for one in known.space.dimensions)
        assert walk(tree, point) == found.plan_at(point)
        lines = tuple(draw.randint(0, 12) for _ in range(dimensions))
        assert walk(tree, known.space.at(lines)) == found.plan_at(known.space.at(lines))


@pytest.mark.spec("robust:F046")
def test_a_set_is_saved_as_it_is() -> None:
    for seed in range(3):
        found = erp(drawn(random.Random(seed), 8, level=5), 0.02)
        text = json.dumps(pack(found))
        assert unpack(json.loads(text), PlanSet[Order]) == found


def test_a_set_without_regions_has_no_classifier() -> None:
    with pytest.raises(ValueError, match="no regions"):
        classifier(erp_literal(example(), 0.1), PIPELINE)


@pytest.mark.spec("robust:F132")
def test_the_plan_of_the_region_is_chosen_and_what_is_beyond_belongs_to_the_boundary() -> None:
    known = example()
    found = erp(known, 0.02)
    choose = classifier(found, PIPELINE).choose
    inside, beyond = (0.5, 0.7), (0.9, 2.0)
    assert choose(inside) == Chosen(found.plan_at(inside))
    assert choose(beyond) == Chosen(found.plan_at((0.75, 1.05)), is_outside=True)


@pytest.mark.spec("robust:F132")
def test_a_plan_that_cannot_be_carried_gives_way_to_the_cheapest_that_can() -> None:
    known = example()
    found = erp(known, 0.0)
    for point in ((0.3, 0.4), (0.7, 1.0), (0.3, 1.0), (0.5, 0.7)):
        mine = found.plan_at(point)
        others = [number for number in range(len(found.plans)) if number != mine]
        chosen = classifier(found, PIPELINE, others, is_settled=False).choose(point)
        cheapest = min(others, key=lambda number: PIPELINE.cost(found.plans[number], point))
        assert chosen == Chosen(cheapest, is_second=True)
        corner = next(
            leaf.box.hi for leaf in found.leaves if leaf.box.contains(known.space.cell(point))
        )
        once = min(others, key=lambda number: known.cost(found.plans[number], corner))
        assert classifier(found, PIPELINE, others).choose(point) == Chosen(once, is_second=True)
    with pytest.raises(ValueError, match="carries no plan"):
        classifier(found, PIPELINE, [])


@pytest.mark.spec("robust:F132")
def test_the_current_plan_may_stay_while_it_is_hardly_worse() -> None:
    known = example()
    found = erp(known, 0.0)
    lazy = classifier(found, PIPELINE, hysteresis=0.1)
    kept = 0
    for lines in ((x, y) for x in range(17) for y in range(17)):
        point = known.space.at(lines)
        best = found.plan_at(point)
        for current in range(len(found.plans)):
            cost = PIPELINE.cost(found.plans[current], point)
            near = cost <= 1.1 * PIPELINE.cost(found.plans[best], point)
            assert lazy.choose(point, current).plan == (current if near else best)
            kept += near and current != best
    assert kept > 0
    assert lazy.choose((0.5, 0.7), None).plan == found.plan_at((0.5, 0.7))


@pytest.mark.spec("robust:F132")
def test_choices_are_counted() -> None:
    tally = Tally()
    for chosen in (Chosen(0), Chosen(1, is_outside=True), Chosen(1), Chosen(0, is_second=True)):
        tally = tally.after(chosen)
    assert tally == Tally(decisions=4, switches=2, outside=1, second=1, plan=0)


def test_a_choice_takes_microseconds() -> None:
    known = drawn(random.Random(2), 10, dimensions=4, level=5, units=100)
    found = erp(known, 0.0, budget=400)
    assert len(found.leaves) > 200
    choose = classifier(found, known.optimizer).choose
    points = [probe.point for probe in sampled(known.space, 2000, 1)]
    took = []
    for _ in range(3):
        began = time.process_time()
        for point in points:
            choose(point)
        took.append((time.process_time() - began) / len(points))
    assert min(took) < 100e-6  # a few microseconds on a machine that does nothing else


@pytest.mark.spec("robust:F133")
def test_an_induced_tree_says_nearly_the_same_and_says_how_nearly() -> None:
    known = example(16)
    found = erp(known, 0.0)
    grid = [known.space.at((x, y)) for x in range(17) for y in range(17)]
    examples = [(point, found.plan_at(point)) for point in grid]
    tree = induced(examples)
    assert accuracy(tree, examples) == 1.0
    fresh = [(p.point, found.plan_at(p.point)) for p in sampled(known.space, 1000, 4)]
    assert 0.85 < accuracy(tree, fresh) < 1.0
    stump = induced(examples, deepest=0)
    assert accuracy(stump, examples) == max(
        sum(plan == n for _, plan in examples) for n in range(len(found.plans))
    ) / len(examples)


@pytest.mark.spec("robust:F182", "robust:F183")
def test_one_plan_for_ever_and_one_that_knows_the_moment() -> None:
    estimate, later = (0.5, 0.7), (0.25, 1.05)
    fixed = static(PIPELINE, estimate, (200.0, 200.0))
    assert fixed.plan == (2, 1, 0)
    assert fixed.placement == (1, 0, 1)  # 140 on one, 126 and 100 on the other
    knowing = oracle(PIPELINE, later, (200.0, 200.0))
    assert PIPELINE.cost(knowing.plan, later) == pytest.approx(365.0)
    assert knowing.used == pytest.approx(365 / 400)
    assert PIPELINE.cost(fixed.plan, later) > 365.0
