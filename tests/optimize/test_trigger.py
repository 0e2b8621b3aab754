"""When plans are compared again, and when a change is worth it."""

from __future__ import annotations

import pytest

from slackwater.optimize.trigger import (
    LEAST_REST,
    LONGEST_REST,
    PERIOD,
    Signals,
    is_cheaper_later,
    next_rest,
    pays,
    reason,
)


@pytest.mark.spec("adaptive:TRG-01")
def test_plans_are_compared_every_so_many_batches() -> None:
    assert reason(Signals(PERIOD - 1)) is None
    assert reason(Signals(PERIOD)) == "period"


@pytest.mark.spec("adaptive:TRG-02")
def test_a_small_change_is_looked_at_once_half_of_the_period_is_over() -> None:
    assert reason(Signals(PERIOD // 2 - 1, surprise=1.3)) is None
    assert reason(Signals(PERIOD // 2, surprise=1.3)) == "change"
    assert reason(Signals(PERIOD // 2, surprise=1.1)) is None


@pytest.mark.spec("adaptive:TRG-03")
def test_a_large_change_is_looked_at_at_once() -> None:
    assert reason(Signals(1, surprise=1.5)) == "surprise"
    assert reason(Signals(1, surprise=1.4)) is None


@pytest.mark.spec("adaptive:TRG-04")
def test_memory_near_its_limit_counts_if_it_grows_steadily_and_not_after_a_jump() -> None:
    assert reason(Signals(1, memory=0.95, growing=4)) == "memory"
    assert reason(Signals(1, memory=0.95, growing=1)) is None
    assert reason(Signals(1, memory=0.5, growing=9)) is None
    assert reason(Signals(1, memory=1.2, growing=1)) == "memory"


@pytest.mark.spec("adaptive:TRG-05")
def test_inner_joins_that_keep_more_and_more_are_looked_at_before_memory_is_short() -> None:
    assert reason(Signals(4, filling=4)) == "filling"
    assert reason(Signals(3, filling=9)) is None  # plans were compared a moment ago
    assert reason(Signals(7, growing=9)) is None  # inputs grow, too


@pytest.mark.spec("adaptive:TRG-03")
def test_rates_that_are_others_than_when_plans_were_compared_are_a_reason() -> None:
    assert reason(Signals(1, swing=2.5)) == "rates"
    assert reason(Signals(1, swing=2.4)) is None
    assert reason(Signals(1, changed=1, rest=4, swing=9.0)) is None


def test_a_change_that_was_put_off_is_looked_at_again_at_once() -> None:
    assert reason(Signals(1, waits=True)) == "waiting"
    assert reason(Signals(1, changed=1, rest=4, waits=True)) is None


def test_a_change_waits_while_that_saves_more_than_it_costs() -> None:
    assert is_cheaper_later(gain=0.2, move=3.0, later=2.5)
    assert not is_cheaper_later(gain=0.6, move=3.0, later=2.5)
    assert not is_cheaper_later(gain=0.1, move=3.0, later=3.0)


@pytest.mark.spec("adaptive:TRG-07")
def test_a_new_plan_is_left_alone_for_a_while_unless_memory_runs_out() -> None:
    assert reason(Signals(1, changed=3, surprise=4.0, rest=4)) is None
    assert reason(Signals(1, changed=4, surprise=4.0, rest=4)) == "surprise"
    assert reason(Signals(1, changed=1, memory=1.0, rest=4)) == "memory"


@pytest.mark.spec("adaptive:TRG-07")
def test_changes_for_nothing_become_rarer_and_rarer() -> None:
    rest = LEAST_REST
    for _ in range(20):
        rest = next_rest(rest, has_paid=False)
    assert rest == LONGEST_REST
    assert next_rest(rest, has_paid=True) == LONGEST_REST // 2
    assert next_rest(LEAST_REST, has_paid=True) == LEAST_REST


@pytest.mark.spec("adaptive:TRG-07")
def test_a_change_must_pay_for_itself_within_the_horizon() -> None:
    assert pays(now=1.0, best=0.5, move=10.0, horizon=32, margin=0.1)
    assert not pays(now=1.0, best=0.5, move=16.0, horizon=32, margin=0.1)
    assert not pays(now=1.0, best=0.95, move=0.0, horizon=32, margin=0.1)
