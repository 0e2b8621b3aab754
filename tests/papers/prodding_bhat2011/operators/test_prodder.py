from __future__ import annotations

from collections.abc import Iterable

import pytest

from slackwater.errors import SlackwaterError
from slackwater.papers.prodding_bhat2011.operators.element import DataTuple, Punctuation, Result
from slackwater.papers.prodding_bhat2011.operators.operator import Operator
from slackwater.papers.prodding_bhat2011.operators.passing import Select
from slackwater.papers.prodding_bhat2011.operators.plan import Plan, WindowQuery, flat, paned
from slackwater.papers.prodding_bhat2011.operators.predicate import Eq, Le
from slackwater.papers.prodding_bhat2011.operators.prod import Feedback, refresh
from slackwater.papers.prodding_bhat2011.operators.prodder import Prodder, ProdderParams
from slackwater.papers.stream.monoids import COUNT, SUM

QUERY = WindowQuery(30, 10, COUNT, value=None)


def every_second(operators: list[Operator], until: int) -> Plan:
    plan = Plan(operators)
    for ts in range(until):
        plan.push(DataTuple({"ts": ts, "value": 1, "sensor": ts % 2}), ts)
    return plan


def points(results: Iterable[Result]) -> list[tuple[int, int]]:
    return [(r.end, r.emitted) for r in results if r.kind == "early"]


@pytest.mark.spec("prodding:F30", "prodding:F48")
def test_a_prod_comes_before_the_end_of_every_window_by_its_aggressiveness() -> None:
    plan = every_second([Prodder(ProdderParams(30, 10, 0.3)), *paned(QUERY)], 50)
    assert points(plan.results) == [(10, 7), (20, 17), (30, 27), (40, 37), (50, 47)]
    assert [r.value for r in plan.results] == [7, 17, 27, 27, 27]
    assert {r.source for r in plan.results} == {"prodder"}


@pytest.mark.spec("prodding:F30")
def test_a_prod_may_come_after_the_end_and_at_an_interval() -> None:
    late = every_second([Prodder(ProdderParams(30, 10, -0.5)), *flat(QUERY)], 30)
    assert points(late.results) == [(10, 15), (20, 25)]
    often = every_second([Prodder(ProdderParams(30, 10, interval=4)), *flat(QUERY)], 13)
    assert points(often.results) == [(10, 4), (10, 8), (20, 12)]
    bound = every_second([Prodder(ProdderParams(30, 10, 0.3, is_bound=True)), *flat(QUERY)], 20)
    assert points(bound.results) == [(10, 7), (10, 17), (20, 17)]
    with pytest.raises(SlackwaterError, match="interval is 0"):
        ProdderParams(30, 10, interval=0)


@pytest.mark.spec("prodding:F30")
def test_prods_also_come_while_the_stream_is_silent() -> None:
    plan = Plan([Prodder(ProdderParams(30, 10, 0.0, end=100)), *flat(QUERY)])
    plan.push(DataTuple({"ts": 1}), 1)
    plan.advance(1000)
    assert points(plan.results) == [(10, 10), (20, 20), (30, 30)]


@pytest.mark.spec("prodding:F54")
def test_aggressiveness_may_be_changed_at_run_time() -> None:
    prodder = Prodder(ProdderParams(30, 10, 0.1))
    plan = Plan([prodder, *flat(QUERY)])
    for ts in range(40):
        if ts == 15:
            prodder.aggressiveness = 0.5
        plan.push(DataTuple({"ts": ts}), ts)
    assert points(plan.results) == [(10, 9), (20, 15), (30, 25), (40, 35)]
    prodder.aggressiveness = None
    plan.advance(100)
    assert points(plan.results)[4:] == []


@pytest.mark.spec("prodding:F54")
def test_a_prod_that_is_suddenly_overdue_comes_at_once_and_not_in_the_past() -> None:
    prodder = Prodder(ProdderParams(30, 10, 0.1))
    plan = Plan([prodder, *flat(QUERY)])
    for ts in range(20):
        if ts == 15:
            prodder.aggressiveness = 0.9
        plan.push(DataTuple({"ts": ts}), ts)
    assert points(plan.results) == [(10, 9), (20, 14)]  # it was due at 11


@pytest.mark.spec("prodding:F59")
def test_a_substream_may_be_prodded_earlier_than_the_rest() -> None:
    urgent = ((("sensor", Eq(1)),), 0.6)
    query = WindowQuery(10, 10, SUM, key=("sensor",))
    prodder = Prodder(ProdderParams(10, 10, 0.1, groups=(urgent,)))
    plan = every_second([prodder, *paned(query)], 20)
    early = [(r.end, r.emitted, r.group, r.value) for r in plan.results]
    assert early == [
        (10, 4, (1,), 2),
        (10, 9, (0,), 5),
        (10, 9, (1,), 4),
        (20, 14, (1,), 2),
        (20, 19, (0,), 5),
        (20, 19, (1,), 4),
    ]


@pytest.mark.spec("prodding:F31")
@pytest.mark.parametrize("build", [flat, paned])
def test_feedback_from_the_top_becomes_a_prod_at_the_bottom(build: object) -> None:
    assert callable(build)
    query = WindowQuery(20, 10, SUM, key=("sensor",))
    prodder = Prodder(ProdderParams(20, 10, None))
    plan = Plan([prodder, Select(lambda _: True), *build(query)])
    for ts in (3, 12, 14):
        plan.push(DataTuple({"ts": ts, "value": ts, "sensor": ts % 2}), ts)
    plan.feed_back(Feedback("f", Eq(1), (("sensor", Eq(0)),)), 15)
    [early] = plan.results
    assert (early.window, early.group, early.value) == (1, (0,), 26)
    assert (early.source, early.prod, early.emitted) == ("feedback", "f", 15)


@pytest.mark.spec("prodding:F31")
def test_feedback_without_a_prodder_is_lost() -> None:
    plan = Plan(flat(QUERY))
    plan.push(DataTuple({"ts": 1}), 1)
    plan.feed_back(Feedback(1, Eq(0)), 2)
    assert plan.results == []


@pytest.mark.spec("prodding:F21")
def test_refresh_gives_the_newest_estimates_of_open_windows_again_and_again() -> None:
    query = WindowQuery(20, 10, SUM, key=("sensor",))
    plan = Plan([Prodder(ProdderParams(20, 10, None)), *paned(query)])
    for ts in (3, 12, 13):
        plan.push(DataTuple({"ts": ts, "value": 1, "sensor": ts % 2}), ts)
    plan.push(Punctuation(1, Le(10)), 14)
    told = len(plan.results)
    plan.feed_back(refresh("r1"), 15)  # all open windows
    plan.feed_back(refresh("r2", newest_end=1), 16)  # up to one of them
    plan.feed_back(refresh("r3", sensor=1), 17)  # one group
    found = [(r.prod, r.end, r.group[0], r.revision) for r in plan.results[told:]]
    assert found == [
        ("r1", 20, 0, 1),
        ("r1", 20, 1, 1),
        ("r1", 30, 0, 1),
        ("r1", 30, 1, 1),
        ("r2", 20, 0, 2),
        ("r2", 20, 1, 2),
        ("r3", 20, 1, 3),
        ("r3", 30, 1, 2),
    ]
    assert {r.source for r in plan.results[told:]} == {"refresh"}


@pytest.mark.spec("prodding:F4", "prodding:F20")
def test_a_prodder_that_knows_the_skew_is_in_time() -> None:
    """The source is an hour behind: system time 3600 + t when it sends t."""

    def run(skew: int) -> list[tuple[int, int]]:
        params = ProdderParams(30, 10, 0.3, skew=skew, begin=3600, end=3640)
        plan = Plan([Prodder(params), *flat(QUERY)])
        for ts in range(40):
            plan.push(DataTuple({"ts": ts}), 3600 + ts)
        return points(plan.results)

    assert run(skew=3600) == [(10, 3607), (20, 3617), (30, 3627), (40, 3637)]
    assert run(skew=0) == []  # far too early: no window of that hour exists
