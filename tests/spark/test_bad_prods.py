"""No request stops a pipeline: what cannot be answered is told so, and finals do not notice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.control import prodding
from slackwater.control.request import Request
from slackwater.events import log
from slackwater.execute import loop as looping
from slackwater.execute.batch import Applying
from slackwater.execute.estimates.in_driver import Near
from slackwater.plan import estimates as build
from slackwater.query.expression import Expression
from slackwater.query.stream import Query
from slackwater.runs.checkpoint import Checkpoint
from tests.spark.bad_prods import WHERES, leave_files, leave_wheres
from tests.spark.driver import answers, frame, make_loop, readings, run
from tests.spark.test_estimates import even

FAILING = {"cast": "n = 'abc'", "function": "nosuch(k) = 1", "late": "raise_error('no') IS NULL"}


class CrashError(Exception):
    """The process dies here."""


def crash(*_: Any, **__: Any) -> None:
    raise CrashError


@pytest.fixture(params=["columnar", "spark"])
def tier(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each tier by itself: nothing is read in the driver for Spark, however little it is."""
    if request.param == "spark":
        monkeypatch.setattr(Near, "can_read", lambda *_: False)
    return str(request.param)


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
    patch.setattr(looping, "problem_with", lambda *_: None)


def test_no_request_stops_a_pipeline_and_each_is_told(
    spark: SparkSession, tmp_path: Path, tier: str
) -> None:
    calm, sink = sw.memory(), sw.memory()
    terms = sw.estimates(aggressiveness=0.25)
    run(spark, (per_key(calm, terms),), even(4), tmp_path / "calm", tier=tier)
    loop = make_loop(spark, (per_key(sink, terms),), tmp_path / "ck", tier=tier)
    left: set[str] = set()
    for number, table in enumerate(even(4)):
        if number == 1:
            left = leave_wheres(loop.inbox.folder) | leave_files(loop.inbox.folder)
            loop.inbox.put(Request("good", "q", "k = 1"))
        loop.process(frame(spark, loop, table), number)
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
    spark: SparkSession, tmp_path: Path, tier: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    trusting(monkeypatch)
    calm, sink = sw.memory(), sw.memory()
    often = sw.estimates(every=0)
    run(spark, (per_key(calm, often),), even(4), tmp_path / "calm", tier=tier)
    loop = make_loop(spark, (per_key(sink, often),), tmp_path / "ck", tier=tier)
    for number, table in enumerate(even(4)):
        if number == 1:
            loop.inbox.put(Request("good", "q", "k = 1"))
            for name, where in FAILING.items():
                loop.inbox.put(Request(name, "q", where))
        loop.process(frame(spark, loop, table), number)
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
    spark: SparkSession, tmp_path: Path, tier: str
) -> None:
    """Once before anything was done of it, once when all was done but the commit."""
    sink = sw.memory()
    loop = make_loop(spark, (per_key(sink),), tmp_path, tier=tier)
    loop.process(frame(spark, loop, even(1)[0]), 0)
    for name, where in {"good": "k = 1", **FAILING}.items():
        loop.inbox.put(Request(name, "q", where))
    given = []
    for place, what in [(Applying, "apply"), (Checkpoint, "commit")]:
        with pytest.MonkeyPatch.context() as patch:
            trusting(patch)
            patch.setattr(place, what, crash)
            with pytest.raises(CrashError):
                loop.process(frame(spark, loop, even(2)[1]), 1)
        loop.close()
        given.append(said(sink))
        loop = make_loop(spark, (per_key(sink),), tmp_path, tier=tier)
    for number in (1, 2):
        loop.process(frame(spark, loop, even(3)[number]), number)
    loop.close()
    found = {event["prod"]: (event["batch"], event["rows"]) for event in told(tmp_path)}
    assert found == {"good": (1, 1), **dict.fromkeys(FAILING, (1, 0))}
    assert given == [[], said(sink)]


def test_a_source_of_prods_that_fails_is_told_once_and_the_others_go_on(
    spark: SparkSession, tmp_path: Path, tier: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = per_key(sw.memory(), sw.estimates(every=0, where=FAILING["function"]))
    with pytest.raises(sw.QueryError, match="nosuch"):
        make_loop(spark, (bad,), tmp_path / "bad", tier=tier)
    monkeypatch.setattr(build, "read_condition", lambda text, *_: Expression(text))
    monkeypatch.setattr(looping, "check_sources", lambda *_: None)
    calm, sink = sw.memory(), sw.memory()
    often, fails = sw.estimates(every=0), sw.estimates(every=0, where=FAILING["late"])
    run(spark, (per_key(calm, often),), even(3), tmp_path / "calm", tier=tier)
    run(spark, (per_key(sink, often, fails),), even(3), tmp_path / "ck", tier=tier)
    assert finals(sink) == finals(calm)
    prods = [{dict(row)["prod"] for row in said(one)} for one in (calm, sink)]
    assert len(prods[0]) == len(prods[1]) == 2
    (notice,) = told(tmp_path / "ck", "notice")
    assert "estimates every-2 are left out: [PROD_FAILED]" in notice["text"]


def test_what_is_no_fault_of_a_request_is_not_blamed_on_it(
    spark: SparkSession, tmp_path: Path, tier: str
) -> None:
    loop = make_loop(spark, (per_key(sw.memory()),), tmp_path, tier=tier)
    loop.process(frame(spark, loop, even(1)[0]), 0)
    loop.inbox.put(Request("asked", "q", "k = 1"))
    speaking = "slackwater.execute.estimates.read.Estimator._opened"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(speaking, _broken)
        with pytest.raises(OverflowError, match="the engine is broken"):
            loop.process(frame(spark, loop, even(2)[1]), 1)
    loop.close()
    assert told(tmp_path) == []
    again = make_loop(spark, (per_key(sw.memory()),), tmp_path, tier=tier)
    again.process(frame(spark, again, even(2)[1]), 1)
    again.close()
    assert [event["rows"] for event in told(tmp_path)] == [1]


def _broken(*_: Any) -> None:
    raise OverflowError("the engine is broken")


def test_a_setting_that_was_saved_before_it_was_refused_is_handed_back(
    spark: SparkSession, tmp_path: Path
) -> None:
    terms = sw.estimates(aggressiveness=0.25)
    loop = make_loop(spark, (per_key(sw.memory(), terms),), tmp_path)
    loop.inbox.put(Request("not-a-number", "q", None, float("nan")))
    with pytest.MonkeyPatch.context() as patch:
        trusting(patch)
        loop.process(frame(spark, loop, even(1)[0].slice(0, 0)), 0)  # no clock yet: it is kept
    loop.close()
    loop = make_loop(spark, (per_key(sw.memory(), terms),), tmp_path)
    loop.process(frame(spark, loop, even(1)[0]), 1)
    loop.close()
    batch = told(tmp_path, "batch")[-1]["queries"]["q"]["estimates"]
    assert batch["aggressiveness"] == {"aggressiveness-1": 0.25}


def test_who_asks_directly_is_refused_at_once(spark: SparkSession, tmp_path: Path) -> None:
    """Through the checkpoint folder, and through the handle of a pipeline that runs."""
    pipeline = sw.pipeline(per_key(sw.memory()))
    loop = make_loop(spark, pipeline.queries, tmp_path)
    handle = sw.Handle(None, loop, pipeline, spark, flush=False)  # type: ignore[arg-type]
    loop.process(frame(spark, loop, even(1)[0]), 0)
    accepted = set()
    for name, where in WHERES.items():
        later = refusal(handle.prod, "q", where)
        assert refusal(sw.prod, tmp_path, "q", where) == later, name
        now = refusal(handle.estimate, "q", where)
        assert refusal(sw.read_estimates, tmp_path, "q", where) == now, name
        assert later is None or now is not None, name
        accepted |= {name} if later is None else set()
    assert accepted <= ANSWERABLE
    for value in (float("nan"), float("inf"), -1e308, 1.5, "fast", True):
        later = refusal(handle.set_aggressiveness, value)
        assert later == refusal(sw.prod, tmp_path, aggressiveness=value) == "ESTIMATES_RANGE"
    assert len(loop.inbox.waiting()) == 2 * len(accepted)
    loop.process(frame(spark, loop, even(2)[1]), 1)
    loop.close()
    assert len(told(tmp_path)) == 2 * len(accepted)


def refusal(ask: Callable[..., Any], *what: Any, **more: Any) -> str | None:
    """The condition under which a demand is refused."""
    try:
        ask(*what, **more)
    except sw.QueryError as error:
        return error.problems[0].condition
    return None


# Strange, and yet they have an answer: maybe that no group, or no window, is meant.
ANSWERABLE = {
    "text for a number",
    "text for a time",
    "no such time",
    "last of all times",
    "first of all times",
    "span without end",
    "no number",
    "too large a number",
    "overflow",
    "infinite",
    "division by zero",
    "no value",
    "many conditions",
    "many choices",
    "many sums",
    "many values",
    "no member",
    "a character that ends texts",
}
