"""Rows by rank over time, and as they stand, from events alone."""

from __future__ import annotations

import numpy as np

from slackwater.history.history import History
from slackwater.history.ranks import rank_lines, ranks_of
from slackwater.history.summary import summarize
from slackwater.history.table import Key
from tests.events.story import batch, costly, plan, ranked


def told(batches: int, most: int = 1 << 17) -> History:
    history = History(most=most)
    history.use_plan(plan())
    history.add([{"event": "batch", **ranked(number)} for number in range(batches)])
    return history


def test_every_rank_has_its_own_course() -> None:
    table = told(4).table
    assert table.column(Key("rank_waiting", "fixed", "none")).tolist() == [50, 51, 52, 53]
    assert table.column(Key("rank_expired", "fixed", "2")).tolist() == [0, 10, 0, 10]
    assert table.column(Key("rank_used", "fixed", "1")).tolist() == [30] * 4
    assert table.column(Key("rank_criteria", "fixed", "2")).tolist() == [0, 1, 2, 3]
    assert table.column(Key("rank_yield", "fixed", "1")).tolist() == [120.5] * 4
    assert Key("rank_yield", "fixed", "none") not in table  # nothing promises it
    assert table.column(Key("backlog", "fixed", "complete")).tolist() == [2, 1, 2, 1]
    assert Key("backlog", "bounded", "budget") not in table


def test_rows_add_up_and_levels_stay_when_a_long_run_is_thinned() -> None:
    long, short = told(40, most=8).table, told(40).table
    assert long.size <= 8
    for group in ("rank_admitted", "rank_worked", "rank_expired", "rank_shed", "rank_used"):
        for rank in ("1", "2", "none"):
            key = Key(group, "fixed", rank)
            assert long.total(key) == short.total(key)
    for group, rank in (("rank_waiting", "none"), ("rank_criteria", "2"), ("rank_yield", "2")):
        assert long.last(Key(group, "fixed", rank)) == short.last(Key(group, "fixed", rank))
    assert long.last(Key("backlog", "fixed", "budget")) == 80  # a mean, of what was the same
    assert long.total(Key("backlog", "fixed", "used")) == 40 * 70


def test_a_standing_has_all_rows_of_a_rank_and_what_promises_it_now() -> None:
    history = told(8)
    first, second, rest = ranks_of(history.table, "fixed", history.explained["fixed"])
    assert [one.rank for one in (first, second, rest)] == ["1", "2", "none"]
    assert (first.admitted, first.worked, first.waiting) == (160, 120, 0)
    assert (second.expired, second.criteria, second.promise) == (40, 7, 3.5)
    assert (rest.waiting, rest.shed, rest.criteria, rest.best) == (57, 24, 0, None)
    assert first.best == "orders.k = 7, 8"
    assert np.isclose(first.share or 0, 3 / 7)
    assert np.isclose(sum(one.share or 0 for one in (first, second, rest)), 1)


def test_ten_ranks_come_in_the_order_of_numbers() -> None:
    def wide(number: int) -> dict[str, object]:
        event = ranked(number)
        books = event["queries"]["fixed"]["backlog"]["ranks"]
        books |= {str(rank): books["2"] for rank in range(3, 11)}
        return {"event": "batch", **event}

    history = History()
    history.add([wide(0)])
    ordered = [one.rank for one in ranks_of(history.table, "fixed", {})]
    assert ordered == [*(str(rank) for rank in range(1, 11)), "none"]


def test_a_query_without_ranks_has_none() -> None:
    history = History()
    history.add([{"event": "batch", **costly(1)}, {"event": "batch", **batch(2)}])
    assert ranks_of(history.table, "fixed", {}) == ()
    backlog = summarize(history, 1.0, {}).queries["fixed"].backlog
    assert backlog is not None
    assert (backlog.ranks, backlog.complete, backlog.expired) == ((), None, 0)


def test_a_summary_has_the_ranks() -> None:
    backlog = summarize(told(8), 1.0, {}).queries["fixed"].backlog
    assert backlog is not None
    assert (backlog.expired, backlog.complete) == (40, 1)
    assert [one.worked for one in backlog.ranks] == [120, 40, 280]


def test_a_rank_is_told_in_words() -> None:
    history = told(2)
    lines = rank_lines(ranks_of(history.table, "fixed", history.explained["fixed"]), 1.0)
    one, two, rest = (
        (40, 1, 30, 42.9, 0, 0, 0),
        (40, 1, 10, 14.3, 0, 10, 0),
        (120, 1, 70, 42.9, 51, 0, 6),
    )
    words = (
        "{} rows came, {} of them promising; {} worked on ({} % of the work), "
        "{} wait, {} expired, {} shed"
    )
    assert list(lines) == [
        "complete up to rank 1: nothing waits, nothing was given up",
        f"rank 1: {words.format(*one)}",
        "  promised by 6 values, 120.5 results: orders.k = 7, 8",
        f"rank 2: {words.format(*two)}",
        "  promised by 1 value, 0.5 results: payments.k = 1",
        f"without a rank: {words.format(*rest)}",
    ]
    assert next(rank_lines((), 0.0)).startswith("no rank is complete")


def test_strange_books_do_no_harm() -> None:
    event = {"event": "batch", **ranked(0)}
    backlog = event["queries"]["fixed"]["backlog"]
    for strange in (5, [], {"1": 7}, {"1": {"worked": "many"}}):
        history = History()
        history.add([{**event, "queries": {"fixed": {"backlog": {**backlog, "ranks": strange}}}}])
        assert all(one.worked == 0 for one in ranks_of(history.table, "fixed", {}))
