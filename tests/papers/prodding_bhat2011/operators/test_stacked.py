"""Aggregates over aggregates: provisional contributions keep finals exact."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import SlackwaterError
from slackwater.papers.prodding_bhat2011.operators.element import DataTuple, Punctuation
from slackwater.papers.prodding_bhat2011.operators.passing import Relay, Select
from slackwater.papers.prodding_bhat2011.operators.plan import (
    Plan,
    WindowQuery,
    aggregates,
    flat,
    paned,
    role_of,
    stacked,
)
from slackwater.papers.prodding_bhat2011.operators.predicate import Eq, Le
from slackwater.papers.prodding_bhat2011.operators.prod import Prod
from slackwater.papers.prodding_bhat2011.operators.roles import Role
from slackwater.papers.prodding_bhat2011.operators.sweep import Sweep
from slackwater.papers.stream.monoids import MAX, SUM
from tests.papers.prodding_bhat2011.operators.reference import (
    MONOIDS,
    Item,
    earlies,
    element,
    finals,
    random_items,
    run,
)


def sums_then(fn: str, size: int = 30, slide: int = 10) -> list[WindowQuery]:
    below = WindowQuery(size, slide, SUM, key=("group",), algebra="sum")
    return [below, WindowQuery(size, slide, MONOIDS[fn], algebra=fn)]


def plain_items(seed: int, low: int) -> list[Item]:
    """Prods and punctuations for all groups: the top has no group to be asked for."""
    items = random_items(random.Random(seed), 40, 30, span=80, low=low)
    return [one if one[0] == "T" else (one[0], one[1], None, one[3]) for one in items]


def brute(items: list[Item], fn: str, size: int, slide: int) -> list[tuple[object, ...]]:
    """Estimates from all tuples before each prod, level by level, in closed windows apart."""
    out: list[tuple[object, ...]] = []
    seen: list[Item] = []
    closed = -(10**9)
    for item in items:
        if item[0] == "T":
            seen.append(item)
        elif item[0] == "U":
            closed = max(closed, item[1])
        else:
            end = item[1] // slide * slide
            inside = [one for one in seen if end - size <= one[1] < end]
            if end > closed and inside:
                sums: dict[object, int] = {}
                for one in inside:
                    sums[one[2]] = sums.get(one[2], 0) + one[3]
                out.append((item[3], end // slide - 1, (), MONOIDS[fn].of(list(sums.values()))))
    return out


@pytest.mark.spec("prodding:F22", "prodding:F24")
def test_the_middle_of_the_largest_of_sums_accumulates() -> None:
    assert role_of(stacked(sums_then("max"))) == [Role.INCREMENTAL, Role.ACCUMULATING, Role.TOP]
    assert role_of(stacked(sums_then("sum"))) == [Role.INCREMENTAL, Role.INCREMENTAL, Role.TOP]
    assert role_of(stacked(sums_then("max"), is_paned=False)) == [Role.ACCUMULATING, Role.TOP]


@pytest.mark.spec("prodding:F22", "prodding:F23")
@given(st.integers(0, 10**6), st.sampled_from(list(MONOIDS)), st.sampled_from([0, -100]))
def test_finals_and_estimates_of_stacked_aggregates_are_exact(seed: int, fn: str, low: int) -> None:
    items = plain_items(seed, low)
    bare = [one for one in items if one[0] != "P"]
    for is_paned in (True, False):
        got = run(stacked(sums_then(fn), is_paned=is_paned), items)
        want = run(stacked(sums_then(fn), is_paned=is_paned), bare)
        assert finals(got) == finals(want)
        assert earlies(got) == brute(items, fn, 30, 10)


@pytest.mark.spec("prodding:F23")
@pytest.mark.parametrize(
    ("fn", "low", "is_wrong"),
    [
        ("max", 0, False),  # the one case in which folding does no harm
        ("min", 0, True),
        ("avg", 0, True),
        ("count", 0, True),
        ("max", -100, True),
        ("min", -100, True),
    ],
)
def test_folding_in_what_an_accumulator_sends_spoils_finals(
    fn: str, low: int, is_wrong: bool
) -> None:
    wrong = 0
    for seed in range(40):
        items = plain_items(seed, low)
        bare = [one for one in items if one[0] != "P"]
        want = finals(run(stacked(sums_then(fn)), bare))
        wrong += finals(run(stacked(sums_then(fn), is_naive=True), items)) != want
        assert finals(run(stacked(sums_then(fn)), items)) == want
    assert (wrong > 5) == is_wrong
    assert is_wrong or wrong == 0


@pytest.mark.spec("prodding:F22")
def test_the_largest_of_sums_step_by_step() -> None:
    plan = Plan(stacked(sums_then("max", 20, 10)))
    panes, sums, top = aggregates(plan.chain.operators)
    for ts, group, value in ((1, "a", 5), (2, "b", 4), (11, "b", 3)):
        plan.push(DataTuple({"ts": ts, "group": group, "value": value}), ts)
    plan.push(Prod(1, Eq(20)), 12)
    assert [(r.kind, r.value) for r in plan.results] == [("early", 7)]
    assert panes.state == {}
    assert {g[0]: p.state for g, p in sums.state[1].items()} == {"a": 5, "b": 7}
    assert top.state == {}  # nothing of it stays
    plan.push(DataTuple({"ts": 12, "group": "a", "value": -9}), 13)
    plan.push(DataTuple({"ts": 12, "group": "b", "value": -3}), 14)
    plan.push(Punctuation(2, Le(20)), 20)
    assert [(r.window, r.value) for r in plan.results[1:]] == [(0, 5), (1, 4)]


@pytest.mark.spec("prodding:F22", "prodding:F23", "prodding:F26")
@given(st.integers(0, 10**6))
def test_windows_over_windows_of_another_length(seed: int) -> None:
    """The hourly number of hot windows (Q4-3): a filter on a maximum below a count."""
    items = plain_items(seed, 0)
    hot = Select(lambda row: row["value"] > 80)
    low = WindowQuery(10, 5, MAX)
    high = WindowQuery(40, 20, MONOIDS["count"], value=None)

    def plan() -> Plan:
        below, top = paned(low), flat(high)
        # the window aggregate is not on top any more: it accumulates, for all windows above
        windows = aggregates(below)[-1]
        sweep = Sweep("range", panes=40 // 5 + 1, step=20 // 5)
        far = Sweep("range", panes=(40 + 10) // 5, step=20 // 5)
        windows.params = replace(windows.params, role=Role.ACCUMULATING, sweep=sweep)
        lower = aggregates(below)[0]
        lower.params = replace(lower.params, sweep=far)
        return Plan([*below, hot, Relay(5), *top])

    with_prods, without = plan(), plan()
    for now, item in enumerate(items):
        with_prods.push(element(item), now)
        if item[0] != "P":
            without.push(element(item), now)
    assert finals(with_prods.results) == finals(without.results)
    for prod, window, _, value in earlies(with_prods.results):
        place = [(item[0], item[3]) for item in items].index(("P", prod))
        end = (window + 1) * 20
        seen = [one for one in items[:place] if one[0] == "T"]
        counted = sum(
            max((one[3] for one in seen if last - 10 <= one[1] < last), default=0) > 80
            for last in range(-5, 400, 5)
            if end - 40 <= last - 1 < end
        )
        assert value == counted


def test_windows_of_different_length_do_not_stack_directly() -> None:
    with pytest.raises(SlackwaterError, match="same windows"):
        stacked([*sums_then("max")[:1], WindowQuery(40, 10, MAX)])
