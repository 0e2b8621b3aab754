"""Searches of robust plans: the calls they take, and what their plans are good for."""

from __future__ import annotations

import random
import time
from collections import Counter
from itertools import product
from statistics import mean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.errors import SlackwaterError
from slackwater.robust.box import Box
from slackwater.robust.coverage import classified_coverage, coverage, grid, sampled
from slackwater.robust.cut import Cutter, Weighing, manhattan, squared, weighted_cut, weights_of
from slackwater.robust.erp import erp, erp_literal
from slackwater.robust.es import es_central, es_full
from slackwater.robust.guarantee import Guarantee
from slackwater.robust.optimizer import Counted, cheapest
from slackwater.robust.pipeline import Axis, Operator, Order, Pipeline
from slackwater.robust.plan_set import PlanSet
from slackwater.robust.robustness import (
    is_corner_robust,
    is_near_best,
    is_two_corner_robust,
    is_within,
)
from slackwater.robust.rs import rs
from slackwater.robust.search import SEARCHES
from slackwater.robust.space import parameter_space
from slackwater.robust.wrp import wrp
from tests.robust.instances import PIPELINE, drawn, example, space_of

SEED = time.time_ns()
EPS = (0.0, 0.02, 0.05, 0.1, 0.2, 0.3)


def named(order: Order) -> tuple[int, ...]:
    return tuple(number + 1 for number in order)


def points(known: Counted[Order]) -> list[tuple[int, ...]]:
    return list(product(range(known.space.units + 1), repeat=len(known.space.free)))


def check_leaves(found: PlanSet[Order]) -> None:
    """Every cell is in one leaf."""
    cells = product(range(found.space.units), repeat=len(found.space.free))
    for cell in cells:
        assert sum(leaf.box.contains(cell) for leaf in found.leaves) == 1
    assert sum(leaf.box.volume for leaf in found.leaves) == found.space.whole.volume


@pytest.mark.spec("robust:F050")
def test_the_plan_diagram_of_the_known_space() -> None:
    small = Counter(named(example(4).at(lines)) for lines in points(example(4)))
    assert small == {(3, 2, 1): 9, (3, 1, 2): 6, (1, 2, 3): 4, (2, 1, 3): 4, (2, 3, 1): 2}
    large = Counter(named(example(16).at(lines)) for lines in points(example(16)))
    assert large == {
        (3, 2, 1): 132,
        (2, 1, 3): 58,
        (3, 1, 2): 51,
        (1, 2, 3): 30,
        (2, 3, 1): 14,
        (1, 3, 2): 4,
    }


@pytest.mark.spec("robust:F050")
def test_all_cells_are_asked_once() -> None:
    known = example(16)
    found = es_full(known, 0.1, is_merged=False)
    assert found.calls == 16**2
    check_leaves(found)
    for leaf in found.leaves:
        assert found.plans[leaf.plan] == PIPELINE.optimize(known.space.at(leaf.box.hi))
    with pytest.raises(SlackwaterError, match="too many"):
        es_full(drawn(random.Random(1), dimensions=4, units=100), 0.1)


@pytest.mark.spec("robust:F052")
def test_a_diagram_is_merged_into_few_plans_that_are_near_the_best_everywhere() -> None:
    sizes = []
    for eps in EPS:
        known = example(16)
        found = es_full(known, eps)
        check_leaves(found)
        for leaf in found.leaves:
            assert is_near_best(known, found.plans[leaf.plan], leaf.box.hi, eps)
        sizes.append(len(found.plans))
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1]


@pytest.mark.spec("robust:F051")
@pytest.mark.parametrize(("eps", "calls"), [(0.0, 125), (0.05, 39), (0.1, 16), (0.2, 12)])
def test_central_cuts_of_the_known_space(eps: float, calls: int) -> None:
    known = example(16)
    found = es_central(known, eps)
    assert found.calls == calls
    assert coverage(PIPELINE, found.plans, grid(known.space, 16), eps) == 1.0
    near = (
        any(is_near_best(known, plan, lines, eps) for plan in found.plans)
        for lines in points(known)
    )
    assert all(near)


@pytest.mark.spec("robust:F040")
def test_the_plan_that_is_best_at_the_upper_corner_passes_anyway() -> None:
    known, whole = example(), space_of().whole
    assert is_corner_robust(known, known.at(whole.hi), whole, 0.0)
    assert is_corner_robust(known, (0, 1, 2), whole, 0.2)  # 1.2 times the best there, no more
    costs = [(known.cost(plan, whole.hi), plan) for plan in ((0, 1, 2), (2, 1, 0), (2, 0, 1))]
    for cost, plan in costs:
        for eps in EPS:
            expected = cost <= (1 + eps) * 425.0 * (1 + 1e-12)
            assert is_corner_robust(known, plan, whole, eps) is expected


@pytest.mark.spec("robust:F041")
def test_the_plan_of_the_lower_corner_is_what_is_tested() -> None:
    known, whole = example(), space_of().whole
    lower = PIPELINE.cost((2, 0, 1), (0.75, 1.05))
    assert not is_two_corner_robust(known, whole, lower / 425.0 - 1.001)
    assert is_two_corner_robust(known, whole, lower / 425.0 - 0.999)


@pytest.mark.spec("robust:F042")
def test_near_the_best_at_a_point_is_another_thing_than_at_a_corner() -> None:
    """Two filters alike: one order is best at both corners, and a third worse between them."""
    parts = (Operator(1.0, 0.5), Operator(1.0, 0.5))
    filters = Pipeline(parts, 1.0, (Axis("share", 0), Axis("share", 1)))
    known = Counted(filters, parameter_space({"one": 0.5, "other": 0.5}, 4, units=4))
    whole, first = known.space.whole, (0, 1)
    assert known.at(whole.lo) == known.at(whole.hi) == first
    assert is_two_corner_robust(known, whole, 0.0)
    assert is_near_best(known, first, (0, 4), 0.0)
    assert not is_near_best(known, first, (4, 0), 0.3)  # 1.7 beside 1.3
    assert is_near_best(known, first, (4, 0), 0.31)


@pytest.mark.spec("robust:F054")
def test_a_weight_is_the_smaller_of_two_ratios() -> None:
    known = example(8)
    box = Box((0, 0), (8, 8))
    found = weights_of(known, box)
    lower, upper = known.at(box.lo), known.at(box.hi)
    for line in range(1, 8):
        expected = min(
            known.slope(upper, (line, 4), 0) / (8 - line), known.slope(lower, (line, 4), 0) / line
        )
        assert found[0][line] == pytest.approx(expected)
    assert set(found[1]) == set(range(1, 8))
    # a distance of nothing makes the other ratio count
    none_from_lo = weights_of(known, box, lambda one, other: 0.0 if other == 0 else 1.0)
    assert none_from_lo[0][3] == pytest.approx(known.slope(upper, (3, 4), 0))


class Sloping:
    """Two plans whose costs rise evenly in one dimension, each best at its corner."""

    def __init__(self, lower: float, upper: float) -> None:
        self.slopes = {"lower": lower, "upper": upper}

    def optimize(self, point: tuple[float, ...]) -> str:
        return "lower" if point[0] <= 0.5 else "upper"

    def cost(self, plan: str, point: tuple[float, ...]) -> float:
        return 100 + self.slopes[plan] * point[0]

    def loads(self, plan: str, point: tuple[float, ...]) -> tuple[float, ...]:
        return (self.cost(plan, point),)


@pytest.mark.spec("robust:F055")
@pytest.mark.parametrize(
    ("lower", "upper", "cut"), [(1, 1, 50), (3, 1, 75), (1, 3, 25), (1, 4, 20)]
)
def test_even_slopes_are_cut_where_both_ratios_meet(lower: float, upper: float, cut: int) -> None:
    space = parameter_space({"x": 1.0}, 0, kinds={"x": "rate"}, bounds={"x": (0.5, 1.5)})
    known = Counted(Sloping(lower, upper), space)
    found = weighted_cut(space.whole, weights_of(known, space.whole), clamp=0.0)
    assert found == (cut,)


@pytest.mark.spec("robust:F056")
def test_equal_weights_are_cut_in_the_middle_and_no_cut_is_at_the_edge() -> None:
    box = Box((0, 10), (20, 30))
    flat = {0: dict.fromkeys(range(1, 20), 0.0), 1: dict.fromkeys(range(11, 30), 0.0)}
    assert weighted_cut(box, flat, clamp=0.0) == (10, 20)
    edge = {0: {n: float(-n) for n in range(1, 20)}, 1: {n: float(n) for n in range(11, 30)}}
    assert weighted_cut(box, edge, clamp=0.0) == (1, 29)
    assert weighted_cut(box, edge, clamp=0.25) == (5, 25)
    thin = Box((0, 0), (2, 1))
    assert weighted_cut(thin, {0: {1: 0.0}, 1: {}}) == (1, 0)


@pytest.mark.spec("robust:F057")
def test_the_distance_is_a_choice() -> None:
    assert (manhattan(3, 7), squared(3, 7)) == (4, 16)
    known = example()
    by_line = weights_of(known, known.space.whole, manhattan)
    by_square = weights_of(known, known.space.whole, squared)
    assert by_square[0][1] == pytest.approx(by_line[0][1] / 15)
    assert wrp(example(), 0.05, weighing=Weighing(squared)).leaves


class Quarters:
    """One plan in all of the space but its last quarter, so that one part of four is surprised."""

    def optimize(self, point: tuple[float, ...]) -> str:
        return "last" if min(point) >= 1.0 else "first"

    def cost(self, plan: str, point: tuple[float, ...]) -> float:
        return sum(point) * (1 if plan == self.optimize(point) else 2)

    def loads(self, plan: str, point: tuple[float, ...]) -> tuple[float, ...]:
        return (self.cost(plan, point),)


@pytest.mark.spec("robust:F058")
def test_weights_are_kept_where_the_corners_are_as_predicted() -> None:
    """The example of the source work: of four parts one is weighted anew, three of four are not."""
    space = parameter_space({"x": 1.0, "y": 1.0}, 5, kinds={"x": "rate", "y": "rate"}, units=8)
    known: Counted[str] = Counted(Quarters(), space)
    cutter = Cutter(Weighing(clamp=0.0))
    parts = cutter.cut(known, space.whole)
    assert len(parts) == 4
    assert (cutter.updates, cutter.possible) == (1, 1)
    assert [known.at(part.lo) for part in parts] == ["first", "first", "first", "last"]
    for part in parts:
        cutter.cut(known, part)
    assert (cutter.updates, cutter.possible) == (2, 5)


@pytest.mark.spec("robust:F059", "robust:F043")
def test_cutting_ends_and_every_part_is_tested_or_a_cell() -> None:
    draw = random.Random(SEED)
    for eps in EPS:
        for weighing in (Weighing(), Weighing(clamp=0.0), None):
            known = drawn(draw, 6, level=5, units=12)
            found = wrp(known, eps, weighing=weighing)
            assert found.stopped == "exhausted"
            check_leaves(found)
            for leaf in found.leaves:
                plan = found.plans[leaf.plan]
                tested = plan == known.at(leaf.box.lo) and is_corner_robust(
                    known, plan, leaf.box, eps
                )
                assert tested or (leaf.box.is_unit and plan == known.at(leaf.box.hi)), SEED


@pytest.mark.spec("robust:F061", "robust:F043")
@pytest.mark.parametrize("turn", ["largest", "lifo"])
def test_parts_cover_the_space_however_the_search_ends(turn: str) -> None:
    draw = random.Random(SEED)
    for eps in EPS:
        for budget in (None, 12):
            known = drawn(draw, 8, level=5, units=12)
            found = erp(known, eps, turn=turn, budget=budget)  # type: ignore[arg-type]
            check_leaves(found)
            assert budget is None or found.calls <= budget
            for leaf in found.leaves:
                plan = found.plans[leaf.plan]
                if leaf.is_fallback:
                    assert found.stopped != "exhausted"
                else:
                    is_robust = is_corner_robust(known, plan, leaf.box, eps)
                    assert is_robust or leaf.box.is_unit, SEED
            # pops are bounded by new plans and misses between them
            assert found.steps <= (len(found.plans) + 1) * (int(found_threshold()) + 2)


def found_threshold() -> float:
    return Guarantee().threshold


@pytest.mark.spec("robust:F043")
@settings(max_examples=25)
@given(st.integers(0, 2**32), st.sampled_from(EPS), st.integers(1, 5))
def test_every_plan_is_robust_where_it_is_said_to_be(seed: int, eps: float, level: int) -> None:
    """By brute force over all points: what an exhausted search covers at corners, its plans cover.

    At upper corners no more than ε above the best; and nowhere in a part more than ε above the best
    of its upper corner, which is all that Definition 1 promises.
    """
    known = drawn(random.Random(seed), 6, level=level, units=10)
    found = erp(known, eps, guarantee=Guarantee(0.05, 0.0001))
    assert found.stopped == "exhausted"
    for leaf in found.leaves:
        plan, best = found.plans[leaf.plan], known.best_cost(leaf.box.hi)
        for lines in product(
            *(range(lo, hi + 1) for lo, hi in zip(leaf.box.lo, leaf.box.hi, strict=True))
        ):
            assert is_within(known.cost(plan, lines), best, eps)


@pytest.mark.spec("robust:F061")
def test_largest_first_covers_more_than_a_stack_when_both_stop_early() -> None:
    shares: dict[str, list[float]] = {"largest": [], "lifo": []}
    for seed in range(4):
        for turn, into in shares.items():
            known = drawn(random.Random(seed), 10, dimensions=3, level=5, units=100)
            found = erp(known, 0.0, turn=turn, budget=150)  # type: ignore[arg-type]
            probes = sampled(known.space, 150, seed)
            into.append(coverage(known.optimizer, found.plans, probes, 0.0))
    assert mean(shares["largest"]) >= mean(shares["lifo"])


@pytest.mark.spec("robust:F060")
def test_the_printed_algorithm_asks_little_and_keeps_no_regions() -> None:
    known = example()
    found = erp_literal(known, 0.1)
    assert found.leaves == ()
    assert set(found.plans) <= {PIPELINE.optimize(known.space.at(line)) for line in points(known)}
    assert found.calls < es_central(example(), 0.0).calls
    assert erp_literal(example(), 0.0).plans == found.plans  # ε is not used


@pytest.mark.spec("robust:F062")
def test_a_long_run_without_a_new_plan_ends_the_search() -> None:
    known = drawn(random.Random(7), 10, dimensions=3, level=5, units=100)
    found = erp(known, 0.0, guarantee=Guarantee(0.2, 0.5))  # more than 6.47 misses
    assert found.stopped == "aged"
    assert found.fallback_share > 0
    longer = erp(
        drawn(random.Random(7), 10, dimensions=3, level=5, units=100), 0.0, guarantee=Guarantee()
    )
    assert longer.steps > found.steps


@pytest.mark.spec("robust:F063")
def test_parts_that_are_left_get_the_cheapest_plan_known_without_a_call() -> None:
    known = drawn(random.Random(7), 10, dimensions=3, level=5, units=100)
    found = erp(known, 0.0, budget=20)
    assert found.stopped == "budget"
    assert found.calls == known.calls <= 20
    left = [leaf for leaf in found.leaves if leaf.is_fallback]
    assert left
    for leaf in left:
        assert leaf.plan == cheapest(known, found.plans, leaf.box.hi)


@pytest.mark.spec("robust:F064")
def test_uniform_probes_find_what_corners_did_not() -> None:
    before, after = [], []
    for seed in range(6):
        hasty = Guarantee(0.2, 0.5)
        plain = drawn(random.Random(seed), 10, dimensions=2, level=5, units=30)
        short = erp(plain, 0.01, guarantee=hasty)
        proved_by = drawn(random.Random(seed), 10, dimensions=2, level=5, units=30)
        proved = erp(proved_by, 0.01, guarantee=hasty, verify=seed)
        check_leaves(proved)
        probes = grid(plain.space, 15)
        before.append(coverage(plain.optimizer, short.plans, probes, 0.01))
        after.append(coverage(plain.optimizer, proved.plans, probes, 0.01))
        assert proved.calls >= short.calls
    assert mean(after) >= mean(before)
    assert max(b - a for a, b in zip(before, after, strict=True)) > 0


@pytest.mark.spec("robust:F053")
def test_random_search_stops_after_enough_misses_and_repeats_itself() -> None:
    known = example()
    found = rs(known, 0.1, seed=3)
    assert found == rs(example(), 0.1, seed=3)
    assert found.steps <= (len(found.plans) + 1) * 110
    assert found.calls <= found.steps
    assert rs(example(), 0.1, seed=3, budget=5).calls == 5
    for one in found.plans[1:]:  # each was needed where it was found
        assert one in {PIPELINE.optimize(known.space.at(lines)) for lines in points(known)}


@pytest.mark.spec("robust:F067")
def test_every_search_keeps_to_its_budget() -> None:
    for budget in (4, 9, 30):
        for search in (wrp, erp, es_central, rs, erp_literal):
            known = example(64)
            assert search(known, 0.0, budget=budget).calls <= budget  # type: ignore[operator]


@pytest.mark.spec("robust:F068")
def test_calls_fall_with_tolerance_and_rise_with_uncertainty() -> None:
    def calls(eps: float, level: int) -> float:
        return mean(
            erp(drawn(random.Random(seed), 10, level=level, units=100), eps).calls
            for seed in range(12)
        )

    by_eps = [calls(eps, 4) for eps in (0.02, 0.1, 0.3)]
    by_level = [calls(0.05, level) for level in (1, 3, 5)]
    assert by_eps == sorted(by_eps, reverse=True)
    assert by_level == sorted(by_level)
    assert by_eps[0] > by_eps[-1]
    assert by_level[0] < by_level[-1]


@pytest.mark.spec("robust:F045")
def test_coverage_is_the_same_by_grid_and_by_chance() -> None:
    known = drawn(random.Random(11), 10, level=5, units=50)
    plans = [known.at((0, 0)), known.at((50, 50))]
    by_grid = coverage(known.optimizer, plans, grid(known.space, 40), 0.01)
    by_chance = coverage(known.optimizer, plans, sampled(known.space, 3000, 1), 0.01)
    assert 0.1 < by_grid < 0.9
    assert by_chance == pytest.approx(by_grid, abs=0.05)


def test_regions_cover_no_more_than_the_best_of_all_plans() -> None:
    known = drawn(random.Random(11), 10, level=5, units=20)
    found, probes = erp(known, 0.05), grid(known.space, 10)
    any_plan = coverage(known.optimizer, found.plans, probes, 0.05)
    assert classified_coverage(known.optimizer, found, probes, 0.05) <= any_plan


def test_every_search_is_in_the_tuple_and_gives_plans() -> None:
    for name, search in SEARCHES:
        found = search(example(8), 0.1)  # type: ignore[operator]
        assert found.plans, name
