from __future__ import annotations

import random
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import SlackwaterError
from slackwater.estimate.backlog import BacklogPolicy
from slackwater.papers.prodding_bhat2011.operators.element import DataTuple, Element, Punctuation
from slackwater.papers.prodding_bhat2011.operators.expensive import Expensive, ExpensiveParams
from slackwater.papers.prodding_bhat2011.operators.grammar import Grammar
from slackwater.papers.prodding_bhat2011.operators.plan import Plan, WindowQuery, flat, paned
from slackwater.papers.prodding_bhat2011.operators.predicate import Eq, Le, Range
from slackwater.papers.prodding_bhat2011.operators.prod import Prod
from slackwater.papers.prodding_bhat2011.operators.sources import Timed
from slackwater.papers.stream.monoids import COUNT, SUM

QUERY = WindowQuery(10, 10, COUNT, value=None)
Punctuations = Literal["plain", "range"]


def burst() -> list[Timed]:
    """Ten tuples at once at 8, then a quiet one in each of the next slides."""
    elements: list[tuple[int, Element]] = [(8, DataTuple({"ts": 8, "value": 1}))] * 10
    elements += [(10, Prod("q", Eq(10))), (10, Punctuation("u1", Le(10)))]
    elements += [(12, DataTuple({"ts": 12, "value": 1})), (20, Punctuation("u2", Le(20)))]
    elements += [(21, DataTuple({"ts": 21, "value": 1})), (30, Punctuation("u3", Le(30)))]
    return [Timed(at, element) for at, element in elements]


def run(
    cost: int, policy: BacklogPolicy | None, punctuations: Punctuations = "plain"
) -> tuple[list[tuple[str, int, int, int]], Expensive]:
    expensive = Expensive(ExpensiveParams(cost, 10, policy, punctuations))
    results = Plan([expensive, *flat(QUERY)]).run(burst())
    return [(r.kind, r.end, r.value, r.emitted) for r in results], expensive


@pytest.mark.spec("prodding:F44")
def test_a_prod_overtakes_the_to_do_list_and_punctuations_keep_their_place() -> None:
    rows, expensive = run(2, None)
    assert rows == [
        ("early", 10, 1, 10),  # one tuple was done by then
        ("final", 10, 10, 28),
        ("final", 20, 1, 30),
        ("final", 30, 1, 32),
    ]
    assert not expensive.todo


@pytest.mark.spec("prodding:F44")
def test_work_that_is_cheap_enough_leaves_the_prod_nothing_to_gain() -> None:
    rows, _ = run(0, None)
    assert rows[:2] == [("early", 10, 10, 10), ("final", 10, 10, 10)]
    with pytest.raises(SlackwaterError, match="cost -1"):
        ExpensiveParams(-1)


@pytest.mark.spec("prodding:F56")
def test_dropping_punctures_the_burst_and_loses_tuples() -> None:
    rows, expensive = run(2, BacklogPolicy("drop"))
    # the one being worked on when the prod came still counts
    assert rows == [
        ("early", 10, 1, 10),
        ("final", 10, 2, 12),
        ("final", 20, 1, 20),
        ("final", 30, 1, 30),
    ]
    assert expensive.dropped == 8


@pytest.mark.spec("prodding:F56", "prodding:F57")
@pytest.mark.parametrize("policy", [BacklogPolicy("idle"), BacklogPolicy("ratio", k=3)])
def test_what_is_set_aside_is_counted_in_the_end(policy: BacklogPolicy) -> None:
    plain, _ = run(3, policy)
    assert {(kind, end): value for kind, end, value, _ in plain if kind == "final"} == {
        ("final", 10): 10,
        ("final", 20): 1,
        ("final", 30): 1,
    }
    ranged, expensive = run(3, policy, "range")
    assert sorted(row[:3] for row in ranged) == sorted(row[:3] for row in plain)
    when = {end: at for kind, end, _, at in ranged if kind == "final"}
    late = {end: at for kind, end, _, at in plain if kind == "final"}
    assert when[20] == 20 < late[20]  # its window holds nothing set aside: it need not wait
    assert when[20] < when[10]  # later windows close before earlier ones
    assert expensive.sidelined == {0: 9}  # all but the one in work


@pytest.mark.spec("prodding:F57", "prodding:F5")
def test_promises_for_a_group_or_an_interval_wait_for_what_was_set_aside() -> None:
    params = ExpensiveParams(3, 10, BacklogPolicy("idle"), "range")
    plan = Plan([Expensive(params), *flat(WindowQuery(10, 10, COUNT, None, ("g",)))])
    for _ in range(3):
        plan.push(DataTuple({"ts": 5, "g": 1}), 5)
    plan.push(Prod("q", Eq(10)), 9)  # one is done, one in work, one set aside
    plan.push(DataTuple({"ts": 15, "g": 1}), 9)
    plan.push(Punctuation("of a group", Le(10), (("g", Eq(1)),)), 9)
    plan.push(Punctuation("an interval", Range(10, 19)), 9)
    plan.push(Punctuation("of all", Le(10)), 9)
    plan.advance(14)
    assert [(r.end, r.value, r.emitted) for r in plan.results[1:]] == [(20, 1, 14)]
    plan.advance(100)
    assert [(r.end, r.value, r.emitted) for r in plan.results[2:]] == [(10, 3, 17)]
    ids = [one.id for one in plan.left if isinstance(one, Punctuation)]
    assert ids == ["an interval", "of a group", "of all"]


@pytest.mark.spec("prodding:F58")
@given(st.integers(1, 4), st.integers(0, 10**6))
def test_new_tuples_never_keep_one_set_aside_waiting_for_longer_than_promised(
    k: int, seed: int
) -> None:
    rnd = random.Random(seed)
    expensive = Expensive(ExpensiveParams(1, 10, BacklogPolicy("ratio", k)))
    plan = Plan([expensive])
    for _ in range(10):
        plan.push(DataTuple({"ts": 5, "n": "old"}), 9)
    plan.push(Prod("q", Eq(10)), 9)
    now = 9
    for number in range(60):
        now += rnd.choice([0, 0, 1])
        plan.push(DataTuple({"ts": 11, "n": number}), now)
    plan.advance(10**6)
    order = [one.row["n"] for one in plan.left if isinstance(one, DataTuple)]
    aside = [place for place, name in enumerate(order) if name == "old"][1:]  # one was in work
    for place, at in enumerate(aside, start=1):
        new_before = sum(name != "old" for name in order[:at])
        assert new_before <= place * k


@pytest.mark.spec("prodding:F56", "prodding:F57", "prodding:F5")
@pytest.mark.parametrize("punctuations", ["plain", "range"])
@given(seed=st.integers(0, 10**6), kind=st.sampled_from(["idle", "ratio"]))
def test_sidelining_loses_nothing_and_stays_grammatical(
    punctuations: Punctuations, seed: int, kind: Literal["idle", "ratio"]
) -> None:
    rnd = random.Random(seed)
    stream, at = [], 0
    for slide in range(12):
        for _ in range(rnd.choice([0, 1, 3, 25])):
            at = max(at, slide * 10 + rnd.randrange(10))
            ts = rnd.randrange(slide * 10, slide * 10 + 10)
            stream.append(Timed(at, DataTuple({"ts": ts, "value": rnd.randrange(9)})))
        at = (slide + 1) * 10
        stream.append(Timed(at, Prod(f"q{slide}", Eq(at))))
        stream.append(Timed(at, Punctuation(f"u{slide}", Le(at))))
    stream.append(Timed(at, Punctuation("end", Le(1000))))
    query = WindowQuery(30, 10, SUM)
    want = Plan(flat(query)).run([one for one in stream if not isinstance(one.element, Prod)])
    params = ExpensiveParams(1, 10, BacklogPolicy(kind), punctuations)
    grammar = Grammar()
    got = Plan([Expensive(params), grammar, *paned(query)]).run(stream)
    assert grammar.violations == 0
    finals = {(r.window, r.value) for r in got if r.kind == "final"}
    assert finals == {(r.window, r.value) for r in want if r.kind == "final"}
    assert len([r for r in got if r.kind == "final"]) == len(finals)


@pytest.mark.spec("prodding:F44")
@given(seed=st.integers(0, 10**6), cost=st.integers(0, 4))
def test_an_estimate_holds_what_preceded_the_prod_but_for_what_still_waits(
    seed: int, cost: int
) -> None:
    """Tuples done by the time of the prod, by the law of a queue with one server."""
    rnd = random.Random(seed)
    arrivals = sorted(rnd.randrange(40) for _ in range(25))
    stream = [Timed(at, DataTuple({"ts": at, "value": 1})) for at in arrivals]
    asked = [Timed(at, Prod(at, Le(100))) for at in range(41) if rnd.random() < 0.3]
    both = sorted([*asked, *stream], key=lambda one: (one.at, isinstance(one.element, Prod)))
    results = Plan([Expensive(ExpensiveParams(cost)), *paned(QUERY)]).run(both)
    done, free = [], 0
    for at in arrivals:
        free = max(free, at) + cost
        done.append((free, at))
    for prod in asked:
        told = {r.end: r.value for r in results if r.prod == prod.at}
        ready = [ts for end, ts in done if end <= prod.at and (cost or ts <= prod.at)]
        assert told == {
            end: sum(end - 10 <= ts < end for ts in ready)
            for end in (10, 20, 30, 40)
            if any(end - 10 <= ts < end for ts in ready)
        }
