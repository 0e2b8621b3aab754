"""Frequent values are found within their promise, and told when all operators have told."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.precede.domain import Domain, Range
from slackwater.precede.frequency import Frequencies
from slackwater.precede.frequent import ExactTally, SketchTally
from slackwater.precede.monitor import Monitor, MonitorParams, Watch
from slackwater.precede.pipeline import Operator, Pipeline
from slackwater.precede.shared import Shared
from tests.precede.stocks import OP1, OP2, QUERY, SHARED

STOCK = {"S.ownedByCompany": True, "S.aggressive": True, "S.sector": "c"}
PAPER = {"N.sector": "c"}
EXACT = MonitorParams(threshold=0.0, error=0.0)


@pytest.mark.parametrize("error", [0.2, 0.02])
@given(st.integers(0), st.integers(1, 3000), st.floats(0.03, 0.5))
def test_the_sketch_keeps_its_promises(error: float, seed: int, rows: int, s: float) -> None:
    draw = random.Random(seed)
    values = [int(draw.paretovariate(0.7)) for _ in range(rows)]
    exact, sketch = ExactTally(), SketchTally(error)
    for value in values:
        exact.update(value)
        sketch.update(value)
    truth = Counter(values)
    found = sketch.get(s * rows)
    assert exact.total == sketch.total == rows
    assert exact.get(s * rows).keys() <= found.keys()
    for value, count in found.items():
        assert truth[value] - error * rows <= count <= truth[value]


def told(watches: dict[str, Watch], shared: Shared = SHARED) -> Frequencies:
    monitor, found = Monitor(shared), None
    for watch in watches.values():
        assert found is None
        monitor, found = monitor.step(watch.snapshot(7))
    assert found is not None
    assert monitor.told == ()
    return found


@pytest.mark.spec("precedence:PR-32", "precedence:PR-33")
def test_what_expired_on_its_way_counts_as_if_it_had_come() -> None:
    watches = {name: Watch(SHARED, name, QUERY.levels, EXACT) for name in ("op1", "op2")}
    for row in (STOCK, STOCK, PAPER, PAPER, PAPER):
        watches["op1"].arrive(row)
    watches["op1"].expire(STOCK)
    watches["op1"].expire(PAPER)
    watches["op2"].arrive(STOCK | PAPER)
    watches["op2"].expire(STOCK | PAPER)  # it had come
    found = told(watches)
    assert found.significant == {("op1", "S", 1, "c"): 2, ("op2", "S", 1, "c"): 2}
    assert found.come("op1", "N", "c") == 3
    assert found.come("op2", "N", "c") == 2
    assert watches["op1"].snapshot(8).arrived == {}


@pytest.mark.spec("precedence:PR-34")
def test_operators_that_join_nothing_count_for_the_next_join() -> None:
    few = Operator("few", ("N",), "select")
    shared = Shared(Pipeline((few, Operator("op1", ("S", "few"), keys=OP1.keys), OP2)))
    watches = {name: Watch(shared, name, QUERY.levels, EXACT) for name in ("few", "op1", "op2")}
    watches["few"].arrive(PAPER)
    watches["few"].expire(PAPER)
    assert told(watches, shared).come("op1", "N", "c") == 1


@pytest.mark.spec("precedence:PR-38")
def test_nothing_is_told_before_all_have_told() -> None:
    first, second = (Watch(SHARED, name, QUERY.levels, EXACT) for name in ("op1", "op2"))
    monitor, found = Monitor(SHARED).step(first.snapshot(1))
    assert found is None
    monitor, found = monitor.step(first.snapshot(2))
    assert found is None
    monitor, found = monitor.step(second.snapshot(2))
    assert found is not None
    assert monitor.told == ()


@pytest.mark.spec("precedence:PR-36", "precedence:PR-39")
@pytest.mark.parametrize("error", [0.0, 0.005])
def test_rare_values_are_left_out_by_the_share_of_the_group_or_of_the_stream(error: float) -> None:
    rows = [{"S.sector": f"s{n % 3}"} for n in range(97)]
    rows += [STOCK | {"S.sector": "rare"}] * 3
    for base, expected in (("group", {"rare": 3}), ("stream", {})):
        params = MonitorParams(0.05, error, base)  # type: ignore[arg-type]
        watch = Watch(SHARED, "op1", QUERY.levels, params)
        for row in rows:
            watch.arrive(row)
        arrived = watch.snapshot(1).arrived
        assert arrived["S.sector", "S", 1] == expected
        assert {*arrived["S.sector", "S", None]} == {"s0", "s1", "s2"}


@pytest.mark.spec("precedence:PR-37")
def test_continuous_values_are_counted_by_range() -> None:
    params = MonitorParams(0.0, 0.0, domain=Domain((("N.sector", (0.0, 10.0)),)))
    watch = Watch(SHARED, "op1", QUERY.levels, params)
    for price in (1.5, 9.0, 11.0):
        watch.arrive({"N.sector": price})
    counts = watch.snapshot(1).arrived["N.sector", "N", None]
    assert counts == {Range(0.0, 10.0): 2, Range(10.0, float("inf")): 1}
