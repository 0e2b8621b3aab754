"""No request stops a pipeline: what cannot be answered is told so, and finals do not notice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import slackwater as sw
from slackwater.control import prods as prodding
from slackwater.control.request import Request
from slackwater.events import log
from slackwater.execute import loop as looping
from slackwater.execute import requests
from slackwater.execute.batch import Execution
from slackwater.plan import estimates as build
from slackwater.query.expression import Expression
from slackwater.query.stream import Query
from slackwater.runs.checkpoint import Checkpoint
from tests.driver import Driver, answers, feed, make_loop, readings
from tests.execute.bad_prods import WHERES, leave_files, leave_wheres
from tests.execute.test_estimates import even

FAILING = {"cast": "n = 'abc'", "function": "nosuch(k) = 1", "late": "raise_error('no') IS NULL"}


class CrashError(Exception):
    """The process dies here."""


def crash(*_: Any, **__: Any) -> None:
    raise CrashError


def per_key(sink: Any, *terms: Any) -> Query:
    groups = readings().window("10 s").group_by("k", "concat('x', k) AS t")
    answer = groups.aggregate(n="count(*)", s="sum(v)")
    return answer.query("q", sw.slack(0), sink=sink, estimates=terms or sw.estimates())


def told(folder: Path, kind: str = "prod") -> list[dict[str, Any]]:
    return [event for event in log.read(folder / "events.jsonl") if event["event"] == kind]


def finals(sink: Any) -> list[tuple[Any, ...]]:
    return [row for row in answers(sink) if dict(row)["prod"] is None]


def said(sink: Any) -> list[tuple[Any, ...]]:
    return [row for row in answers(sink) if dict(row)["prod"] is not None]


def trusting(patch: pytest.MonkeyPatch) -> None:
    """Check nothing before it is decided, as if every check had a hole."""

    def trust(_: str, __: Any, where: str | None) -> Expression | None:
        return None if where is None else Expression(where)

    patch.setattr(prodding, "problem_of", lambda *_: None)
    patch.setattr(prodding, "understand", trust)
    patch.setattr(requests, "problem_with", lambda *_: None)


def test_no_request_stops_a_pipeline_and_each_is_told(tmp_path: Path, driver: Driver) -> None:
    calm, sink = sw.memory(), sw.memory()
    terms = sw.estimates(aggressiveness=0.25)
    driver.run((per_key(calm, terms),), even(4), tmp_path / "calm")
    loop = driver.make_loop((per_key(sink, terms),), tmp_path / "ck")
    left: set[str] = set()
    for number, table in enumerate(even(4)):
        if number == 1:
            left = leave_wheres(loop.inbox.folder) | leave_files(loop.inbox.folder)
            loop.inbox.put(Request("good", "q", "k = 1"))
        driver.feed(loop, table, number)
    loop.finish()
    loop.close()
    found = {event["prod"]: event for event in told(tmp_path / "ck")}
    assert set(found) == {*left, "good"}
    assert (found["good"]["rows"], found["good"]["reason"]) == (1, None)
    silent = [name for name, one in found.items() if not one["rows"] and not one["reason"]]
    assert silent == []
    files = left - set(WHERES)
    assert {name: found[name]["rows"] for name in files if found[name]["rows"]} == {}
    assert [path.name for path in loop.inbox.folder.glob("*.json")] == []
    assert finals(sink) == finals(calm)
    reports = [event["queries"]["q"]["estimates"] for event in told(tmp_path / "ck", "batch")]
    assert {report["aggressiveness"]["aggressiveness-1"] for report in reports} == {0.25}


def test_a_request_that_fails_while_it_is_answered_is_set_aside_alone(
    tmp_path: Path, driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    trusting(monkeypatch)
    calm, sink = sw.memory(), sw.memory()
    often = sw.estimates(every=0)
    driver.run((per_key(calm, often),), even(4), tmp_path / "calm")
    loop = driver.make_loop((per_key(sink, often),), tmp_path / "ck")
    for number, table in enumerate(even(4)):
        if number == 1:
            loop.inbox.put(Request("good", "q", "k = 1"))
            for name, where in FAILING.items():
                loop.inbox.put(Request(name, "q", where))
        driver.feed(loop, table, number)
    loop.finish()
    loop.close()
    found = {event["prod"]: event for event in told(tmp_path / "ck")}
    assert found["good"]["rows"] == 1
    for name in FAILING:  # a text that is no number is null, and nothing fails
        known = "no group" if name == "cast" else "[PROD_FAILED] prod of query"
        assert known in found[name]["reason"]
    assert finals(sink) == finals(calm)
    batch = told(tmp_path / "ck", "batch")[1]["queries"]["q"]["estimates"]
    assert (batch["prods"], batch["refused"]) == (3, 2)
    kept = [row for row in said(sink) if str(dict(row)["prod"]).startswith("every")]
    assert len(kept) == len(said(calm))


def test_a_decision_that_holds_a_failing_request_is_carried_out_again(
    tmp_path: Path, driver: Driver
) -> None:
    """Once before anything was done of it, once when all was done but the commit."""
    sink = sw.memory()
    loop = driver.make_loop((per_key(sink),), tmp_path)
    driver.feed(loop, even(1)[0], 0)
    for name, where in {"good": "k = 1", **FAILING}.items():
        loop.inbox.put(Request(name, "q", where))
    given = []
    for place, what in [(Execution, "run"), (Checkpoint, "commit")]:
        with pytest.MonkeyPatch.context() as patch:
            trusting(patch)
            patch.setattr(place, what, crash)
            with pytest.raises(CrashError):
                driver.feed(loop, even(2)[1], 1)
        loop.close()
        given.append(said(sink))
        loop = driver.make_loop((per_key(sink),), tmp_path)
    for number in (1, 2):
        driver.feed(loop, even(3)[number], number)
    loop.close()
    found = {event["prod"]: (event["batch"], event["rows"]) for event in told(tmp_path)}
    assert found == {"good": (1, 1), **dict.fromkeys(FAILING, (1, 0))}
    assert given == [[], said(sink)]


def test_a_source_of_prods_that_fails_is_told_once_and_the_others_go_on(
    tmp_path: Path, driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = per_key(sw.memory(), sw.estimates(every=0, where=FAILING["function"]))
    with pytest.raises(sw.QueryError, match="nosuch"):
        driver.make_loop((bad,), tmp_path / "bad")
    monkeypatch.setattr(build, "read_condition", lambda text, *_: Expression(text))
    monkeypatch.setattr(looping, "check_sources", lambda *_: None)
    calm, sink = sw.memory(), sw.memory()
    often, fails = sw.estimates(every=0), sw.estimates(every=0, where=FAILING["late"])
    driver.run((per_key(calm, often),), even(3), tmp_path / "calm")
    driver.run((per_key(sink, often, fails),), even(3), tmp_path / "ck")
    assert finals(sink) == finals(calm)
    prods = [{dict(row)["prod"] for row in said(one)} for one in (calm, sink)]
    assert len(prods[0]) == len(prods[1]) == 2
    (notice,) = told(tmp_path / "ck", "notice")
    assert "estimates every-2 are left out: [PROD_FAILED]" in notice["text"]


def test_what_is_no_fault_of_a_request_is_not_blamed_on_it(tmp_path: Path, driver: Driver) -> None:
    loop = driver.make_loop((per_key(sw.memory()),), tmp_path)
    driver.feed(loop, even(1)[0], 0)
    loop.inbox.put(Request("asked", "q", "k = 1"))
    speaking = "slackwater.execute.estimates.read.Estimator._opened"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(speaking, _broken)
        with pytest.raises(OverflowError, match="the engine is broken"):
            driver.feed(loop, even(2)[1], 1)
    loop.close()
    assert told(tmp_path) == []
    again = driver.make_loop((per_key(sw.memory()),), tmp_path)
    driver.feed(again, even(2)[1], 1)
    again.close()
    assert [event["rows"] for event in told(tmp_path)] == [1]


def _broken(*_: Any) -> None:
    raise OverflowError("the engine is broken")


def test_a_setting_that_was_saved_before_it_was_refused_is_handed_back(tmp_path: Path) -> None:
    terms = sw.estimates(aggressiveness=0.25)
    loop = make_loop((per_key(sw.memory(), terms),), tmp_path)
    loop.inbox.put(Request("not-a-number", "q", None, float("nan")))
    with pytest.MonkeyPatch.context() as patch:
        trusting(patch)
        feed(loop, even(1)[0].slice(0, 0), 0)  # no clock yet: it is kept
    loop.close()
    loop = make_loop((per_key(sw.memory(), terms),), tmp_path)
    feed(loop, even(1)[0], 1)
    loop.close()
    batch = told(tmp_path, "batch")[-1]["queries"]["q"]["estimates"]
    assert batch["aggressiveness"] == {"aggressiveness-1": 0.25}
