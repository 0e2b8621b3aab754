"""Which rows of an expensive query are worked on, decided by hand."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.control.test_step import FAR, Hand, policy, query, rows

from slackwater.control.backlog import Backlog, work
from slackwater.control.orders import Piece, Work, rows_of
from slackwater.control.queues import take
from slackwater.control.saved import plain, read_decision, read_state
from slackwater.plan.costly import CostPlan
from slackwater.query.estimates import estimates
from slackwater.units import END_OF_TIME, SECOND


def hand(budget: int = 3, *, size: int = 10, wait: int = 0, every: Any = 0, **cost: Any) -> Hand:
    terms = {} if every is None else {"estimates": estimates(every=every)}
    return Hand(policy(query(size, wait=wait, base=rows().costly(budget, **cost), **terms)))


def numbers(working: Work | None) -> tuple[int, int, int, int]:
    """Rows to do, aside, shed and worked on."""
    assert working is not None
    return working.todo, working.aside, working.shed, working.worked


def waiting(hand: Hand) -> Backlog:
    found = hand.state.of("q").find(Backlog)
    assert found is not None
    return found


@pytest.mark.spec("prodding:F44")
def test_a_budget_of_rows_is_worked_on_first_come_first_served() -> None:
    one = hand(every=None)
    first = one.query(5, 1, 2, 3).work
    second = one.query(6, 7).work
    assert numbers(first) == (1, 0, 0, 3)
    assert numbers(second) == (0, 0, 0, 3)
    assert first is not None
    assert second is not None
    assert [(p.batch, p.start, p.rows) for p in first.taken] == [(0, 0, 3)]
    assert [(p.batch, p.start, p.rows) for p in second.taken] == [(0, 3, 1), (1, 0, 2)]
    assert first.runs == (0,)
    assert second.runs == ()


@pytest.mark.spec("prodding:F44")
def test_the_watermark_waits_for_the_oldest_row_that_waits() -> None:
    one = hand(2, every=None)
    assert one.query(1, 2, 8, 9, 25).upto == 1 * SECOND  # the smallest time of the pane
    assert one.query().upto == 25 * SECOND
    assert numbers(one.query().work) == (0, 0, 0, 1)
    assert one.query().upto == 25 * SECOND


def test_a_row_that_comes_late_holds_only_what_is_open() -> None:
    one = hand(1, every=None)
    one.query(15)
    late = one.query(12, 14, 14)
    assert (late.after, late.upto, late.late) == (15 * SECOND, 15 * SECOND, 0)
    assert one.query(30, 3).upto == 15 * SECOND  # a row of 14 waits
    assert one.query().upto == 30 * SECOND


def test_rows_too_late_or_too_far_ahead_do_not_wait() -> None:
    one = hand(1, every=None)
    one.query(25)
    decision = one.query(26, 3, None, FAR)
    assert (decision.late, decision.dropped, decision.rejected) == (1, 1, 2)
    assert decision.work is not None
    assert [(p.start, p.rows) for p in decision.work.taken] == [(1, 1)]  # 3 lies before it
    assert numbers(decision.work) == (0, 0, 0, 1)


@pytest.mark.spec("prodding:F56")
def test_rows_of_a_window_that_was_estimated_are_shed_under_drop() -> None:
    one = hand(2, aside="drop", every="5 s")
    assert numbers(one.query(1, 2, 3, 4, 4).work) == (3, 0, 0, 2)  # no prod yet
    decision = one.see(6, 11, 12, 13, 13)
    assert numbers(decision.queries["q"].work) == (0, 0, 6, 2)
    assert decision.notices == ("query q: 6 rows of estimated windows shed",)
    assert decision.queries["q"].upto == 1 * SECOND
    assert one.query().upto == 13 * SECOND  # nothing waits any more


@pytest.mark.spec("prodding:F56")
@pytest.mark.parametrize(
    ("aside", "wanted"),
    [
        ("wait", [(8, 0, 0, 4), (12, 0, 0, 4), (8, 0, 0, 4)]),
        ("idle", [(8, 0, 0, 4), (0, 12, 0, 4), (0, 12, 0, 4)]),
        ("3:1", [(8, 0, 0, 4), (0, 12, 0, 4), (1, 11, 0, 4)]),
    ],
)
def test_rows_set_aside_are_served_by_their_policy(
    aside: str, wanted: list[tuple[int, int, int, int]]
) -> None:
    one = hand(4, aside=aside, every="5 s", size=10)
    assert numbers(one.query(*range(1, 5), *[4] * 8).work) == wanted[0]
    assert numbers(one.query(*[6] * 8).work) == wanted[1]  # the first window is estimated
    third = one.query(*[] if aside == "wait" else [8] * 4).work
    assert numbers(third) == wanted[2]


@pytest.mark.spec("prodding:F58")
def test_a_row_set_aside_for_too_long_comes_first() -> None:
    one = hand(2, aside="idle", starve="10 s", every="50 s", size=100)
    one.query(1, 1, 1, 1)
    one.query(51, 51)
    assert waiting(one).aside == (Piece(1, 0, 2, 0, 51 * SECOND, 51 * SECOND, since=51 * SECOND),)
    assert numbers(one.query(60, 60).work) == (0, 2, 0, 2)
    served = one.query(61, 61, 61).work
    assert served is not None
    assert [(p.batch, p.rows) for p in served.taken] == [(1, 2)]
    assert numbers(served) == (3, 0, 0, 2)


def test_at_the_end_everything_is_worked_on() -> None:
    one = hand(1, aside="idle", every="5 s", size=100)
    one.query(1, 2, 3)
    one.query(7, 8)
    assert waiting(one).aside
    end = one.query(ended=True)
    assert numbers(end.work) == (0, 0, 0, 3)
    assert end.upto == END_OF_TIME


def test_a_prod_of_some_groups_sets_nothing_aside() -> None:
    terms = estimates(every=0, where="k = 1")
    one = Hand(policy(query(base=rows().costly(1, aside="drop"), estimates=terms)))
    one.query(1, 2)
    assert numbers(one.query(3).work) == (1, 0, 0, 1)


def test_decisions_and_state_survive_as_json() -> None:
    one = hand(2, aside="3:1", every="5 s", starve="1 minute")
    one.see(1, 2, 3, 4)
    decision = one.see(6, 7, 8)
    assert waiting(one).aside
    assert read_decision(json.loads(json.dumps(plain(decision)))) == decision
    assert read_state(json.loads(json.dumps(plain(one.state)))) == one.state


PIECES = st.lists(st.integers(1, 9), max_size=6)


@given(sizes=PIECES, wanted=st.integers(0, 60))
def test_taking_rows_splits_at_most_one_piece(sizes: list[int], wanted: int) -> None:
    pieces = tuple(Piece(n, 0, size, 0, 0, 0) for n, size in enumerate(sizes))
    taken, rest = take(pieces, wanted)
    assert rows_of(taken) == min(wanted, sum(sizes))
    places = [(p.batch, p.start + i) for p in (*taken, *rest) for i in range(p.rows)]
    assert places == [(p.batch, i) for p in pieces for i in range(p.rows)]


@pytest.mark.spec("prodding:F58")
@given(
    todo=PIECES,
    aside=st.lists(st.tuples(st.integers(1, 9), st.integers(0, 50)), max_size=6),
    budget=st.integers(1, 30),
    plan=st.sampled_from([("idle", 1), ("ratio", 1), ("ratio", 3)]),
)
def test_nobody_is_served_before_a_row_that_starves(
    todo: list[int], aside: list[tuple[int, int]], budget: int, plan: tuple[Any, int]
) -> None:
    new = tuple(Piece(n, 0, size, 0, 0, 0) for n, size in enumerate(todo))
    old = tuple(Piece(9 + n, 0, size, 0, 0, 0, since) for n, (size, since) in enumerate(aside))
    taken, left, shed = work(CostPlan(budget, *plan, starve=20), Backlog(new, old), 50)
    assert shed == 0
    assert rows_of(taken) == min(budget, rows_of((*new, *old)))
    assert rows_of(taken) + rows_of((*left.todo, *left.aside)) == rows_of((*new, *old))
    if any(p.since is not None and p.since <= 30 for p in left.aside):
        assert all(p.since is not None and p.since <= 30 for p in taken)


TIMES = st.lists(st.lists(st.integers(0, 60), max_size=8), min_size=1, max_size=8)


@pytest.mark.spec("prodding:F44", "prodding:F56")
@settings(deadline=None)
@given(
    batches=TIMES,
    budget=st.integers(1, 6),
    aside=st.sampled_from(["wait", "drop", "idle", "2:1"]),
)
def test_every_row_is_worked_on_once_shed_or_waits_and_its_window_is_open(
    batches: list[list[int]], budget: int, aside: str
) -> None:
    one = hand(budget, aside=aside, wait=10)
    worked: set[tuple[int, int]] = set()
    came = shed = 0
    for times in batches:
        decision = one.query(*times)
        working, left = decision.work, waiting(one)
        assert working is not None
        came += len(times) - decision.dropped
        shed += working.shed
        places = {(p.batch, p.start + i) for p in working.taken for i in range(p.rows)}
        assert not worked & places
        assert len(places) == working.worked <= budget
        worked |= places
        assert came == len(worked) + shed + rows_of((*left.todo, *left.aside))
        assert set(working.runs) == {p.batch for p in (*left.todo, *left.aside)}
        for piece in (*left.todo, *left.aside):
            assert decision.upto is not None
            assert one.policy.plan.queries[0].base.window.size + piece.pane > decision.upto
