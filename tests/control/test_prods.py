"""Who prods a query in a batch, and what is remembered of it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from msgspec import convert, to_builtins
from tests.spark.driver import readings

import slackwater as sw
from slackwater.control.accuracy import Accuracy
from slackwater.control.orders import Prods
from slackwater.control.prods import (
    MOST,
    ProdMemory,
    Progress,
    age_of,
    marks,
    open_windows,
    prods_of,
)
from slackwater.control.request import Request
from slackwater.estimate.running import Running
from slackwater.plan.build import check
from slackwater.plan.estimates import EstimatePlan
from slackwater.plan.stage import QueryPlan, lay_out
from slackwater.plan.window import Window
from slackwater.units import SECOND

S = SECOND


def plan(*terms: Any, size: str = "10 s", slide: str = "10 s", slack: str = "5 s") -> QueryPlan:
    stream = readings().window(size, slide).group_by("k").aggregate(n="count(*)", top="max(v)")
    query = stream.query("q", sw.slack(slack), estimates=terms)
    return lay_out(check([query])).queries[0]


def at(before: int | None, clock: int, slack: int = 5, origin: int = 0) -> Progress:
    return Progress(
        None if before is None else before * S, clock * S, (clock - slack) * S, origin * S
    )


def _prods(
    query: QueryPlan,
    state: ProdMemory,
    progress: Progress,
    requests: tuple[Request, ...],
    accuracies: dict[str, Running],
) -> tuple[Prods, ProdMemory]:
    terms = query.find(EstimatePlan)
    assert terms is not None
    known = replace(state, accuracy=Accuracy(sources=accuracies))
    return prods_of(query, terms, known, progress, requests)


def prodded(
    query: QueryPlan,
    progress: Progress,
    state: ProdMemory | None = None,
    *requests: Request,
    **seen: Running,
) -> tuple[Prods, ProdMemory]:
    labels = {name.replace("_", "-"): running for name, running in seen.items()}
    if state is None:  # the batch before, that began the clock
        begun = replace(progress, before=None, clock=progress.before)
        state = _prods(query, ProdMemory(), begun, (), {})[1]
    return _prods(query, state, progress, requests, labels)


@pytest.mark.spec("prodding:F29", "prodding:F30")
def test_a_schedule_prods_all_open_windows_once_however_many_points_were_passed() -> None:
    query = plan(sw.estimates(every="3 s"), slide="5 s")
    found, state = prodded(query, at(20, 31))
    (call,) = found.calls
    assert (call.id, call.first, call.last) == ("every-1/1", 20 * S, 30 * S)
    again, _ = prodded(query, at(31, 32), state)
    assert again.calls == ()  # 33 is the next point
    assert prodded(query, at(32, 33), state)[0].calls[0].id == "every-1/2"


def test_a_clock_that_stands_still_or_has_only_begun_prods_nothing() -> None:
    query = plan(sw.estimates(every=0), sw.estimates(aggressiveness=0.3))
    assert prodded(query, at(20, 20))[0].calls == ()
    assert prodded(query, at(None, 20))[0].calls == ()


@pytest.mark.spec("prodding:F48")
def test_aggressiveness_prods_each_window_once_at_its_point() -> None:
    query = plan(sw.estimates(aggressiveness=0.3))
    assert prodded(query, at(20, 26))[0].calls == ()
    (call,) = prodded(query, at(26, 28))[0].calls
    assert (call.first, call.last) == (20 * S, 20 * S)
    assert prodded(query, at(28, 30))[0].calls == ()


def test_a_prod_after_the_end_comes_while_stragglers_are_waited_for() -> None:
    query = plan(sw.estimates(aggressiveness=-0.2))
    (call,) = prodded(query, at(31, 32))[0].calls
    assert call.first == 20 * S


@pytest.mark.spec("prodding:F20")
def test_windows_that_were_answered_before_their_prod_was_due_are_counted() -> None:
    query = plan(sw.estimates(aggressiveness=0.3))
    found, _ = prodded(query, at(20, 58))  # windows up to 50 are closed, the one up to 60 is due
    assert (found.late, [(c.first, c.last) for c in found.calls]) == (3, [(50 * S, 50 * S)])


@pytest.mark.spec("prodding:F33", "prodding:F59")
def test_several_sources_prod_one_query_each_with_its_own_groups_and_cadence() -> None:
    query = plan(
        sw.estimates(every="2 s", where="k = 1"), sw.estimates(aggressiveness=0.5, where="k > 1")
    )
    found, _ = prodded(query, at(20, 26))
    assert [(call.source, call.where) for call in found.calls] == [
        ("every-1", "`k` = 1"),
        ("aggressiveness-2", "`k` > 1"),
    ]


@pytest.mark.spec("prodding:F31")
def test_people_prod_all_open_windows_one_window_or_one_group() -> None:
    query = plan(sw.estimates())
    requests = (
        Request("a", "q"),
        Request("b", "q", "k = 2"),
        Request("c", "q", "window_end = TIMESTAMP '1970-01-01 00:00:10'"),
        Request("d", "q", "k ="),
    )
    found, state = prodded(query, at(20, 26), None, *requests)
    assert [call.id for call in found.calls] == ["a", "b"]
    assert [name for name, _ in found.refused] == ["c", "d"]
    assert "closed" in found.refused[0][1]
    assert "SQL_UNPARSABLE" in found.refused[1][1]
    assert found.requests == ("a", "b", "c", "d")
    assert state.windows == ((20 * S, 2, 12),)


@pytest.mark.spec("prodding:F15", "prodding:F21")
def test_estimates_of_a_window_are_numbered_and_kept_once_per_age() -> None:
    query = plan(sw.estimates(every=0), size="40 s", slide="40 s")
    state = ProdMemory()
    seen = []
    for before, clock in ((21, 22), (22, 22), (22, 23), (23, 30)):
        progress = at(before, clock)
        found, after = prodded(query, progress, state)
        marked = marks(found.calls, state, query.top.window, progress) if found.calls else ()
        seen += [(m.start // S, m.revision, m.age, m.is_kept) for m in marked]
        state = after
    assert seen == [(0, 1, 0.55, True), (0, 2, 0.575, False), (0, 3, 0.75, True)]
    assert state.windows == ((0, 3, 15),)


def test_closed_windows_are_forgotten() -> None:
    query = plan(sw.estimates(every=0))
    _, state = prodded(query, at(20, 29))
    _, after = prodded(query, at(29, 36), state)
    assert [start for start, _, _ in after.windows] == [30 * S]


@pytest.mark.spec("prodding:F54", "prodding:F55")
def test_the_controller_prods_earlier_while_estimates_are_good_and_people_may_take_over() -> None:
    query = plan(sw.estimates(accuracy=0.9))
    state = prodded(query, at(20, 21))[1]
    assert state.chosen["accuracy-1"].value == 0.25
    good = Running(pairs=50, total=50 * 99.0)
    found, state = prodded(query, at(21, 22), state, accuracy_1=good)
    assert found.aggressiveness == {"accuracy-1": 0.3}
    bad = Running(pairs=100, total=good.total + 50 * 40.0)
    _, state = prodded(query, at(22, 23), state, accuracy_1=bad)
    assert state.chosen["accuracy-1"].value == 0.25
    by_hand = Request("x", "q", None, 0.7)
    found, state = prodded(query, at(23, 24), state, by_hand, accuracy_1=bad)
    assert found.aggressiveness["accuracy-1"] == 0.7
    assert [call.first for call in found.calls] == [20 * S]  # was due at 23 already
    back = Request("y", "q", automatic=True)
    assert prodded(query, at(24, 25), state, back)[0].aggressiveness == {"accuracy-1": 0.25}


def test_a_fixed_aggressiveness_may_be_changed_by_hand_and_comes_back() -> None:
    query = plan(sw.estimates(aggressiveness=0.2))
    _, state = prodded(query, at(20, 21), None, Request("x", "q", None, 0.6))
    assert state.chosen["aggressiveness-1"].value == 0.6
    _, state = prodded(query, at(21, 22), state, Request("y", "q", automatic=True))
    assert state.chosen["aggressiveness-1"].value == 0.2


@pytest.mark.spec("prodding:F12")
def test_a_first_window_is_as_old_as_its_stream() -> None:
    window = Window(10 * S, 5 * S)
    assert age_of(-5 * S, 10 * S, clock=S, origin=0) == 0.2
    assert age_of(0, 10 * S, clock=S, origin=0) == 0.1
    assert open_windows(window, at(None, 4, slack=10)) == (-5 * S, 0)
    assert open_windows(window, replace(at(None, 4), clock=None)) is None


def test_prods_and_what_is_remembered_survive_json() -> None:
    query = plan(sw.estimates(accuracy=0.9), sw.estimates(every=0, where="k = 1"))
    found, state = prodded(query, at(20, 29), None, Request("a", "q"), Request("b", "q", "k ="))
    assert convert(json.loads(json.dumps(to_builtins(state))), ProdMemory) == state
    assert convert(json.loads(json.dumps(to_builtins(found))), Prods) == found


def test_requests_that_cannot_be_are_refused_and_change_nothing() -> None:
    query = plan(sw.estimates(aggressiveness=0.25))
    asked = (
        Request("nan", "q", None, float("nan")),
        Request("tried", "q", "k = 1", fault="an engine says no"),
        Request("text", "q", "k = ", 0.5),
        Request("good", "q", "k = 1"),
    )
    prods, after = prodded(query, at(8, 9), None, *asked)
    assert [call.id for call in prods.calls if call.source == "request"] == ["good"]
    assert [name for name, _ in prods.refused] == ["nan", "tried", "text"]
    assert dict(prods.refused)["tried"] == "an engine says no"
    assert prods.requests == ("nan", "tried", "text", "good")
    assert after.chosen["aggressiveness-1"].manual is None


def test_windows_before_the_stream_began_are_open_if_rows_reach_back_to_them() -> None:
    window = Window(10 * S, 10 * S)
    began = at(69, 70, slack=45, origin=60)
    assert open_windows(window, began) == (60 * S, 70 * S)
    assert open_windows(window, replace(began, oldest=41 * S)) == (40 * S, 70 * S)
    assert open_windows(window, replace(began, oldest=-5 * S)) == (20 * S, 70 * S)


def test_of_very_many_open_windows_the_newest_are_estimated_and_others_by_time() -> None:
    """Nothing is closed, and the stream began with a row that is decades older than the rest."""
    query = plan(sw.estimates(every="3 s"), size="1 s", slide="1 s")
    clock = 1_700_000_000
    progress = Progress((clock - 5) * S, clock * S, None, 0)
    early = "window_end BETWEEN '1970-01-01 00:01:00' AND '1970-01-01 00:01:09'"
    asked = (Request("all", "q"), Request("some", "q", early), Request("none", "q", "n < 0"))
    prods, after = prodded(query, progress, ProdMemory(), *asked)
    calls = {call.source: (call.first // S, call.last // S) for call in prods.calls}
    assert calls == {"every-1": (clock - MOST + 1, clock), "request": (59, 68)}
    assert [name for name, _ in prods.refused] == ["all", "none"]
    assert "1,700,000,001 windows are open" in dict(prods.refused)["all"]
    assert len(after.windows) == MOST + 10
