"""A person lets a join run by another tree, while it runs: no result is lost, none comes twice."""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import slackwater as sw
from slackwater.control.request import Request
from slackwater.events import log
from slackwater.execute.explain import live_value
from slackwater.execute.loop import Loop
from slackwater.query.stream import Query
from slackwater.runs.requests import Inbox, put_tree
from tests.driver import Batch, Driver, batch, readings
from tests.examples import examples
from tests.execute.test_crash import PLACES as BOTH
from tests.mortal import Reaper, mortal
from tests.properties.test_engines_agree import PLACES
from tests.properties.test_joins_agree import (
    CASES,
    expected,
    random_case,
    random_tree,
    rows_in,
    stream_of,
)
from tests.story import batches, ending, leftovers

ABC = ("a", "b", "c")


@pytest.mark.spec("adaptive:MIG-09", "adaptive:MIG-25", "adaptive:MIG-26")
@pytest.mark.deep
@examples(15, 300)
@given(CASES, PLACES, st.sampled_from(["auto", "written", "tree"]))
def test_another_tree_in_any_batch_changes_no_result(
    given_case: tuple[int, str, str, int, int], driver: Driver, order: str
) -> None:
    """Also if the pipeline is stopped and goes on in between."""
    case, tree = random_case(*given_case)
    cuts = stream_of(given_case[-1], case.names, 6, 5 if len(case.names) < 5 else 3)
    draw, asked, sink = random.Random(given_case[-1]), [], sw.memory()
    made = case.stream(tree if order == "tree" else order)
    query = made.query("q", sw.slack(case.slack), sink=sink)
    with tempfile.TemporaryDirectory() as folder:
        loop = driver.make_loop((query,), Path(folder))
        try:
            for number, cut in enumerate(cuts):
                if draw.random() < 0.3:
                    loop.close()
                    loop = driver.make_loop((query,), Path(folder))
                if draw.random() < 0.6:
                    asked.append(random_tree(draw, list(case.names)))
                    loop.inbox.put(Request(f"replan-{number}", "q", tree=asked[-1]))
                tables: Batch = {name: batch(*rows) for name, rows in cut.items()}
                driver.feed(loop, tables, number)
                if asked:
                    assert live_value(loop)["q"]["join"]["tree"] == asked[-1]
            loop.finish()
        finally:
            loop.close()
    assert rows_in(sink, case) == expected(case, cuts), asked


@pytest.fixture
def loop(tmp_path: Path) -> Any:
    found = Driver().make_loop(joins("((a b) c)"), tmp_path / "ck")
    yield found
    found.close()


def joins(order: str = "auto") -> tuple[Query, ...]:
    inputs = [readings("1 day", name) for name in ABC]
    return tuple(
        sw.join(*inputs, on="k", within="6 s", emit=emit, order=order).query(
            emit, sw.slack("2 s"), late="revise" if emit == "ordered" else "drop"
        )
        for emit in ("immediate", "ordered")
    )


def told(loop: Loop[Any], kind: str) -> list[dict[str, Any]]:
    return [event for event in log.read(loop.checkpoint.events) if event["event"] == kind]


def test_what_became_of_it_is_told(loop: Loop[Any]) -> None:
    Driver().feed(loop, batches(1)[0])
    first = put_tree(loop.inbox, {"immediate": ABC}, "(a (b c))")
    loop.inbox.put(Request("two", "ordered", tree="(a b)"))
    loop.inbox.put(Request("three", "nowhere", tree="(a b c)"))
    Driver().feed(loop, batches(2)[1])
    answers = {event["request"]: event for event in told(loop, "replan")}
    assert (answers[first]["tree"], answers[first]["reason"]) == ("(a (b c))", None)
    assert answers["two"]["tree"] == "((a b) c)"  # goes on as it was
    assert "does not name each of a, b, c once" in answers["two"]["reason"]
    assert "no query 'nowhere' that joins" in answers["three"]["reason"]
    assert loop.inbox.waiting() == ()
    newest = told(loop, "batch")[-1]["queries"]
    assert newest["immediate"]["controllers"]["join_plan"]["tree"] == "(a (b c))"
    assert newest["ordered"]["controllers"]["join_plan"]["tree"] == "((a b) c)"


@pytest.mark.parametrize("tree", ["", "(" * 50_000, 0, "a " * 40_000, ["a", "b", "c"]])
def test_whatever_stands_in_a_file_is_answered_and_taken_away(loop: Loop[Any], tree: Any) -> None:
    loop.inbox.put(Request("odd", "immediate", tree=tree))
    Driver().feed(loop, batches(1)[0])
    [answer] = told(loop, "replan")
    assert answer["tree"] == "((a b) c)"
    assert 0 < len(answer["reason"]) <= 300
    assert loop.inbox.waiting() == ()


def test_of_several_trees_asked_for_the_last_counts(loop: Loop[Any]) -> None:
    for number, tree in enumerate(("(a (b c))", "(b (a c))", "(a b c)")):
        loop.inbox.put(Request(f"r{number}", "immediate", tree=tree))
        time.sleep(0.01)  # the order of files is that of their times
    Driver().feed(loop, batches(1)[0])
    assert {event["tree"] for event in told(loop, "replan")} == {"(a b c)"}


@pytest.mark.parametrize(
    ("tree", "query", "condition", "words"),
    [
        ("((a b) d)", "q", "JOIN_ORDER", "does not name each of a, b, c once"),
        ("((a b) c", "q", "JOIN_ORDER", "a '\\)' is missing"),
        ("a", "q", "JOIN_ORDER", "does not name"),
        ("", "q", "JOIN_ORDER", "is missing"),
        ("(" * 50_000, "q", "JOIN_ORDER", "more than 100 joins"),
        ("((a b) c)", "x", "QUERY_UNKNOWN", "there is no query 'x'"),
    ],
)
def test_what_is_no_tree_is_refused_at_once(
    tmp_path: Path, tree: str, query: str, condition: str, words: str
) -> None:
    inbox = Inbox(tmp_path / "prods")
    with pytest.raises(sw.SlackwaterError, match=words) as refused:
        put_tree(inbox, {"q": ABC}, tree, query)
    assert refused.value.condition == condition
    assert inbox.waiting() == ()


TREES = {1: "(a (b c))", 2: "(a b c)", 4: "((a c) b)"}


def live(tables: list[pa.Table], folder: Path, driver: Driver, trees: dict[int, str]) -> None:
    """One life: to the end of the streams, or to death; trees are asked for before some batches."""
    loop = driver.make_loop(joins(), folder)
    try:
        for number in range(loop.batch + 1, len(tables)):
            for query in ("immediate", "ordered") if number in trees else ():
                loop.inbox.put(Request(f"r{number}-{query}", query, tree=trees[number]))
            driver.feed(loop, tables[number], number)
        if not loop.sealed:
            loop.finish()
    finally:
        loop.close()


@pytest.mark.slow
@pytest.mark.kill
@BOTH
def test_death_at_any_write_of_a_change_loses_nothing(driver: Driver, tmp_path: Path) -> None:
    tables, folder = batches(6), tmp_path / "killed"
    live(tables, tmp_path / "calm", driver, TREES)
    live(tables, tmp_path / "still", driver, {})
    reaper, died = Reaper(folder), True
    while died:
        with mortal(reaper):
            live(tables, folder, driver, TREES)
        died = reaper.is_dead
    assert ending(folder) == ending(tmp_path / "calm") == ending(tmp_path / "still")
    assert ending(folder)["results/ordered"]
    assert leftovers(folder) == []
    assert [point for point in reaper.deaths if "write" in point and "-m" in point]
