"""The formulas of the source work, and the choice that follows from them."""

from __future__ import annotations

import pytest

from slackwater.migrate.choose import (
    Effort,
    Pair,
    Side,
    Situation,
    choose,
    making,
    moving_seconds,
    new_work,
    old_work,
    parallel_seconds,
    rate,
)

UNIT = Effort()


def chain(b: float, c: float, d: float, bc: float, cd: float) -> list[Pair]:
    """The states that the example of the source work lacks: of B C, and of B C D."""
    lower = Pair(Side(1000 / b), Side(1000 / c), bc)
    return [lower, Pair(lower, Side(1000 / d), cd)]


@pytest.mark.parametrize(
    ("intervals", "shares", "wanted"),
    [
        ((100, 100, 100), (0.05, 0.02), {0.5: 39, 1: 207, 2: 1236, 3: 3699, 4: 8208, 5: 15375}),
        ((12, 12, 12), (0.1, 0.1), {0.5: 17824, 1: 134954, 2: 1049074}),
        ((100, 50, 50), (0.05, 0.02), {1: 618}),
        ((10, 50, 50), (0.05, 0.02), {1: 6180}),
    ],
)
def test_moving_state_takes_what_the_formula_says(
    intervals: tuple[float, float, float], shares: tuple[float, float], wanted: dict[float, int]
) -> None:
    """(16.1) with the golden values of spec 11.7."""
    made = chain(*intervals, *shares)
    assert {w: round(moving_seconds(made, w, UNIT)) for w in wanted} == wanted


def test_one_state_and_its_rate() -> None:
    pair = Pair(Side(10), Side(20), 0.05)
    assert making(pair, 2, Effort(join=2, insert=4)) == 10 * 20 * 4 * (2 + 4 * 0.05)  # (12.1)
    assert rate(pair, 2) == 2 * 10 * 20 * 2 * 0.05  # (12.2)
    names = Effort(compare=0.5, cursor=3)
    assert moving_seconds([], 2, names, (3, 2)) == 4 * 3 * 2 * 0.5 + 2 * 2 * 3  # (12.3)


@pytest.mark.spec("adaptive:MIG-24")
def test_two_plans_overlap_for_one_window_or_two() -> None:
    assert [parallel_seconds(5, height) for height in (1, 2, 3)] == [5, 10, 10]  # (12.4)
    assert parallel_seconds(5, 3, tight=True) == 5


def test_work_while_both_run() -> None:
    assert old_work(10, 10, 1, UNIT) == 480  # (12.5)
    assert new_work(10, 10, 1, UNIT) == 360  # (12.6)


@pytest.mark.spec("adaptive:MIG-27")
def test_the_faster_way_is_chosen_and_the_window_decides_which() -> None:
    """Moving state for small windows, side by side for large ones: the source work's crossover."""
    made, effort = chain(12, 12, 12, 0.1, 0.1), Effort(join=1e-5, insert=1e-5)
    ways = []
    for window in (0.5, 1, 2, 4, 8):
        pause = moving_seconds(made, window, effort)
        ways.append(choose(Situation(pause, parallel_seconds(window, 3))).how)
    assert ways == ["moving", "moving", "parallel", "parallel", "parallel"]


@pytest.mark.spec("adaptive:MIG-27")
def test_what_must_not_pause_runs_side_by_side_and_some_plans_leave_no_choice() -> None:
    assert choose(Situation(3, 10)).how == "moving"
    assert choose(Situation(3, 10, longest=2)).how == "parallel"
    assert choose(Situation(3, 10, longest=2, only="moving")).how == "moving"
    assert choose(Situation(12, 10)).how == "parallel"
    short = choose(Situation(12, 10, load=1.5))  # both plans fall behind
    assert (short.how, short.seconds) == ("moving", 12)
