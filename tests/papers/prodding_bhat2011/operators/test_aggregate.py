from __future__ import annotations

from typing import Any

import pytest

from slackwater.papers.prodding_bhat2011.operators.element import DataTuple, Punctuation
from slackwater.papers.prodding_bhat2011.operators.partial import SPAN
from slackwater.papers.prodding_bhat2011.operators.plan import (
    Plan,
    WindowQuery,
    aggregates,
    flat,
    paned,
)
from slackwater.papers.prodding_bhat2011.operators.predicate import (
    ANY,
    Eq,
    In,
    Le,
    Predicate,
    Range,
)
from slackwater.papers.prodding_bhat2011.operators.prod import Prod
from slackwater.papers.stream.monoids import AVG, MAX, SUM


def reading(ts: int, sensor: int, speed: int, volume: int) -> DataTuple:
    return DataTuple({"ts": ts, "sensor": sensor, "speed": speed, "volume": volume})


def values(level: Any) -> dict[int, Any]:
    return {w: groups[()].state for w, groups in level.state.items()}


@pytest.mark.spec("prodding:F14", "prodding:F15", "prodding:F16")
def test_the_example_of_one_aggregate() -> None:
    """Q3-1: an estimate of 110, late tuples worth 25, a final of 135."""
    plan = Plan(flat(WindowQuery(50, 50, SUM, "volume")))
    now = 100
    for one in ((11, 1, 45, 40), (23, 2, 46, 20), (32, 3, 44, 30), (45, 4, 45, 20)):
        plan.push(reading(*one), now := now + 1)
    plan.push(Prod("q", Eq(50), source="recorded"), 110)
    for one in ((52, 1, 48, 26), (12, 2, 40, 15), (49, 2, 40, 10)):
        plan.push(reading(*one), 111)
    plan.push(Punctuation("u", Le(50)), 112)
    early, final = plan.results
    assert (early.kind, early.value, early.rows, early.prod) == ("early", 110, 4, "q")
    assert (early.window, early.start, early.end, early.revision) == (0, 0, 50, 1)
    assert (early.first_arrival, early.oldest, early.emitted) == (101, 11, 110)
    assert early.source == "recorded"
    assert (final.kind, final.value, final.rows, final.prod) == ("final", 135, 6, None)
    assert (final.revision, final.emitted) == (2, 112)
    [top] = aggregates(plan.chain.operators)
    assert values(top) == {1: 26}


@pytest.mark.spec("prodding:F11", "prodding:F16", "prodding:F17")
def test_the_example_of_panes_and_windows_step_by_step() -> None:
    """Q3-3, the table of section 3.9."""
    plan = Plan(paned(WindowQuery(30, 10, MAX, "volume")))
    panes, windows = aggregates(plan.chain.operators)
    told: list[tuple[str, int, int]] = []

    def push(element: DataTuple | Punctuation | Prod) -> list[tuple[str, int, int]]:
        plan.push(element, 0)
        new = [(r.kind, r.window, r.value) for r in plan.results[len(told) :]]
        told.extend(new)
        return new

    for one in ((101, 1, 50, 55), (112, 1, 50, 52), (125, 2, 46, 45)):
        push(reading(*one))
    assert (values(panes), values(windows)) == ({10: 55, 11: 52, 12: 45}, {})
    assert push(Punctuation(1, Le(110))) == [("final", 10, 55)]
    assert (values(panes), values(windows)) == ({11: 52, 12: 45}, {11: 55, 12: 55})
    assert push(Punctuation(2, Le(120))) == [("final", 11, 55)]
    assert (values(panes), values(windows)) == ({12: 45}, {12: 55, 13: 52})
    assert push(reading(126, 1, 50, 54)) == []
    assert values(panes) == {12: 54}
    assert push(Prod(3, Eq(130))) == [("early", 12, 55)]  # erratum E-5
    assert (values(panes), values(windows)) == ({}, {12: 55, 13: 54, 14: 54})
    assert push(reading(126, 1, 40, 58)) == []
    assert values(panes) == {12: 58}
    assert push(Punctuation(4, Le(130))) == [("final", 12, 58)]
    assert (values(panes), values(windows)) == ({}, {13: 58, 14: 58})


@pytest.mark.spec("prodding:F14", "prodding:F25")
@pytest.mark.parametrize(
    ("time", "ends"),
    [
        (Eq(20), [20]),
        (Le(20), [10, 20]),
        (Range(15, 30), [20, 30]),
        (In.of([10, 30]), [10, 30]),
        (ANY, [10, 20, 30, 40]),
    ],
)
@pytest.mark.parametrize("is_paned", [False, True])
def test_a_prod_asks_for_the_windows_it_names(
    time: Predicate, ends: list[int], is_paned: bool
) -> None:
    query = WindowQuery(20, 10, SUM)
    plan = Plan(paned(query) if is_paned else flat(query))
    for ts in (5, 15, 25):
        plan.push(DataTuple({"ts": ts, "value": ts}), ts)
    plan.push(Prod(1, time), 30)
    whole = {10: 5, 20: 20, 30: 40, 40: 25}
    assert {r.end: r.value for r in plan.results} == {end: whole[end] for end in ends}


@pytest.mark.spec("prodding:F14")
@pytest.mark.parametrize(
    ("wanted", "sensors"),
    [(Eq(1), [1]), (In.of([1, 3]), [1, 3]), (Le(2), [1, 2]), (ANY, [1, 2, 3]), (Eq(9), [])],
)
def test_a_group_wise_prod_yields_its_groups_only(wanted: Predicate, sensors: list[int]) -> None:
    plan = Plan(paned(WindowQuery(50, 50, SUM, "volume", ("sensor",))))
    for sensor in (1, 2, 3):
        plan.push(reading(10 + sensor, sensor, 0, sensor), 0)
    plan.push(Prod(1, Eq(50), (("sensor", wanted),)), 1)
    assert [r.group for r in plan.results] == [(sensor,) for sensor in sensors]


@pytest.mark.spec("prodding:F26")
def test_a_constraint_on_what_is_aggregated_away_is_dropped_and_told() -> None:
    operators = flat(WindowQuery(50, 50, SUM, "volume", ("sensor",)))
    plan = Plan(operators)
    plan.push(reading(10, 1, 44, 5), 0)
    plan.push(Prod(1, Eq(50), (("speed", Le(40)),)), 1)
    plan.push(Punctuation(2, Le(50), (("speed", Le(40)),)), 2)
    [early] = plan.results  # the punctuation speaks of a part of the entry: it closes nothing
    assert (early.value, early.is_widened) == (5, True)
    assert aggregates(operators)[0].counters.widened == 1
    prod = plan.left[0]
    assert isinstance(prod, Prod)
    assert prod.is_widened


@pytest.mark.spec("prodding:F20")
def test_a_mistimed_prod_changes_nothing_is_counted_and_goes_on() -> None:
    operators = paned(WindowQuery(30, 10, MAX, "volume"))
    plan = Plan(operators)
    panes, windows = aggregates(operators)
    plan.push(Prod(1, Eq(30)), 0)
    assert (panes.counters.mistimed_early, windows.counters.mistimed_early) == (1, 1)
    plan.push(reading(25, 1, 0, 7), 1)
    plan.push(Punctuation(2, Le(30)), 2)
    before = (dict(panes.state), dict(windows.state))
    plan.push(Prod(3, Eq(30)), 3)  # too late for both
    assert (panes.counters.mistimed_late, windows.counters.mistimed_late) == (1, 1)
    plan.push(Prod(4, Eq(40)), 4)  # too early for the pane, right for the window
    assert panes.counters.mistimed_early == 2
    assert windows.counters.mistimed_early == 1
    assert (panes.state, windows.state) == before
    assert [(r.kind, r.window, r.value) for r in plan.results] == [
        ("final", 2, 7),
        ("early", 3, 7),
    ]
    assert [one.id for one in plan.left if isinstance(one, Prod)] == [1, 3, 4]


@pytest.mark.spec("prodding:F10", "prodding:F20")
def test_a_group_may_be_closed_before_the_others() -> None:
    operators = flat(WindowQuery(10, 10, SUM, "volume", ("sensor",)))
    plan = Plan(operators)
    for sensor in (1, 2):
        plan.push(reading(5, sensor, 0, sensor), 0)
    plan.push(Punctuation(1, Le(10), (("sensor", Eq(2)),)), 1)
    assert [(r.kind, r.group) for r in plan.results] == [("final", (2,))]
    plan.push(Prod(2, Eq(10), (("sensor", Eq(2)),)), 2)
    assert aggregates(operators)[0].counters.mistimed_late == 1
    plan.push(Prod(3, Eq(10)), 3)
    assert [(r.kind, r.group) for r in plan.results[1:]] == [("early", (1,))]


@pytest.mark.spec("prodding:F8")
def test_high_minus_low_and_means_merge_by_panes() -> None:
    for monoid, want in ((SPAN, 9 - 2), (AVG, (2 + 9 + 4) / 3)):
        plan = Plan(paned(WindowQuery(30, 10, monoid)))
        for ts, value in ((1, 2), (12, 9), (23, 4)):
            plan.push(DataTuple({"ts": ts, "value": value}), ts)
        plan.push(Prod(1, Eq(30)), 30)
        plan.push(Punctuation(2, Le(30)), 31)
        assert [r.value for r in plan.results if r.window == 2] == [want, want]


@pytest.mark.spec("prodding:F39")
def test_update_mode_tells_every_change_where_prods_tell_what_is_asked() -> None:
    query = WindowQuery(30, 10, SUM)
    talkative = Plan(flat(query, is_talkative=True))
    prodded = Plan(flat(query))
    for plan in (talkative, prodded):
        for ts in range(30):
            plan.push(DataTuple({"ts": ts, "value": 1}), ts)
        plan.push(Prod(1, Eq(30)), 30)
        plan.push(Punctuation(2, Le(60)), 60)
    changes = [r for r in talkative.results if r.kind == "change"]
    assert len(changes) == 30 * 3
    assert len([r for r in prodded.results if r.kind == "early"]) == 1
    assert [r.value for r in talkative.results if r.kind == "final"] == [
        r.value for r in prodded.results if r.kind == "final"
    ]
