"""Plans under bad circumstances: limits that cannot be kept, statistics that are missing or absurd,
clocks that jump, no time to search. There is a clear answer, the plan goes on, results are right.
"""

from __future__ import annotations

import random
import time
from dataclasses import replace
from itertools import count
from math import inf, nan
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.control.test_adapt import came, counts, query, trees
from tests.optimize.graphs import drawn

import slackwater as sw
from slackwater import testing
from slackwater.control.adapt import AdaptMemory
from slackwater.events import log
from slackwater.execute.loop import Loop
from slackwater.optimize.choose import choose
from slackwater.optimize.facts import Count
from slackwater.optimize.plan import Space
from slackwater.plan.tree import inputs_of
from slackwater.query.stream import Query
from slackwater.testing import Settings

Tables = list[dict[str, pa.Table]]
STEADY = [came(n, 40, 10, rows=40) for n in range(14)]
SLOW = pytest.mark.slow  # a case more
EMPTY = STEADY[0]["a"].slice(0, 0)


def run(one: Query, tables: Tables, folder: Path, meddle: Any = None) -> list[dict[str, Any]]:
    """The events of a run; ``meddle`` is called with the loop before every batch."""
    loop = testing.make_loop((one,), folder, Settings(tier="columnar"))
    try:
        for number, table in enumerate(tables):
            if meddle is not None:
                meddle(loop, number)
            loop.process(testing.micro(loop, table), number)
        loop.finish()
    finally:
        loop.close()
    return list(log.read(folder / "events.jsonl"))


def fixed(tables: Tables, folder: Path) -> list[tuple[Any, ...]]:
    """The results by one tree for ever."""
    sink = sw.memory()
    run(query("(a b c)", sink=sink), tables, folder)
    return counts(sink)


@pytest.fixture(scope="module")
def steady(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Any, ...]]:
    """What comes of the steady batches."""
    return fixed(STEADY, tmp_path_factory.mktemp("fixed"))


def notices(events: list[dict[str, Any]]) -> list[str]:
    return [event["text"] for event in events if event["event"] == "notice"]


def batches(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [event for event in events if event["event"] == "batch"]


@pytest.mark.spec("adaptive:TRG-04")
def test_a_limit_below_what_inputs_alone_need_is_told_with_the_nearest_plan(
    tmp_path: Path, steady: list[Any]
) -> None:
    """What that needs is no less than the rows of the inputs; the join goes on by it."""
    sink = sw.memory()
    one = query(resources=sw.resources(memory=1_000), sink=sink)
    events = run(one, STEADY, tmp_path / "short")
    [told] = [text for text in notices(events) if "no plan is within the limits" in text]
    *_, before_end, _end = batches(events)
    assert "(a b c) comes nearest and needs memory of" in told  # keeps nothing but its inputs
    needed = float(told.split("memory of ")[1].split(" MB")[0])
    assert needed * 1e6 > 1_000
    assert "where 0.001 are allowed" in told
    assert before_end["queries"]["q"]["controllers"]["join_plan"]["tree"] == "(a b c)"
    assert counts(sink) == steady


def lacking(name: str, first: int, last: int) -> Tables:
    """One stream has no rows from one batch up to another."""
    return [
        {**tables, name: EMPTY} if first <= number < last else tables
        for number, tables in enumerate(STEADY)
    ]


@pytest.mark.parametrize("name", ["b", pytest.param("a", marks=SLOW)])
def test_an_input_that_never_comes_leaves_the_plan_as_it_is(tmp_path: Path, name: str) -> None:
    """Nothing is known of its pairs, so nothing is compared."""
    one = query(resources=sw.resources(memory="1 MB", cpu=0.5))
    events = run(one, lacking(name, 0, 99), tmp_path)
    assert set(trees(batches(events))) <= {None, "(a b c)"}
    assert [event for event in events if event["event"] == "migration"] == []
    told = [e["queries"]["q"]["controllers"]["adapt"]["predicted_s"] for e in batches(events)]
    assert set(told) == {None}


@SLOW
@pytest.mark.parametrize(("first", "last"), [(3, 9), (1, 2), (0, 6)])
def test_a_stream_that_falls_silent_and_comes_back_changes_no_result(
    tmp_path: Path, first: int, last: int
) -> None:
    tables, sink = lacking("c", first, last), sw.memory()
    run(query(resources=sw.resources(memory="20 kB"), sink=sink), tables, tmp_path / "adaptive")
    assert counts(sink) == fixed(tables, tmp_path / "fixed")


ODD = {
    "none": Count(0, 0),
    "never": Count(0, inf),
    "always": Count(inf, 1),
    "endless": Count(inf, inf),
    "not a number": Count(nan, nan),
    "more than possible": Count(1e300, 1e-300),
    "negative": Count(-5.0, 3.0),
}


def distort(loop: Loop[Any], counted: Count, *, is_made: bool) -> None:
    """Let what is known of pairs, or of combinations, be absurd."""
    memory = loop.state.of("q")
    adapt = memory.find(AdaptMemory)
    assert adapt is not None
    facts = adapt.facts
    kind = "made" if is_made else "pairs"
    facts = replace(facts, **{kind: dict.fromkeys(getattr(facts, kind), counted)})
    known = {**memory.controllers, "adapt": replace(adapt, facts=facts, since=99, changed=None)}
    queries = {**loop.state.queries, "q": replace(memory, controllers=known)}
    loop.state = replace(loop.state, queries=queries)


@pytest.mark.parametrize(
    "is_made", [pytest.param(False, marks=SLOW), True], ids=["pairs", "combinations"]
)
def test_statistics_that_contradict_each_other_change_no_result(
    tmp_path: Path, steady: list[Any], is_made: bool
) -> None:
    """Whatever was counted, and whatever plan follows from it."""
    odd, sink = list(ODD.values()), sw.memory()

    def meddle(loop: Loop[Any], number: int) -> None:
        if number >= 4:
            distort(loop, odd[number % len(odd)], is_made=is_made)

    one = query(resources=sw.resources(memory="10 kB", cpu=0.5), sink=sink)
    events = run(one, STEADY, tmp_path / "odd", meddle)
    assert len(batches(events)) == len(STEADY) + 1
    assert counts(sink) == steady


STEPS = ((0,), (-1,), (10**15, -(10**15)))  # microseconds from batch to batch


@pytest.mark.parametrize(
    "steps", [(1_000, -5_000_000_000), *(pytest.param(one, marks=SLOW) for one in STEPS)]
)
def test_a_clock_that_jumps_or_stands_is_no_reason_for_absurd_limits(
    tmp_path: Path, steady: list[Any], steps: tuple[int, ...]
) -> None:
    """A share of no time, or of less, is not known; it is no limit that nobody can keep."""
    now, number = [1_767_225_600_000_000_000], count()

    def time_ns() -> int:
        now[0] += 1_000 * steps[next(number) % len(steps)]
        return now[0]

    sink = sw.memory()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "time_ns", time_ns)
        one = query(resources=sw.resources(cpu=1e6), sink=sink)
        events = run(one, STEADY, tmp_path / "jumps")
    assert [text for text in notices(events) if "limits" in text] == []
    assert counts(sink) == steady


def test_a_search_without_any_time_gives_a_whole_plan() -> None:
    """It stops after the first plan of each strategy; that one is whole, whatever the limits."""
    for size in (2, 6, 9, 20):
        space = Space(drawn(random.Random(size), size, "cyclic"))
        ticks = count()
        found = choose(space, budget=0.0, clock=lambda ticks=ticks: float(next(ticks)), exact=0)
        assert sorted(inputs_of(found.plan.tree)) == sorted(space.known.names)
        assert not found.is_exact
