"""Robust joins: any plan in any batch gives the same results, and no state knows of the switch."""

from __future__ import annotations

import random
import tempfile
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import slackwater as sw
from slackwater import testing
from slackwater.control.join_plan import tree_of
from slackwater.control.request import Request
from slackwater.control.robust import Robust, RobustMemory
from slackwater.control.step import CONTROLLERS
from slackwater.events import log
from slackwater.execute.explain import live_lines, live_value
from slackwater.execute.loop import Loop
from slackwater.runs.run import total_rows
from slackwater.testing import Settings
from tests.driver import Driver, batch
from tests.examples import examples
from tests.execute.swinging import NAMES, SECOND, came, counts, query, shuffled, told
from tests.properties.test_joins_agree import Case, expected, random_case, rows_in, stream_of

PLAIN = Settings(tier="columnar")
CASES = st.tuples(
    st.integers(3, 5),
    st.sampled_from(["chain", "star", "cycle", "clique"]),
    st.sampled_from(["immediate", "ordered"]),
    st.integers(0, 4),
    st.integers(0, 10_000),
)


# the same results, whatever plan a batch takes -------------------------------------------------


def lived(case: Case, cuts: list[dict[str, Any]], driver: Driver, seed: int) -> list[Any]:
    """The results of a join that takes any orders in every batch."""
    sink = sw.memory()
    asked = case.stream("robust").query("q", sw.slack(case.slack), sink=sink)
    tables: list[Any] = [{name: batch(*rows) for name, rows in cut.items()} for cut in cuts]
    with tempfile.TemporaryDirectory() as folder:
        controllers = shuffled(random.Random(seed))
        driver.run((asked,), tables, Path(folder), controllers=controllers)
        reports = [e for e in log.read(Path(folder) / "events.jsonl") if e["event"] == "batch"]
    orders = {why["orders"] for why in told(reports)}
    assert len(orders) > 1
    return rows_in(sink, case)


def check_any_plan_in_each_batch(given_case: Any, driver: Driver, seed: int) -> None:
    case, _ = random_case(*given_case)
    cuts = stream_of(given_case[-1], case.names, 6, 5 if len(case.names) < 5 else 3)
    assert lived(case, cuts, driver, seed) == expected(case, cuts)


@pytest.mark.spec("robust:F135")
@pytest.mark.deep
@examples(8, 200)
@given(CASES, st.integers(0, 1 << 32))
def test_any_plan_in_each_batch_gives_what_duckdb_gives(given_case: Any, seed: int) -> None:
    check_any_plan_in_each_batch(given_case, Driver("columnar"), seed)


@pytest.mark.slow
@pytest.mark.spec("robust:F135")
@pytest.mark.deep
@examples(12, 100)
@given(CASES, st.integers(0, 1 << 32))
def test_any_plan_in_each_batch_gives_the_same_with_state_in_tasks(
    given_case: Any, seed: int
) -> None:
    check_any_plan_in_each_batch(given_case, Driver("spark"), seed)


@pytest.mark.parametrize("tier", ["columnar", pytest.param("spark", marks=pytest.mark.slow)])
@pytest.mark.parametrize("period", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_each_batch_takes_the_plan_that_its_rates_ask_for(
    tmp_path: Path, tier: Any, period: int
) -> None:
    robust, written, reports = sw.memory(), sw.memory(), list[dict[str, Any]]()
    batches = [came(number, period=period) for number in range(14 + 2 * period)]
    given_ = Settings(tier=tier, on_batch=reports.append)
    testing.run((query(sink=robust, tolerance=0.0),), batches, tmp_path / "one", given_)
    testing.run((query("written", written),), batches, tmp_path / "other", Settings(tier=tier))
    assert counts(robust) == counts(written)
    assert len(counts(robust)) == len(batches)
    chosen = [why for why in told(reports)[:-1] if why["plan"] is not None]
    assert len(chosen) > 5
    assert len({why["orders"] for why in chosen}) > 2
    switches = sum(one["orders"] != other["orders"] for one, other in pairwise(chosen))
    assert switches >= (len(chosen) - 1) // (2 * period)
    for number, why in enumerate(told(reports)[:-1]):
        if why["plan"] is not None and number % period == 0 and period > 1:
            continue  # what is held is still what came before
        if why["plan"] is not None:  # nobody probes the largest stream first
            largest = NAMES[number // period % 4]
            probed_first = {part.split(": ")[1].split()[0] for part in why["orders"].split(", ")}
            assert largest not in probed_first, (number, why)
    events = {event["event"] for event in log.read(tmp_path / "one" / "events.jsonl")}
    assert "migration" not in events


# state ---------------------------------------------------------------------------------------


@pytest.mark.spec("robust:F136")
def test_what_is_held_follows_from_event_time_and_not_from_the_plan(tmp_path: Path) -> None:
    """The same runs under the same names, with another order of probes in every batch; rows go
    when event time says so.
    """
    asked, seen = query(), []
    for name, controllers in (("still", CONTROLLERS), ("switched", shuffled(random.Random(3)))):
        settings = Settings(tier="columnar", controllers=controllers)
        loop = testing.make_loop((asked,), tmp_path / name, settings)
        held = []
        try:
            for number in range(8):
                loop.process(testing.micro(loop, came(number)), number)
                held.append({s: total_rows(loop.catalog.at(s)) for s in loop.catalog.runs})
        finally:
            loop.close()
        seen.append(held)
    assert seen[0] == seen[1]
    [join] = [query.join for query in loop.policy.plan.queries if query.join]
    least = min(newest(7).values()) - 4 * SECOND  # the slowest stream's clock, less the patience
    for part in join.inputs:
        rows = held[-1][part.state.identity]
        young = sum(time >= least for n in range(8) for time in times(n, part.name))
        # the rows of a batch go together, when the newest of them has no partner to wait for
        alive = [times(n, part.name) for n in range(8) if newest(n)[part.name] >= least]
        assert young <= rows <= sum(map(len, alive))
        assert len(alive) < 3


def newest(number: int) -> dict[str, int]:
    return {name: max(times(number, name)) for name in NAMES}


def times(number: int, name: str) -> list[int]:
    return list(came(number)[name]["ts"].cast("int64").to_pylist())


@pytest.mark.spec("robust:F142")
@pytest.mark.parametrize("tier", ["columnar", pytest.param("spark", marks=pytest.mark.slow)])
def test_a_restart_goes_on_with_the_plans_and_the_state_there_were(
    tmp_path: Path, tier: Any
) -> None:
    sinks = {"never": sw.memory(), "often": sw.memory()}
    orders: dict[str, list[Any]] = {}
    for name, sink in sinks.items():
        asked, reports = query(sink=sink, tolerance=0.0), list[dict[str, Any]]()
        settings = Settings(tier=tier, on_batch=reports.append)
        loop = testing.make_loop((asked,), tmp_path / name, settings)
        for number in range(14):
            if name == "often" and number in (5, 10, 11):
                before = loop.state.of("q").controllers["robust"]
                held = {s: total_rows(loop.catalog.at(s)) for s in loop.catalog.runs}
                loop.close()
                loop = testing.make_loop((asked,), tmp_path / name, settings)
                assert loop.state.of("q").controllers["robust"] == before
                assert held == {s: total_rows(loop.catalog.at(s)) for s in loop.catalog.runs}
            loop.process(testing.micro(loop, came(number)), number)
        memory = loop.state.of("q").controllers["robust"]
        assert isinstance(memory, RobustMemory)
        assert memory.prepared is not None
        assert memory.prepared.batch < 10  # not made anew after the last restarts
        loop.finish()
        loop.close()
        orders[name] = [why["plan"] is None for why in told(reports)]
    assert counts(sinks["often"]) == counts(sinks["never"])
    assert orders["often"] == orders["never"]


class Renewing(Robust):
    """Prepares another set in every batch, whatever comes."""

    def step(self, params: Any, moment: Any, memory: RobustMemory) -> Any:
        return super().step(params, moment, replace(memory, prepared=None))


@pytest.mark.spec("robust:F141")
def test_who_looks_while_sets_are_exchanged_sees_one_of_them_and_all_of_it(tmp_path: Path) -> None:
    """Plans, the number in force and the tree that runs belong together, at any moment."""
    asked = query(uncertainty=3, tolerance=0.0)
    mine = tuple(Renewing() if isinstance(one, Robust) else one for one in CONTROLLERS)
    loop = testing.make_loop((asked,), tmp_path, Settings(tier="columnar", controllers=mine))
    [join] = [one.join for one in loop.policy.plan.queries]
    assert join is not None
    seen, torn, over = set[int](), list[Any](), Event()

    def look() -> None:
        while not over.is_set():
            memory = loop.state.of("q")
            robust = memory.controllers.get("robust")
            if isinstance(robust, RobustMemory) and robust.prepared is not None:
                seen.add(robust.prepared.batch)
                number = robust.tally.plan
                plans = robust.prepared.plans.plans
                if number is None or plans[number] != tree_of(join, memory):
                    torn.append(robust)

    watcher = Thread(target=look)
    watcher.start()
    try:
        for number in range(9):
            loop.process(testing.micro(loop, came(number, many=300, few=60)), number)
    finally:
        over.set()
        watcher.join()
        loop.close()
    assert torn == []
    assert len(seen) > 3


# decisions before effects ------------------------------------------------------------------------


def test_a_batch_that_is_run_again_takes_the_plan_that_was_decided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another throw of the dice would choose another one: it is not asked."""
    written, reports = sw.memory(), list[dict[str, Any]]()

    def fails(*_: Any) -> None:
        raise OSError("no space left")

    def life(seed: int) -> Any:
        dice = shuffled(random.Random(seed))
        given_ = Settings(tier="columnar", controllers=dice, on_batch=reports.append)
        return testing.make_loop((query(sink=sw.parquet(str(tmp_path / "out"))),), tmp_path, given_)

    loop = life(1)
    for number in range(4):
        loop.process(testing.micro(loop, came(number)), number)
    with monkeypatch.context() as broken:
        broken.setattr(Loop, "_deliver", fails)  # all is joined, nothing is told
        with pytest.raises(OSError, match="no space"):
            loop.process(testing.micro(loop, came(4)), 4)
    begun = loop.checkpoint.begun(4)
    loop.close()
    assert begun is not None
    decided = begun.decision["queries"]["q"]["controllers"]["robust"]["orders"]
    loop = life(2)
    loop.process(testing.micro(loop, came(4)), 4)
    loop.finish()
    loop.close()
    assert told(reports)[4]["orders"] == decided
    testing.run((query("written", written),), [came(n) for n in range(5)], tmp_path / "w", PLAIN)
    found = pq.read_table(tmp_path / "out").select(["window_start", "n", "s"]).to_pylist()
    assert sorted(tuple(row.values()) for row in found) == counts(written)


# people ----------------------------------------------------------------------------------------


def test_a_person_may_take_another_tree_and_hand_it_back(tmp_path: Path) -> None:
    reports: list[dict[str, Any]] = []
    sink, written = sw.memory(), sw.memory()
    settings = Settings(tier="columnar", on_batch=reports.append)
    loop = testing.make_loop((query(sink=sink, uncertainty=3),), tmp_path / "one", settings)
    try:
        for number in range(14):
            if number == 6:
                loop.inbox.put(Request("r1", "q", tree="((a b) (c d))"))
            if number == 10:
                loop.inbox.put(Request("r2", "q", tree="adaptive"))
            loop.process(testing.micro(loop, came(number, many=300, few=60)), number)
        loop.finish()
    finally:
        loop.close()
    trees = [one["queries"]["q"]["controllers"]["join_plan"]["tree"] for one in reports]
    assert trees[5] == "(a b c d)"
    assert set(trees[6:10]) == {"((a b) (c d))"}
    assert trees[11] == "(a b c d)"
    plans = [why["plan"] for why in told(reports)]
    assert plans[5] is not None
    assert plans[7:10] == [None] * 3
    assert plans[11] is not None
    batches = [came(number, many=300, few=60) for number in range(14)]
    testing.run((query("written", written),), batches, tmp_path / "other", PLAIN)
    assert counts(sink) == counts(written)


def test_an_adaptive_join_may_go_on_as_a_robust_one_and_back(tmp_path: Path) -> None:
    """Which orders are prepared is no part of what a checkpoint means."""
    sink, written = sw.memory(), sw.memory()
    batches = [came(number, many=300, few=60) for number in range(15)]
    asked = [query(sink=sink), query(sink=sink, uncertainty=2), query("adaptive", sink)]
    for turn, one in enumerate(asked):
        loop = testing.make_loop((one,), tmp_path / "one", PLAIN)
        for number in range(5 * turn, 5 * turn + 5):
            loop.process(testing.micro(loop, batches[number]), number)
        if turn == 2:
            loop.finish()
        loop.close()
    testing.run((query("written", written),), batches, tmp_path / "other", PLAIN)
    assert counts(sink) == counts(written)


def test_plans_and_where_the_stream_is_are_explained(tmp_path: Path) -> None:
    loop = testing.make_loop((query(tolerance=0.0),), tmp_path, PLAIN)
    try:
        for number in range(12):
            loop.process(testing.micro(loop, came(number)), number)
        lines, value = live_lines(loop), live_value(loop)
    finally:
        loop.close()
    [line] = [line for line in lines if line.startswith("query q: robust: plan ")]
    assert "place of a.rate" in line
    [head] = [line for line in lines if "plans prepared in batch" in line]
    assert "at most 0% worse than the best" in head
    assert len([line for line in lines if "in force, for " in line]) == 1
    drawn = [line.split("|")[1] for line in lines if line.endswith("|")]
    assert len(drawn) == 8
    assert "".join(drawn).count("*") == 1
    assert len({*"".join(drawn)} - {"*"}) > 1
    prepared = value["q"]["join"]["prepared"]
    assert sum(one["part"] for one in prepared["plans"]) == pytest.approx(1)
    assert prepared["space"]["a.rate"]["from"] < prepared["space"]["a.rate"]["to"]
    assert [line for line in lines if "ms predicted" in line and "ms measured" in line]
    told_ = value["q"]["controllers"]["robust"]
    assert 0 <= told_["plan"] < told_["plans"]
    notices = [e for e in log.read(tmp_path / "events.jsonl") if e["event"] == "notice"]
    assert [n for n in notices if "plans are prepared" in n["text"]]
