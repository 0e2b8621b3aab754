"""A join changes its tree with both side by side: no result is lost, none comes twice.

The oracle is DuckDB from scratch, as for joins that never change.
"""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import slackwater as sw
from slackwater.control.join_plan import track_of
from slackwater.control.request import Request
from slackwater.events import log
from slackwater.execute.limits import Limits
from slackwater.execute.loop import Loop
from slackwater.execute.tracks import TrackRunner
from slackwater.plan.sql import joins as sql
from slackwater.runs.requests import put_tree
from tests.driver import Batch, Driver, batch, readings
from tests.examples import examples
from tests.execute.test_crash import PLACES as BOTH
from tests.migrate.test_replan import joins
from tests.mortal import Reaper, mortal
from tests.properties.test_engines_agree import PLACES
from tests.properties.test_joins_agree import (
    CASES,
    Case,
    expected,
    random_case,
    random_tree,
    rows_in,
    stream_of,
)
from tests.story import batches, ending, leftovers

Rows = list[tuple[Any, ...]]


def given_by(
    case: Case,
    cuts: list[dict[str, Any]],
    driver: Driver,
    trees: dict[int, str],
    *,
    how: str = "parallel",
    **options: Any,
) -> tuple[Rows, list[dict[str, Any]]]:
    """The results and events of a join that is asked for trees before some batches."""
    sink = sw.memory()
    query = case.stream("auto").query("q", sw.slack(case.slack), sink=sink)
    with tempfile.TemporaryDirectory() as folder:
        loop = driver.make_loop((query,), Path(folder), **options)
        try:
            for number, cut in enumerate(cuts):
                if number in trees:
                    loop.inbox.put(Request(f"r{number}", "q", tree=trees[number], how=how))
                tables: Batch = {name: batch(*rows) for name, rows in cut.items()}
                driver.feed(loop, tables, number)
            loop.finish()
            events = list(log.read(loop.checkpoint.events))
        finally:
            loop.close()
    return rows_in(sink, case), events


@pytest.mark.spec("adaptive:MIG-11", "adaptive:MIG-25", "adaptive:MIG-26")
@pytest.mark.deep
@examples(6, 300)
@given(CASES, PLACES, st.sampled_from([2, 8]), st.booleans())
def test_two_trees_side_by_side_give_every_result_once(
    given_case: tuple[int, str, str, int, int], driver: Driver, fan_in: int, mix: bool
) -> None:
    """From any tree to any other, back and forth, also with runs that are merged meanwhile."""
    case, _ = random_case(*given_case)
    cuts = stream_of(given_case[-1], case.names, 9, 5 if len(case.names) < 5 else 3)
    draw, sink, asked = random.Random(given_case[-1]), sw.memory(), []
    query = case.stream("auto").query("q", sw.slack(case.slack), sink=sink)
    options = {"limits": Limits(fan_in=fan_in)}
    with tempfile.TemporaryDirectory() as folder:
        loop = driver.make_loop((query,), Path(folder), **options)
        try:
            for number, cut in enumerate(cuts):
                if draw.random() < 0.2:
                    loop.close()
                    loop = driver.make_loop((query,), Path(folder), **options)
                if draw.random() < 0.5:
                    tree = random_tree(draw, list(case.names))
                    how = draw.choice(["moving", "parallel"]) if mix else "parallel"
                    asked.append((number, tree, how))
                    loop.inbox.put(Request(f"r{number}", "q", tree=tree, how=how))
                tables: Batch = {name: batch(*rows) for name, rows in cut.items()}
                driver.feed(loop, tables, number)
            loop.finish()
        finally:
            loop.close()
    assert rows_in(sink, case) == expected(case, cuts), asked


CHAIN = Case(
    ("a", "b", "c", "d"),
    ("a.k = b.k", "b.k = c.k", "c.k = d.k"),
    dict.fromkeys("abcd", 4),
    1,
    "immediate",
)
LEFT, RIGHT = "(((a b) c) d)", "(a ((b c) d))"


def swaps(how: str = "parallel") -> tuple[Rows, Rows]:
    cuts = stream_of(5, CHAIN.names, 10, 5)
    return given_by(CHAIN, cuts, Driver(), {0: LEFT, 4: RIGHT}, how=how)[0], expected(CHAIN, cuts)


@pytest.mark.spec("adaptive:MIG-11")
def test_without_suppression_at_the_root_results_come_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sql.Draft, "_suppressed", lambda _: "")
    found, wanted = (Counter(rows) for rows in swaps())
    assert set(found) == set(wanted)
    assert (found - wanted).total() > 0


@pytest.mark.spec("adaptive:MIG-11")
def test_suppression_below_the_root_loses_results(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is all new below the root may still meet an old row above (cases 8, 14, 15)."""
    found, wanted = (Counter(rows) for rows in swaps())
    assert found == wanted
    monkeypatch.setattr(TrackRunner, "_beside", lambda *_: {})
    found = Counter(swaps()[0])
    assert not found - wanted
    assert (wanted - found).total() > 0


def steady(count: int) -> list[Any]:
    """Batches of a second each, in order."""
    return [batch(*((n + i / 4, i % 2, i) for i in range(4))) for n in range(count)]


def old_runs(loop: Loop[Any], since: int) -> list[str]:
    return [run.path for run in loop.catalog.all() if run.batch < since]


@pytest.mark.spec("adaptive:MIG-13", "adaptive:MIG-24")
@BOTH
@pytest.mark.parametrize("trees", [("(a b c)", "((a b) c)"), ("((a b) c)", "(a (b c))")])
def test_it_ends_when_no_old_row_is_left_and_leaves_nothing(
    driver: Driver, tmp_path: Path, trees: tuple[str, str]
) -> None:
    """After a window, whatever the height: combinations go with the oldest of their members."""
    loop = driver.make_loop(joins(trees[0])[:1], tmp_path, limits=Limits(fan_in=2))
    try:
        tables, since, ended = steady(20), 8, None
        for number, table in enumerate(tables):
            if number == since:
                loop.inbox.put(Request("r", "immediate", tree=trees[1], how="parallel"))
            if number == since + 2:
                loop.inbox.put(Request("s", "immediate", tree="(b (a c))"))
            driver.feed(loop, table, number)
            track = track_of(loop.state.of("immediate"))
            fences = {fence for info in loop.catalog.states.values() for fence in info.fences}
            assert fences == (set() if track is None else {since - 1})
            if track is None and number > since and ended is None:
                ended = number
                assert old_runs(loop, since) == []
                join = loop.layout.plan.queries[0].join
                assert join is not None
                kept = 3 + (trees[1] != "(a b c)")
                assert len(loop.catalog.states) == kept == len(loop.catalog.runs)
            elif track is not None and number < since + 6:
                assert old_runs(loop, since)
        assert ended is not None
        assert ended - since in (9, 10)  # six seconds of window, two of slack, whole batches
        events = [e for e in log.read(loop.checkpoint.events) if e["event"] == "migration"]
        told = [(e["batch"], e["how"], e["since"], e["batches"]) for e in events]
        assert told == [(8, "parallel", 8, None), (ended, "parallel", 8, ended - 8)]
        [refused] = [e for e in log.read(loop.checkpoint.events) if e.get("request") == "s"]
        assert "still under way" in refused["reason"]
        assert refused["tree"] == trees[1]
    finally:
        loop.close()


@pytest.mark.spec("adaptive:MIG-05", "adaptive:MIG-06")
@pytest.mark.parametrize("how", ["moving", "parallel"])
def test_states_that_both_trees_keep_stay_as_they_are(tmp_path: Path, how: str) -> None:
    sink = sw.memory()
    query = CHAIN.stream(LEFT).query("q", sw.slack(1), sink=sink)
    cuts, loop = stream_of(3, CHAIN.names, 6, 6), Driver().make_loop((query,), tmp_path)
    try:
        for number, cut in enumerate(cuts):
            before = {run.path for run in loop.catalog.all()}
            plan = loop.layout.plan.queries[0].join
            assert plan is not None
            shared = plan.identity(frozenset("abc"))
            if number == 4:
                loop.inbox.put(Request("r", "q", tree="((a (b c)) d)", how=how))
                mine = {run.path for run in loop.catalog.at(shared)}
            Driver().feed(loop, {name: batch(*rows) for name, rows in cut.items()}, number)
            if number == 4:
                assert mine
                now = {run.path for run in loop.catalog.at(shared)}
                assert all("-o" in path or "-j" in path for path in now - before)
                live = [run for run in loop.catalog.at(shared) if run.path in mine]
                assert live
        loop.finish()
    finally:
        loop.close()
    assert rows_in(sink, CHAIN) == expected(CHAIN, cuts)


def contracts() -> tuple[Any, ...]:
    """Joins whose rows are kept longer than answers need them, and an aggregate above one."""
    inputs = [readings("1 day", name) for name in "abc"]
    made = {
        emit: sw.join(*inputs, on="k", within="4 s", emit=emit, order="((a b) c)")
        for emit in ("immediate", "ordered")
    }
    above = made["ordered"].window("4 s").group_by("a.k AS k").aggregate(n="count(*)")
    return (
        made["immediate"].query("immediate", sw.min_recall(0.7, over="8 s"), late="revise"),
        made["ordered"].query("ordered", sw.min_recall(0.7, over="8 s"), late="revise", keep="4 s"),
        above.query("above", sw.slack("2 s"), estimates=sw.estimates(every="2 s")),
    )


def live(
    queries: tuple[Any, ...],
    tables: list[Any],
    folder: Path,
    driver: Driver,
    trees: dict[int, str],
) -> None:
    """One life: to the end of the streams, or to death."""
    loop = driver.make_loop(queries, folder)
    try:
        for number in range(loop.batch + 1, len(tables)):
            for query in queries if number in trees else ():
                name = f"r{number}-{query.name}"
                loop.inbox.put(Request(name, query.name, tree=trees[number], how="parallel"))
            driver.feed(loop, tables[number], number)
        if not loop.sealed:
            loop.finish()
    finally:
        loop.close()


@pytest.mark.slow
@BOTH
def test_recall_revisions_and_aggregates_above_do_not_notice(
    driver: Driver, tmp_path: Path
) -> None:
    tables = batches(10)
    live(contracts(), tables, tmp_path / "still", driver, {})
    live(contracts(), tables, tmp_path / "moved", driver, {3: "(a (b c))"})
    assert ending(tmp_path / "moved") == ending(tmp_path / "still")
    assert ending(tmp_path / "moved")["results/ordered"]


@pytest.mark.slow
def test_the_state_may_move_to_tasks_and_back_meanwhile(tmp_path: Path) -> None:
    tables, tiers = batches(10), ["columnar", "spark", "columnar"]
    live(joins("((a b) c)"), tables, tmp_path / "still", Driver(), {})
    for number, upto in enumerate((4, 6, 10)):
        driver = Driver(tiers[number])  # type: ignore[arg-type]
        loop = driver.make_loop(joins("((a b) c)"), tmp_path / "moved")
        for at in range(loop.batch + 1, upto):
            for query in ("immediate", "ordered") if at == 2 else ():
                loop.inbox.put(Request(query, query, tree="(a (b c))", how="parallel"))
            driver.feed(loop, tables[at], at)
        assert upto == 10 or track_of(loop.state.of("ordered")) is not None
        if upto == 10:
            loop.finish()
        loop.close()
    assert ending(tmp_path / "moved") == ending(tmp_path / "still")


@pytest.mark.slow
@pytest.mark.kill
@BOTH
def test_death_at_any_write_of_a_parallel_track_loses_nothing(
    driver: Driver, tmp_path: Path
) -> None:
    tables, folder, trees = batches(7), tmp_path / "killed", {1: "(a (b c))"}
    live(joins("((a b) c)"), tables, tmp_path / "still", driver, {})
    reaper, died = Reaper(folder), True
    while died:
        with mortal(reaper):
            live(joins("((a b) c)"), tables, folder, driver, trees)
        died = reaper.is_dead
    assert ending(folder) == ending(tmp_path / "still")
    assert ending(folder)["results/ordered"]
    assert leftovers(folder) == []
    assert [point for point in reaper.deaths if "write" in point and "-o" in point]


def test_a_way_that_is_none_is_refused(tmp_path: Path) -> None:
    loop = Driver().make_loop(joins("((a b) c)")[:1], tmp_path)
    try:
        with pytest.raises(sw.SlackwaterError, match="REPLAN_HOW"):
            put_tree(loop.inbox, {"immediate": ("a", "b", "c")}, "(a (b c))", how="sideways")
        loop.inbox.put(Request("r", "immediate", tree="(a (b c))", how="sideways"))
        Driver().feed(loop, batches(1)[0])
        [told] = [e for e in log.read(loop.checkpoint.events) if e["event"] == "replan"]
        assert "'sideways', not one of moving, parallel" in told["reason"]
        assert told["tree"] == "((a b) c)"
    finally:
        loop.close()


def test_before_any_row_and_to_a_tree_that_lacks_nothing_the_change_is_over_at_once(
    tmp_path: Path,
) -> None:
    loop = Driver().make_loop(joins("((a b) c)")[:1], tmp_path)
    try:
        for number, tree in enumerate(("(a (b c))", "(a b c)")):
            loop.inbox.put(Request(f"r{number}", "immediate", tree=tree, how="parallel"))
            Driver().feed(loop, batches(2)[number], number)
            assert track_of(loop.state.of("immediate")) is None
        events = [e for e in log.read(loop.checkpoint.events) if e["event"] == "migration"]
        assert [(e["how"], e["batches"]) for e in events] == [("moving", 0)] * 2
    finally:
        loop.close()
