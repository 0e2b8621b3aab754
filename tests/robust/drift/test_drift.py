"""When statistics leave the space: noticing it, and what to do then."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from statistics import mean

import pytest

from slackwater.robust.coverage import coverage, grid
from slackwater.robust.drift.adapt_phy import Schedule, acceptance, adapt_phy, neighbour
from slackwater.robust.drift.improvement import (
    Moving,
    improvement,
    moved_operators,
    order_of_moves,
)
from slackwater.robust.drift.observed import (
    Analyzer,
    Thresholds,
    analyse,
    divergence,
    histogram,
    observed_space,
    overlap,
)
from slackwater.robust.drift.recommend import Gate, recommend
from slackwater.robust.drift.watch import Watch, Watched
from slackwater.robust.erp import erp
from slackwater.robust.optimizer import Counted
from slackwater.robust.placement.opt_prune import opt_prune
from slackwater.robust.placement.placement import Demand, score_joint
from slackwater.robust.space import ParameterSpace, parameter_space
from tests.robust.instances import PIPELINE, demand, example, groups, space_of, table

SEED = time.time_ns()


@pytest.mark.spec("robust:F161")
def test_the_observed_space_is_what_was_seen() -> None:
    found = observed_space(space_of(), [(0.3, 0.9), (0.4, 0.8), (0.8, 1.0)])
    first, third = found.dimensions
    assert (first.lo, first.estimate, first.hi) == pytest.approx((0.3, 0.5, 0.8))
    assert (third.lo, third.estimate, third.hi) == pytest.approx((0.8, 0.9, 1.0))
    assert [one.name for one in found.dimensions] == ["first", "third"]


def test_overlap_is_the_share_of_the_observed_space() -> None:
    planned = space_of()  # [0.25, 0.75] x [0.35, 1.05]
    assert overlap(planned, planned) == pytest.approx(1.0)
    half = observed_space(planned, [(0.5, 0.4), (1.0, 0.6)])
    assert overlap(half, planned) == pytest.approx(0.5)
    away = observed_space(planned, [(0.8, 0.4), (1.0, 0.6)])
    assert overlap(away, planned) == 0.0
    point = observed_space(planned, [(0.5, 0.5)])
    assert overlap(point, planned) == 1.0


@pytest.mark.spec("robust:F162")
def test_drift_is_a_loss_of_coverage_that_stays() -> None:
    planned = space_of()
    plans = erp(Counted(PIPELINE, planned), 0.02).plans[:1]

    def covered(space: ParameterSpace) -> float:
        return coverage(PIPELINE, plans, grid(space, 8), 0.02)

    home = [planned.at(planned.lines(planned.estimate))]
    best_here = covered(planned)
    away = [(0.3, 1.6), (0.35, 1.9)]
    usual = Thresholds(loss=best_here / 2, in_a_row=2)
    there = analyse(planned, away, covered, usual)
    assert there.is_alarm is (best_here - there.now > usual.loss)
    calm = analyse(planned, [*home, *home], covered, usual)
    alarm = replace(there, is_alarm=True)
    state = Analyzer().after(alarm)
    assert not state.is_drift(usual)
    assert state.after(alarm).is_drift(usual)
    assert not state.after(replace(calm, is_alarm=False)).after(alarm).is_drift(usual)


@pytest.mark.spec("robust:F162")
def test_leaving_the_region_of_the_only_plan_is_an_alarm() -> None:
    """The plan for filters that let little through is no good where the third multiplies."""
    planned = parameter_space({"first": 0.5, "third": 0.4}, 1, kinds={"third": "fan_out"})
    plans = erp(Counted(PIPELINE, planned), 0.1).plans

    def covered(space: ParameterSpace) -> float:
        return coverage(PIPELINE, plans, grid(space, 8), 0.1)

    found = analyse(planned, [(0.1, 1.5), (0.2, 2.0)], covered, Thresholds())
    assert (found.before, found.now, found.is_alarm) == (1.0, 0.0, True)
    near = analyse(planned, [(0.48, 0.38), (0.52, 0.42)], covered, Thresholds())
    assert not near.is_alarm


@pytest.mark.spec("robust:F163")
def test_divergence_is_none_of_the_same_and_one_of_what_has_nothing_in_common() -> None:
    draw = random.Random(1)
    one = histogram([draw.gauss(5, 1) for _ in range(2000)], 0, 10)
    same = histogram([draw.gauss(5, 1) for _ in range(2000)], 0, 10)
    other = histogram([draw.gauss(7, 1) for _ in range(2000)], 0, 10)
    assert divergence(one, one) == 0.0
    assert divergence([1.0, 0.0], [0.0, 1.0]) == pytest.approx(1.0)
    assert divergence(one, same) < 0.02 < divergence(one, other) < 1.0
    assert divergence(one, other) == pytest.approx(divergence(other, one))
    assert sum(histogram([-5, 5, 50], 0, 10)) == pytest.approx(1.0)


MOVING = Moving((100_000_000, 0, 50_000_000, 0, 0), bandwidth=100e6, pause=0.5)


@pytest.mark.spec("robust:F164")
def test_an_improvement_is_coverage_for_seconds() -> None:
    before, after = groups("13", "245"), groups("23", "145")
    assert moved_operators(before, after) == [0, 1]
    assert MOVING.seconds(before, after) == pytest.approx(2.0)
    assert MOVING.seconds(before, before) == 0.5  # never nothing, by which it would be divided
    assert improvement(0.9, 0.4, 2.0) == pytest.approx(25.0)
    assert improvement(0.9, 0.4, 0.5, is_same=True) == 0.0
    assert improvement(0.2, 0.4, 2.0) < 0
    assert order_of_moves(before, after, MOVING.state, [1.0] * 5) == [1, 0]


@pytest.mark.spec("robust:F165")
def test_a_walk_never_ends_worse_than_it_began() -> None:
    draw = random.Random(SEED)
    gained = 0
    for _ in range(15):
        known = demand(draw, 7, 3, 4, 1.3)
        current = tuple(draw.randrange(3) for _ in range(7))
        moving = Moving((10_000_000,) * 7)

        def worth(
            one: tuple[int, ...],
            known: Demand = known,
            current: tuple[int, ...] = current,
            moving: Moving = moving,
        ) -> float:
            cover, seconds = score_joint(known, one), moving.seconds(current, one)
            return improvement(cover, 0.2, seconds, is_same=one == current)

        found = adapt_phy(current, 3, worth, Schedule(seed=draw.randrange(1000)))
        assert found.worth >= 0
        assert found.worth == pytest.approx(worth(found.placement))
        assert score_joint(known, found.placement) <= opt_prune(known).score + 1e-9
        gained += found.worth > 0
    assert gained > 5, SEED


@pytest.mark.spec("robust:F165")
def test_worse_steps_are_taken_less_often_the_cooler_it_is() -> None:
    assert acceptance(0.0, 1.0) == acceptance(3.0, 0.0) == 1.0
    assert acceptance(-1.0, 2.0) == pytest.approx(0.6065, abs=1e-4)
    assert acceptance(-1.0, 0.5) == pytest.approx(0.1353, abs=1e-4)
    assert acceptance(-1.0, 0.0) == 0.0
    draw = random.Random(2)
    hot = mean(draw.random() < acceptance(-1.0, 2.0) for _ in range(4000))
    assert hot == pytest.approx(0.6065, abs=0.04)
    # a round more on the plateau is a round cooler
    flat = adapt_phy((0, 0, 1), 2, lambda one: 0.0, Schedule(plateau=7))
    assert (flat.placement, flat.worth, flat.rounds) == ((0, 0, 1), 0.0, 7)
    ticks = iter(range(1000))
    hasty = adapt_phy(
        (0, 0, 1), 2, lambda one: 0.0, Schedule(seconds=3), clock=lambda: float(next(ticks))
    )
    assert hasty.rounds == 2


def test_neighbours_move_one_or_swap_two() -> None:
    draw = random.Random(3)
    for _ in range(100):
        placement = tuple(draw.randrange(3) for _ in range(5))
        other = neighbour(placement, 3, draw)
        changed = moved_operators(placement, other)
        assert len(changed) in {1, 2}
        if len(changed) == 2:
            assert sorted(placement) == sorted(other)
    assert neighbour((0, 0), 1, draw) == (0, 0)


@pytest.mark.spec("robust:F166")
def test_a_move_needs_more_coverage_and_enough_worth() -> None:
    known = table(210)
    current, best = groups("12", "345"), groups("13", "245")
    assert score_joint(known, current) < score_joint(known, best) == 1.0
    found = recommend(known, current, 0.5, MOVING)
    assert found.advice == "move"
    assert found.cover > found.cover_now
    assert found.worth > 0
    assert found.seconds == MOVING.seconds(current, found.placement)
    strict = recommend(known, current, 0.5, MOVING, gate=Gate(worth=1e9))
    assert (strict.advice, strict.placement) == ("plans", current)
    optimal = recommend(known, current, 0.5, MOVING, search=lambda one: opt_prune(one).placement)
    assert optimal.cover == pytest.approx(1.0)
    hopeless = recommend(table(50), current, 0.5, MOVING)
    assert (hopeless.advice, hopeless.placement) == ("stay", current)


@pytest.mark.spec("robust:F167")
def test_where_operators_can_stay_only_plans_are_exchanged() -> None:
    found = recommend(table(210), groups("13", "245"), 0.1, MOVING)
    assert (found.advice, found.placement) == ("plans", groups("13", "245"))
    assert found.seconds == 0.0
    assert example().space.free == (0, 1)


@pytest.mark.spec("robust:F160")
def test_plans_are_measured_only_while_what_comes_in_has_changed() -> None:
    draw = random.Random(5)

    def keys(middle: float) -> list[float]:
        return [draw.gauss(middle, 10) for _ in range(500)]

    watch = Watch({"key": Watched.of(keys(50), 0, 100)})
    for _ in range(5):
        watch = watch.after({"key": keys(50)})
        assert not watch.is_second_tier
    watch = watch.after({"key": keys(75)})
    assert watch.is_second_tier
    states = []
    for _ in range(4):
        watch = watch.after({"key": keys(50)})
        states.append(watch.is_second_tier)
    assert states == [True, True, False, False]
    assert not watch.after({"key": []}).is_second_tier
