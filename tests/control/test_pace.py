"""Budgets of time: what a machine can do in them is learned from what it did."""

from __future__ import annotations

from dataclasses import replace

import pytest

from slackwater.codec import pack, unpack
from slackwater.control.pace import FIRST, crowded, is_crowded, time_of, units
from slackwater.control.ranks import RankMemory, Ranks
from slackwater.control.records import Feedback
from slackwater.plan.costly import CostPlan

MEASURED = CostPlan(1, measured=True, interval=1.0)


def batch(
    memory: RankMemory, *, unit: float, fixed: float = 0.05, rest: float = 0.2
) -> tuple[RankMemory, float]:
    """A batch that uses its budget, on a machine of that speed; how long it took in all."""
    planned = memory.budget(MEASURED)
    spent = fixed + unit * planned
    after = Ranks().learn("q", replace(memory, planned=planned), Feedback(seconds=spent, rest=rest))
    return after, spent + rest


def test_the_time_to_work_is_what_the_rest_of_a_batch_leaves_of_the_trigger_interval() -> None:
    assert time_of(MEASURED, None) == pytest.approx(0.9)
    assert time_of(MEASURED, 0.2) == pytest.approx(0.7)
    assert time_of(MEASURED, 5.0) == pytest.approx(0.1)
    assert time_of(CostPlan(1, seconds=0.5), 0.2) == 0.5
    assert time_of(CostPlan(70), 0.2) is None


def test_units_are_those_that_fit_into_the_time() -> None:
    assert units(CostPlan(70), 0.001, None) == 70
    assert units(CostPlan(1, seconds=0.5), None, None) == FIRST
    assert units(CostPlan(1, seconds=0.5), 0.001, None) == 500
    assert units(MEASURED, 0.001, 0.4) == 500
    assert units(MEASURED, 5.0, 0.2) == 1  # a batch always works on something


@pytest.mark.parametrize("unit", [1e-6, 2e-5, 4e-4])
def test_a_measured_budget_fills_the_interval_on_any_machine(unit: float) -> None:
    memory, took = RankMemory(), []
    for _ in range(25):
        memory, seconds = batch(memory, unit=unit)
        took.append(seconds)
    assert took[-1] == pytest.approx(0.9, abs=0.01)
    assert max(took) < 1


def test_a_measured_budget_follows_a_machine_that_becomes_slower_and_faster_again() -> None:
    memory = RankMemory()
    for _ in range(15):
        memory, _ = batch(memory, unit=2e-5)
    memory, at_once = batch(memory, unit=6e-5)
    assert at_once > 1.5
    for _ in range(5):
        memory, slow = batch(memory, unit=6e-5)
    assert slow < 1
    for _ in range(15):
        memory, fast = batch(memory, unit=2e-5, rest=0.5)
    assert fast == pytest.approx(0.9, abs=0.02)


def test_an_idle_batch_says_nothing_of_the_pace_but_all_of_the_rest() -> None:
    known = RankMemory(pace=0.001, rest=0.1)
    after = Ranks().learn("q", known, Feedback(seconds=0.4, rest=0.3))
    assert (after.pace, after.rest) == (0.001, pytest.approx(0.2))
    assert Ranks().learn("q", known, Feedback(seconds=0.4)) == known  # as after a restart


def test_it_is_said_when_all_else_leaves_no_time_to_work() -> None:
    assert not is_crowded(MEASURED, None)
    assert not is_crowded(MEASURED, 0.79)
    assert is_crowded(MEASURED, 0.81)
    assert not is_crowded(CostPlan(1, seconds=0.5), 9.0)
    assert "all else takes 0.810 s" in crowded(MEASURED, 0.81)


def test_a_memory_from_before_goes_on() -> None:
    found = unpack({"pace": 0.001, "planned": 3}, RankMemory)
    assert found.budget(MEASURED) == 900
    assert unpack(pack(RankMemory(rest=0.25)), RankMemory).rest == 0.25
