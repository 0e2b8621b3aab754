"""A join changes its plan by itself, while it runs: where that pays, or a limit asks for it."""

from __future__ import annotations

import random
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import slackwater as sw
from slackwater import testing
from slackwater.control.adapt import Adapt, AdaptMemory
from slackwater.control.request import Request
from slackwater.control.step import CONTROLLERS
from slackwater.errors import QueryError
from slackwater.execute.explain import live_value
from slackwater.query.stream import Query
from slackwater.testing import Settings

BEGIN, SECOND, ROWS = 1_767_225_600_000_000, 1_000_000, 2_000
WIDE, NARROW = 40_000, 100


def stream(name: str) -> Any:
    columns = {"ts": "timestamp", "k": "bigint", "j": "bigint", "v": "bigint"}
    return testing.rows(name, time="ts", **columns)


def query(order: str = "adaptive", resources: Any = None, sink: Any = None, **more: Any) -> Query:
    """How many combinations of three streams there are, of which the middle one meets both."""
    a, b, c = map(stream, "abc")
    joined = sw.join(a, b, c, on=["a.k = b.k", "b.j = c.j"], within="10 s", order=order, **more)
    counted = joined.window("10 s").aggregate(n="count(*)", s="sum(a_v + b_v + c_v)")
    return counted.query("q", sw.slack("1 s"), sink=sink, resources=resources)


def came(number: int, k: int, j: int, rows: int = ROWS) -> dict[str, pa.Table]:
    """A batch of ten seconds; of ``k`` values a and b share one, of ``j`` values b and c."""
    random_ = np.random.default_rng(number)
    found = {}
    for name in "abc":
        times = np.sort(random_.integers(0, 10 * SECOND, rows)) + BEGIN + number * 10 * SECOND
        found[name] = pa.table(
            {
                "ts": pa.array(times, pa.timestamp("us", "UTC")),
                "k": random_.integers(0, k, rows),
                "j": random_.integers(0, j, rows),
                "v": random_.integers(0, 100, rows),
            }
        )
    return found


def run(
    one: Query, batches: list[dict[str, pa.Table]], folder: Path, **settings: Any
) -> list[dict[str, Any]]:
    """The batch events of a run."""
    reports: list[dict[str, Any]] = []
    given = Settings(**{"tier": "columnar", "on_batch": reports.append, **settings})
    testing.run((one,), batches, folder, given)
    return reports


def trees(reports: list[dict[str, Any]]) -> list[str]:
    return [r["queries"]["q"]["controllers"]["join_plan"]["tree"] for r in reports]


SWAP = [came(n, *((WIDE, NARROW) if n < 10 else (NARROW, WIDE))) for n in range(20)]


@pytest.mark.spec("adaptive:OPT-21", "adaptive:TRG-03")
@pytest.mark.parametrize("tier", ["columnar", pytest.param("spark", marks=pytest.mark.slow)])
def test_the_plan_follows_selectivities_that_swap(tmp_path: Path, tier: str) -> None:
    adaptive, written = sw.memory(), sw.memory()
    reports = run(query(sink=adaptive), SWAP, tmp_path / "one", tier=tier)
    run(query("((a b) c)", sink=written), SWAP, tmp_path / "other", tier=tier)
    seen = trees(reports)
    assert seen[9] == "((a b) c)"
    assert seen[-2] == "(a (b c))"
    assert counts(adaptive) == counts(written)


def counts(sink: Any) -> list[tuple[Any, ...]]:
    rows = sink.table().select(["window_start", "n", "s"]).to_pylist()
    return sorted(tuple(row.values()) for row in rows)


def test_a_plan_that_is_good_is_left_alone(tmp_path: Path) -> None:
    steady = [came(n, WIDE, NARROW) for n in range(20)]
    seen = trees(run(query(), steady, tmp_path))
    changes = sum(one != other for one, other in pairwise(seen))
    assert changes <= 1, seen


def test_prediction_and_measurement_stand_beside_each_other(tmp_path: Path) -> None:
    reports = run(query(), SWAP[:10], tmp_path)
    told = reports[-2]["queries"]["q"]["controllers"]["adapt"]
    assert told["predicted_s"] > 0
    assert told["measured_s"] > 0
    assert told["memory"] > 0


def test_the_choice_of_a_person_stands_until_it_is_handed_back(tmp_path: Path) -> None:
    loop = testing.make_loop((query(),), tmp_path, Settings(tier="columnar"))
    try:
        seen = []
        for number, tables in enumerate(SWAP[:10]):
            if number == 0:
                loop.inbox.put(Request("replan-1", "q", tree="(a (b c))"))
            if number == 7:
                loop.inbox.put(Request("replan-2", "q", tree="adaptive"))
            loop.process(testing.micro(loop, tables), number)
            seen.append(live_value(loop)["q"]["join"]["tree"])
        assert set(seen[:7]) == {"(a (b c))"}
        assert seen[-1] == "((a b) c)"
    finally:
        loop.close()


@pytest.mark.slow
@pytest.mark.spec("adaptive:TRG-04")
def test_a_limit_on_memory_is_kept_where_a_plan_keeps_it(tmp_path: Path) -> None:
    """Combinations of a and b outgrow it; without keeping them the join goes on."""
    grown = [came(n, WIDE if n < 8 else 20, NARROW, ROWS // 2) for n in range(16)]
    free = run(query(), grown[:8], tmp_path / "free")
    held = max(report["state"]["bytes"] for report in free)
    limited = run(query(resources=sw.resources(memory=held * 2)), grown, tmp_path / "limited")
    assert trees(limited)[7] == "((a b) c)"
    assert "(a b)" not in trees(limited)[-2]
    fixed = run(query("((a b) c)"), grown, tmp_path / "fixed")
    assert max(r["state"]["bytes"] for r in fixed) > held * 2


def test_a_limit_that_no_plan_keeps_is_told_once_with_the_nearest_plan(tmp_path: Path) -> None:
    loop = testing.make_loop(
        (query(resources=sw.resources(memory=1_000)),), tmp_path, Settings(tier="columnar")
    )
    notices = []
    try:
        write = loop.events.write
        loop.events.write = lambda kind, **value: (  # type: ignore[method-assign]
            notices.append(value["text"]) if kind == "notice" else None,
            write(kind, **value),
        )[-1]
        for number, tables in enumerate(SWAP[:14]):
            loop.process(testing.micro(loop, tables), number)
    finally:
        loop.close()
    told = [text for text in notices if "no plan is within the limits" in text]
    assert len(told) == 1
    assert "comes nearest and needs memory of" in told[0]


def test_wrong_limits_are_told_all_at_once() -> None:
    wrong = query("((a b) c)", resources=sw.resources(memory="much", cpu=-1))
    with pytest.raises(QueryError) as error:
        sw.pipeline(wrong)
    found = {problem.condition for problem in error.value.problems}
    assert found == {"RESOURCES_PLACE", "RESOURCES_MEMORY", "RESOURCES_CPU"}


@pytest.mark.parametrize("emit", ["immediate", pytest.param("ordered", marks=pytest.mark.slow)])
def test_random_streams_and_restarts_change_no_result(tmp_path: Path, emit: str) -> None:
    seed = time.time_ns() % 2**32
    draw = random.Random(seed)
    shapes = [(draw.choice([20, 500, 5_000]), draw.choice([20, 500, 5_000])) for _ in range(4)]
    batches = [came(n, *shapes[n // 5], rows=300) for n in range(20)]
    adaptive, fixed = sw.memory(), sw.memory()
    run(query("(a b c)", sink=fixed, emit=emit), batches, tmp_path / "fixed")
    one = query(sink=adaptive, emit=emit)
    loop = testing.make_loop((one,), tmp_path / "adaptive", Settings())
    try:
        for number, tables in enumerate(batches):
            if draw.random() < 0.3:
                loop.close()
                tier = draw.choice(["columnar", "spark"])
                loop = testing.make_loop((one,), tmp_path / "adaptive", Settings(tier=tier))
            loop.process(testing.micro(loop, tables), number)
        loop.finish()
    finally:
        loop.close()
    assert counts(adaptive) == counts(fixed), seed


def test_the_same_observations_give_the_same_decisions(tmp_path: Path) -> None:
    """A decision depends on nothing but what was seen: no clock, no chance."""
    steps: list[tuple[Any, Any]] = []
    plain = Adapt.step

    class Watched(Adapt):
        def step(self, params: Any, moment: Any, memory: Any) -> Any:
            found = plain(self, params, moment, memory)
            steps.append((found, plain(self, params, moment, memory)))
            return found

    watched = tuple(Watched() if isinstance(one, Adapt) else one for one in CONTROLLERS)
    run(query(), SWAP[:12], tmp_path, controllers=watched)
    assert len(steps) >= 12
    assert all(one == other for one, other in steps)


def test_a_steady_stream_is_looked_at_more_and_more_rarely(tmp_path: Path) -> None:
    looks: list[int] = []
    loop = testing.make_loop((query(),), tmp_path, Settings(tier="columnar"))
    for number in range(40):
        loop.process(testing.micro(loop, came(number, WIDE, NARROW)), number)
        memory = loop.state.queries["q"].find(AdaptMemory)
        assert memory is not None
        looks += [number] if memory.surveyed == 0 else []
    loop.close()
    assert looks[0] == 1  # as soon as rows are held
    assert len(looks) <= 8
    # what was expected before pairs were known is forgotten
    assert all(0.3 < count.share < 4 for count in memory.facts.made.values())


def came_at(number: int, rows: dict[str, int], values: int) -> dict[str, pa.Table]:
    """A batch with so many rows of each stream."""
    most = came(number, values, values, max(rows.values()))
    every = {name: max(rows.values()) // count for name, count in rows.items()}
    return {name: table.take(np.arange(0, len(table), every[name])) for name, table in most.items()}


@pytest.mark.spec("adaptive:OPT-21", "adaptive:TRG-03")
def test_the_plan_follows_rates_that_swap_before_the_period_is_over(tmp_path: Path) -> None:
    fast_a, fast_c = {"a": 4_000, "b": 1_000, "c": 200}, {"a": 200, "b": 1_000, "c": 4_000}
    batches = [came_at(n, fast_a if n < 11 else fast_c, 200) for n in range(16)]
    adaptive, written = sw.memory(), sw.memory()
    reports = run(query(sink=adaptive), batches, tmp_path / "one")
    run(query("(a b c)", sink=written), batches, tmp_path / "other")
    why = [r["queries"]["q"]["controllers"]["adapt"].get("reason") for r in reports]
    assert why[11] in {"rates", "surprise"}, why
    assert trees(reports)[10] == "(a (b c))" != trees(reports)[14]
    assert counts(adaptive) == counts(written)


@pytest.mark.spec("adaptive:TRG-04")
def test_a_plan_is_left_before_memory_reaches_its_limit(tmp_path: Path) -> None:
    """Windows of ten batches fill, and combinations of a and b with them."""
    a, b, c = map(stream, "abc")
    limit = sw.resources(memory="1.2 MB")

    def long(order: str, resources: Any = None) -> Query:
        on = ["a.k = b.k", "b.j = c.j"]
        joined = sw.join(a, b, c, on=on, within="100 s", order=order)
        return joined.window("10 s").aggregate(n="count(*)").query("q", resources=resources)

    batches = [came(n, 2_000, 200, 600 if n < 8 else 1_200) for n in range(20)]
    limited = run(long("adaptive", limit), batches, tmp_path / "limited")
    fixed = run(long("((a b) c)"), batches, tmp_path / "fixed")
    m_way = run(long("(a b c)"), batches, tmp_path / "m-way")
    most, tree, rows = (max(r["state"]["bytes"] for r in one) for one in (limited, fixed, m_way))
    assert rows < most <= 1_200_000 < tree
    assert {"(a b c)", "((a b) c)"} == {*trees(limited)}
