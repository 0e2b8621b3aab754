"""Rules over rows that wait by rank, without any rows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.control.orders import Piece, Pieces, rows_of, weight_of
from slackwater.control.queues import books, expire, in_order, newest_of, take, turn_away
from slackwater.plan.costly import CostPlan
from slackwater.plan.ranks import Level
from slackwater.query.expression import Expression
from slackwater.stats.panes import UNRANKED, Queue
from slackwater.units import BEGIN_OF_TIME

LEVELS = (Level(1, 0, Expression("v = 1")), Level(2, 0, Expression("v = 2")))


def piece(batch: int, rows: int, rank: int = UNRANKED, weight: int = 1, **terms: int) -> Piece:
    return Piece(batch, 0, rows, 0, 0, terms.get("high", 0), input=terms.get("input", 0),
                 queue=Queue(rank=rank, weight=weight))  # fmt: skip


def plan(precedence: str = "static", lifespan: int | None = None) -> CostPlan:
    return CostPlan(9, lifespan=lifespan, levels=LEVELS, precedence=precedence)


@pytest.mark.spec("precedence:PR-14", "precedence:PR-13")
def test_the_most_critical_come_first_and_equal_ones_as_they_came() -> None:
    some = (piece(1, 1), piece(1, 2, 2), piece(2, 3, 1), piece(3, 4, 2), piece(3, 5, 1))
    assert [one.rows for one in in_order(plan(), some)] == [3, 5, 2, 4, 1]
    assert in_order(plan("none"), some) == some


def test_a_heavy_row_waits_behind_lighter_ones_but_not_for_ever() -> None:
    heavy, light = piece(1, 3, 1, weight=100), piece(1, 5, 1)
    taken, left = take((light, heavy), 50)
    assert (taken, left) == ((light,), (heavy,))
    taken, left = take((heavy, light), 50)
    assert [one.rows for one in taken] == [1]  # first, so taken
    assert rows_of(left) == 7
    taken, left = take((heavy, light), 203)
    assert [one.rows for one in taken] == [2, 3]


PIECES = st.lists(
    st.builds(piece, st.just(1), st.integers(1, 9), st.sampled_from([1, 2, UNRANKED]),
              st.sampled_from([1, 8, 64])),
    max_size=8,
)  # fmt: skip


@pytest.mark.spec("precedence:PR-29")
@given(pieces=PIECES, budget=st.integers(0, 200))
def test_no_more_is_taken_than_the_budget_but_for_one_row(pieces: list[Piece], budget: int) -> None:
    taken, left = take(tuple(pieces), budget)
    assert rows_of(taken) + rows_of(left) == rows_of(pieces)
    assert weight_of(taken) <= budget or rows_of(taken) == 1
    if budget and pieces:
        assert taken


@pytest.mark.spec("precedence:PR-27")
def test_rows_expire_when_the_youngest_of_their_piece_has_to() -> None:
    old, young = piece(1, 2, high=9), piece(1, 3, high=10)
    assert expire(plan(lifespan=5), (old, young), 15) == ((young,), (old,))
    assert expire(plan(), (old, young), 15) == ((old, young), ())
    assert expire(plan(lifespan=5), (old,), None) == ((old,), ())


def test_only_what_conditions_speak_of_is_shed_for_its_worth_and_only_if_work_is_short() -> None:
    new = (piece(1, 1, 1), piece(1, 2), piece(1, 3, input=1))
    assert turn_away(plan("semantic"), new, is_short=True) == ((new[0], new[2]), (new[1],))
    assert turn_away(plan("semantic"), new, is_short=False) == (new, ())
    assert turn_away(plan("static"), new, is_short=True) == (new, ())


def test_of_rows_given_up_the_newest_time_of_each_rank_is_remembered() -> None:
    first = newest_of(plan(), (piece(1, 1, 1, high=5), piece(1, 1, 1, high=3), piece(1, 9, high=9)))
    assert first == (5, BEGIN_OF_TIME)  # none of rank 2; rows without a rank are of no account
    assert newest_of(plan(), (piece(2, 1, 1, high=4), piece(2, 1, 2, high=7)), first) == (5, 7)
    assert newest_of(plan(), (), (5, 7, 9)) == (5, 7)  # there were three ranks before


@given(came=PIECES, worked=PIECES)
def test_books_have_every_row_once(came: list[Piece], worked: list[Piece]) -> None:
    none: Pieces = ()
    told = books(plan(), admitted=tuple(came), worked=tuple(worked), waiting=none, expired=none,
                 shed=none)  # fmt: skip
    assert [book.rank for book in told] == [1, 2, None]
    assert sum(book.admitted for book in told) == rows_of(came)
    assert sum(book.worked for book in told) == rows_of(worked)
