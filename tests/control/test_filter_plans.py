"""Costs of filters told from their calls, and orders prepared for what may come."""

from __future__ import annotations

import json
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.driver import readings
from tests.execute.calling import counted, filtered

from slackwater.codec import pack, unpack
from slackwater.control.filter_costs import CHEAPEST, Effort
from slackwater.control.filter_plans import TOLERANCE, FilterLook, FilterPlans, prepare_filters
from slackwater.control.functions import FunctionMemory, LinkMemory
from slackwater.plan.build import check
from slackwater.plan.calls import Link
from slackwater.plan.stage import lay_out
from slackwater.stats.calls import CallSeen


def seen(rows: int, times: int, call: float, row: float) -> CallSeen:
    return CallSeen(rows, 0, times * call + rows * row, times)


def link() -> Link:
    return lay_out(check((counted(filtered(readings())),))).streams[0].links[0]


@given(st.floats(0, 1e-2), st.floats(1e-7, 1e-4))
def test_what_a_call_and_a_row_cost_is_told_apart(call: float, row: float) -> None:
    effort = Effort()
    for _ in range(3):
        effort = effort.after((seen(128, 1, call, row), seen(10_000, 2, call, row)))
    found = effort.fit()
    assert found[1] == pytest.approx(row, rel=1e-3)
    assert found[0] == pytest.approx(call, rel=1e-2, abs=1e-6)


def test_few_rows_do_not_make_a_filter_dear() -> None:
    known = Effort().after((seen(10_000, 1, 1e-3, 1e-6), seen(128, 1, 1e-3, 1e-6)))
    later = known.after((seen(40, 2, 1e-3, 1e-6), seen(128, 1, 1e-3, 1e-6)))
    assert later.fit()[1] == pytest.approx(1e-6, rel=1e-3)


def test_another_cost_is_learned_at_once() -> None:
    effort = Effort()
    for _ in range(5):
        effort = effort.after((seen(1_000, 1, 0, 1e-6),))
    assert effort.after((seen(1_000, 1, 0, 5e-5),)).fit()[1] == pytest.approx(5e-5)
    assert effort.after((seen(1_000, 1, 0, 2e-6),)).fit()[1] < 2e-6  # that may be chance


def test_what_was_never_called_costs_next_to_nothing() -> None:
    assert Effort().after((CallSeen(),)).fit() == (0.0, CHEAPEST)


def looks(count: int = 6) -> list[FilterLook]:
    """Each of three filters in turn drops nearly all, and the other two the same rows."""
    found = []
    for number in range(count):
        scarce, others = number % 3, 0b111 & ~(1 << number % 3)
        patterns = ((others, 110), (0b111, 2 + scarce), (1 << scarce, 10), (0, 6))
        found.append(FilterLook((1e-6, 2e-6, 3e-6), patterns))
    return found


def test_a_prepared_order_is_near_the_best_in_every_batch_that_was_seen() -> None:
    found = prepare_filters(link(), looks(), 3)
    for look in looks():
        order = found.plans.plans[found.cheapest(look, None)]
        best = min(look.work(one) for one in permutations(range(3)))
        assert look.work(order) <= (1 + TOLERANCE) * best * (1 + 1e-9)
        assert found.is_near(look)
    assert 1 < len(found.plans.plans) <= 6
    names = {found.plans.space.dimensions[number].name for number in found.plans.space.free}
    assert "is_large.share" in names
    assert not any(name.endswith(".cost") for name in names)  # these did not swing


def test_of_equal_orders_the_current_one_stays() -> None:
    found = prepare_filters(link(), looks(), 3)
    same = FilterLook((1e-6, 1e-6, 1e-6), ((0b111, 100),))
    assert [found.cheapest(same, number) for number in range(len(found.plans.plans))] == list(
        range(len(found.plans.plans))
    )


def test_what_is_remembered_comes_back_as_it_was() -> None:
    plans = prepare_filters(link(), looks(), 3)
    known = LinkMemory((Effort(1.0, 2.0),), tuple(looks()), plans)
    memory = FunctionMemory({"x": known})
    again = unpack(json.loads(json.dumps(pack(memory))), FunctionMemory)
    assert again == memory
    prepared = again.links["x"].prepared
    assert isinstance(prepared, FilterPlans)
    assert isinstance(prepared.plans.plans[0], tuple)
