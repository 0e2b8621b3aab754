"""Joins under aggregates keep groups of rows, or rows, and change from one to the other.

The oracle is DuckDB from scratch; where revisions are asked for, the same query over rows.
"""

from __future__ import annotations

import random
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import slackwater as sw
from slackwater.control import join_plan
from slackwater.control.join_plan import tree_of
from slackwater.control.records import Tier
from slackwater.control.request import Request
from slackwater.events import log
from slackwater.execute.held import held_by
from slackwater.execute.joins import JoinRunner
from slackwater.execute.limits import Limits
from slackwater.execute.loop import Loop
from slackwater.plan.build import check
from slackwater.plan.join import JoinPlan
from slackwater.plan.stage import lay_out
from slackwater.plan.tree import read_tree, show_tree, tree_from_json, tree_to_json
from slackwater.query.schema import Schema
from slackwater.query.stream import Query, Stream, StreamDef
from slackwater.runs.run import total_rows
from tests.driver import Batch, Driver, batch, readings
from tests.examples import examples
from tests.execute.test_crash import PLACES as BOTH
from tests.mortal import Reaper, mortal
from tests.properties.test_engines_agree import PLACES
from tests.properties.test_joins_agree import (
    CASES,
    SECOND,
    Case,
    in_time_of,
    random_case,
    random_tree,
    stream_of,
    watermarks,
)
from tests.story import batches, ending, leftovers

SIZE, SLIDE = 4, 2
SLOW = pytest.mark.slow
Cuts = list[dict[str, list[Any]]]
Answers = list[tuple[Any, ...]]


def above(case: Case, order: str) -> Stream:
    """Aggregates of which every input has some, and its number of rows counts in all others."""
    first, last = case.names[0], case.names[-1]
    windows = case.stream(order).window(f"{SIZE} s", f"{SLIDE} s")
    return windows.group_by(f"{first}.k % 2 AS odd").aggregate(
        n="count(*)",
        c=f"count({last}.v)",
        s=f"sum({last}.v * 1000000007)",
        t=f"sum({first}.v)",
        lo=f"min({first}.v)",
        a=f"avg({last}.v)",
        sd=f"stddev_pop({first}.v)",
    )


def repeating(seed: int, names: Sequence[str], count: int, rows: int) -> Cuts:
    """Rows of which many are alike: their times are whole seconds, and some values are missing."""
    draw = random.Random(seed)
    return [
        {
            name: [(int(t), k, None if draw.random() < 0.1 else v) for t, k, v in some]
            for name, some in cut.items()
        }
        for cut in stream_of(seed, names, count, rows)
    ]


def tables_of(cuts: Cuts) -> list[Batch]:
    return [{name: batch(*rows) for name, rows in cut.items()} for cut in cuts]


def from_scratch(case: Case, cuts: Cuts) -> Answers:
    """What DuckDB makes of all results that come before their windows close."""
    marks, size = watermarks(case, cuts), len(case.names)
    found: dict[tuple[int, int], list[tuple[Any, ...]]] = {}
    for row in in_time_of(case, cuts):
        newest = max(row[2 : 3 * size : 3])
        start = newest - newest % (SLIDE * SECOND)
        while start + SIZE * SECOND > newest:
            if start + SIZE * SECOND > marks[max(row[3 * size :])]:
                found.setdefault((start, row[0] % 2), []).append(row)
            start -= SLIDE * SECOND
    return sorted(
        (start // SECOND, odd, *_totals([(row[1], row[3 * size - 2]) for row in rows]))
        for (start, odd), rows in found.items()
    )


def _totals(values: list[tuple[int | None, int | None]]) -> tuple[Any, ...]:
    first = [one for one, _ in values if one is not None]
    last = [other for _, other in values if other is not None]
    mean = sum(first) / len(first) if first else 0.0
    spread = (sum((one - mean) ** 2 for one in first) / len(first)) ** 0.5 if first else None
    return (
        len(values),
        len(last),
        sum(last) * 1000000007 if last else None,
        sum(first) if first else None,
        min(first, default=None),
        round(sum(last) / len(last), 6) if last else None,
        None if spread is None else round(spread, 6),
    )


def given_in(sink: Any) -> Answers:
    """Answers in the same form."""
    names = ("odd", "n", "c", "s", "t", "lo", "a", "sd")
    table = sink.table()
    return sorted(
        (
            round(row["window_start"].timestamp()),
            *(round(row[n], 6) if isinstance(row[n], float) else row[n] for n in names),
        )
        for row in ([] if table is None else table.to_pylist())
    )


def any_tree(draw: random.Random, names: Sequence[str]) -> str:
    tree = random_tree(draw, list(names))
    return f"grouped {tree}" if draw.random() < 0.5 else tree


# the same answers -----------------------------------------------------------------------------


@pytest.mark.deep
@examples(5, 60)
@given(CASES, PLACES)
def test_groups_of_rows_give_what_duckdb_finds_from_scratch(
    given_case: tuple[int, str, str, int, int], driver: Driver
) -> None:
    case, tree = random_case(*given_case)
    cuts = repeating(given_case[-1], case.names, 4, 6 if len(case.names) < 4 else 4)
    sinks = {order: sw.memory() for order in (tree, f"grouped {tree}")}
    queries = [
        above(case, order).query(f"q{number}", sw.slack(case.slack), sink=sink)
        for number, (order, sink) in enumerate(sinks.items())
    ]
    with tempfile.TemporaryDirectory() as folder:
        driver.run(queries, tables_of(cuts), Path(folder))
    for order, sink in sinks.items():
        assert given_in(sink) == from_scratch(case, cuts), order


@pytest.mark.spec("adaptive:MIG-18", "adaptive:MIG-19", "adaptive:MIG-25")
@pytest.mark.deep
@examples(3, 40)
@given(CASES, PLACES, st.integers(0, 1 << 32))
def test_a_form_that_changes_in_any_batch_changes_no_answer(
    given_case: tuple[int, str, str, int, int], driver: Driver, seed: int
) -> None:
    """By both ways, back and forth, with restarts, other places, and runs that are merged."""
    case, _ = random_case(*given_case)
    cuts = repeating(given_case[-1], case.names, 9, 5 if len(case.names) < 4 else 3)
    draw, sink, asked = random.Random(seed), sw.memory(), []
    query = above(case, any_tree(draw, case.names)).query("q", sw.slack(case.slack), sink=sink)
    tier, fan_in = driver.tier, draw.choice((2, 8))
    with tempfile.TemporaryDirectory() as folder:

        def made(tier: Tier) -> Loop[Any]:
            return driver.make_loop((query,), Path(folder), limits=Limits(fan_in=fan_in), tier=tier)

        loop = made(tier)
        try:
            for number, table in enumerate(tables_of(cuts)):
                if draw.random() < 0.2:
                    loop.close()
                    loop = made(draw.choice(("columnar", "spark")))
                if draw.random() < 0.5:
                    tree, how = any_tree(draw, case.names), draw.choice(("moving", "parallel"))
                    asked.append((number, tree, how))
                    loop.inbox.put(Request(f"r{number}", "q", tree=tree, how=how))
                driver.feed(loop, table, number)
            loop.finish()
        finally:
            loop.close()
    assert given_in(sink) == from_scratch(case, cuts), asked


@SLOW
@BOTH
def test_revisions_and_estimates_do_not_notice(driver: Driver, tmp_path: Path) -> None:
    """Aggregates that may be revised, and those that are estimated, over changing forms."""
    tables = batches(10)
    live(contracts("((a b) c)"), tables, tmp_path / "still", driver, {})
    trees = {2: "grouped (a (b c))", 5: "((a b) c)", 8: "grouped (a b c)"}
    live(contracts("((a b) c)"), tables, tmp_path / "moved", driver, trees)
    live(contracts("grouped ((a b) c)"), tables, tmp_path / "grouped", driver, {})
    wanted = ending(tmp_path / "still")
    assert wanted["results/revised"]
    assert wanted["results/estimated"]
    assert ending(tmp_path / "moved") == wanted
    assert ending(tmp_path / "grouped") == wanted


@SLOW
@pytest.mark.kill
@BOTH
def test_death_at_any_write_while_the_form_changes_loses_nothing(
    driver: Driver, tmp_path: Path
) -> None:
    """Down at once, up side by side."""
    tables, folder = batches(6), tmp_path / "killed"
    trees = {1: "grouped (a (b c))", 3: "(a (b c))"}
    live(contracts("((a b) c)")[:1], tables, tmp_path / "still", driver, {})
    reaper, died = Reaper(folder), True
    while died:
        with mortal(reaper):
            live(contracts("((a b) c)")[:1], tables, folder, driver, trees)
        died = reaper.is_dead
    assert ending(folder) == ending(tmp_path / "still")
    assert leftovers(folder) == []
    # new groups, groups made of rows, what has an old member; in tasks marks follow
    for kind in (r"-g[.-]", r"-m[.-]", r"-o[.-]"):
        assert [at for at in reaper.deaths if "write" in at and re.search(kind, at)], kind


def contracts(order: str) -> tuple[Query, ...]:
    inputs = [readings("1 day", name) for name in "abc"]
    found = []
    for emit in ("immediate", "ordered"):
        joined = sw.join(*inputs, on="k", within="4 s", emit=emit, order=order)
        windows = joined.window("4 s").group_by("a.k AS k")
        found.append(windows.aggregate(n="count(*)", s="sum(b.v)", top="max(c.v)"))
    return (
        found[0].query("revised", sw.slack("1 s"), late="revise", keep="6 s"),
        found[1].query("estimated", sw.slack("2 s"), estimates=sw.estimates(every="2 s")),
    )


def live(
    queries: Sequence[Query], tables: list[Any], folder: Path, driver: Driver, trees: dict[int, str]
) -> None:
    """One life: to the end of the streams, or to death."""
    loop = driver.make_loop(queries, folder, limits=Limits(fan_in=3))
    try:
        for number in range(loop.batch + 1, len(tables)):
            for query in queries if number in trees else ():
                name = f"r{number}-{query.name}"
                loop.inbox.put(Request(name, query.name, tree=trees[number]))
            driver.feed(loop, tables[number], number)
        if not loop.sealed:
            loop.finish()
    finally:
        loop.close()


# ways from one form to the other ------------------------------------------------------------------

PAIR = Case(("a", "b"), ("a.k = b.k",), {"a": 4, "b": 4}, 1, "immediate")


def there_and_back(folder: Path, **options: Any) -> tuple[Answers, Answers, list[dict[str, Any]]]:
    cuts, sink = repeating(3, PAIR.names, 10, 9), sw.memory()
    query = above(PAIR, "(a b)").query("q", sw.slack(PAIR.slack), sink=sink)
    loop = Driver().make_loop((query,), folder, **options)
    try:
        for number, table in enumerate(tables_of(cuts)):
            if number in (2, 5):
                tree = "grouped (a b)" if number == 2 else "(a b)"
                loop.inbox.put(Request(f"r{number}", "q", tree=tree))
            Driver().feed(loop, table, number)
        loop.finish()
    finally:
        loop.close()
    told = [e for e in log.read(folder / "events.jsonl") if e["event"] == "migration"]
    return given_in(sink), from_scratch(PAIR, cuts), told


@pytest.mark.spec("adaptive:MIG-18", "adaptive:MIG-19")
def test_rows_become_groups_at_once_and_groups_give_way_side_by_side(tmp_path: Path) -> None:
    found, wanted, told = there_and_back(tmp_path)
    assert found == wanted
    there, begun, over = told
    assert (there["how"], there["tree"], there["batches"]) == ("moving", "grouped (a b)", 0)
    assert (begun["how"], begun["tree"], begun["batches"]) == ("parallel", "(a b)", None)
    assert over["batches"] > 0


def test_without_the_groups_of_earlier_rows_results_are_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test above can fail: with groups that begin empty, and with rows that do."""
    with monkeypatch.context() as patch:
        patch.setattr(JoinRunner, "_regroup", lambda *_: None)
        found, wanted, _ = there_and_back(tmp_path / "down")
        assert found != wanted
    monkeypatch.setattr(join_plan, "can_move", lambda *_: True)
    found, wanted, _ = there_and_back(tmp_path / "up")
    assert found != wanted


def join_in(loop: Loop[Any]) -> JoinPlan:
    [query] = loop.layout.plan.queries
    assert query.join is not None
    return query.join


def test_groups_are_fewer_than_rows_and_rows_are_not_written(tmp_path: Path) -> None:
    held: dict[str, list[int]] = {}
    for order in ("(a b)", "grouped (a b)"):
        query = above(PAIR, order).query("q", sw.slack(PAIR.slack))
        folder, found = tmp_path / order, held.setdefault(order, [])
        loop = Driver().make_loop((query,), folder)
        try:
            for number, table in enumerate(tables_of(repeating(3, PAIR.names, 6, 150))):
                Driver().feed(loop, table, number)
                states = held_by(join_in(loop), loop.state.of("q"))
                found.append(sum(total_rows(loop.catalog.at(state)) for state in states))
            rows = {one.state.identity for one in join_in(loop).inputs}
            written = {path.parent.name for path in folder.glob("runs/*/*")}
            assert bool(rows & written) == (order == "(a b)"), written
        finally:
            loop.close()
    many, few = held.values()
    assert all(one < other for one, other in zip(few, many, strict=True))
    assert 2 * few[-1] < many[-1]


# what has no such form ----------------------------------------------------------------------------

EXACT = Schema.of(ts="timestamp", k="bigint", v="decimal(10,2)", x="double")


def pair(*on: str) -> Stream:
    one, other = (Stream(StreamDef(name, EXACT, "ts")) for name in "ab")
    return sw.join(one, other, on=on or "k", within="4 s", order="grouped (a b)")


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (pair().select("a.k AS k"), "nothing is aggregated"),
        (pair().window("4 s").aggregate(s="sum(a.v)"), "not multiplied exactly"),
        (pair().window("4 s").aggregate(s="sum(a.x * b.x)"), "about a and b together"),
        (pair().window("4 s").aggregate(d="approx_count_distinct(a.k)"), "put together"),
        (pair().window("4 s").aggregate(b="bit_xor(a.k)"), "put together"),
        (pair("a.x = b.x").window("4 s").aggregate(n="count(*)"), "equal values may differ"),
        (pair().window("4 s").group_by("b.x AS x").aggregate(n="count(*)"), "may differ"),
    ],
    ids=["bare", "decimal", "together", "sketch", "xor", "doubles", "key"],
)
def test_a_join_without_such_a_form_says_why(made: Stream, reason: str) -> None:
    with pytest.raises(sw.QueryError, match=reason) as caught:
        lay_out(check((made.query("q"),)))
    assert [problem.condition for problem in caught.value.problems] == ["JOIN_ORDER"]


def test_what_is_asked_for_and_has_no_such_form_is_refused(tmp_path: Path) -> None:
    inputs = [readings(name=name) for name in "ab"]
    query = sw.join(*inputs, on="k", within="4 s").select("a.k AS k").query("q")
    loop = Driver().make_loop((query,), tmp_path)
    try:
        loop.inbox.put(Request("r", "q", tree="grouped (a b)"))
        Driver().feed(loop, batches(1)[0])
        [told] = [e for e in log.read(loop.checkpoint.events) if e["event"] == "replan"]
        assert "rows cannot be kept in groups: nothing is aggregated" in told["reason"]
    finally:
        loop.close()


def test_a_plan_that_is_handed_back_is_one_over_rows(tmp_path: Path) -> None:
    """The engine compares plans over rows; what groups made meanwhile teaches it nothing."""
    cuts, sink = repeating(3, PAIR.names, 16, 12), sw.memory()
    query = above(PAIR, "adaptive").query("q", sw.slack(PAIR.slack), sink=sink)
    asked, trees = {2: "grouped (b a)", 6: "adaptive"}, []
    loop = Driver().make_loop((query,), tmp_path)
    try:
        for number, table in enumerate(tables_of(cuts)):
            if number in asked:
                loop.inbox.put(Request(f"r{number}", "q", tree=asked[number]))
            Driver().feed(loop, table, number)
            trees.append(tree_of(join_in(loop), loop.state.of("q")))
        loop.finish()
    finally:
        loop.close()
    assert [tree.is_grouped for tree in trees] == [2 <= number < 6 for number in range(16)]
    batches = [e for e in log.read(tmp_path / "events.jsonl") if e["event"] == "batch"]
    known = [b["queries"]["q"]["controllers"]["adapt"]["predicted_s"] for b in batches]
    assert known[3:7] == [None] * 4  # the batch that changed the plan was judged before
    assert known[-1] is not None
    assert given_in(sink) == from_scratch(PAIR, cuts)


def test_a_tree_over_groups_is_read_as_it_is_shown() -> None:
    for text in ("grouped ((a b) c)", "(grouped (b c))", "(a (grouped b))"):
        assert show_tree(read_tree(text)) == text
    plain, grouped = read_tree("(a b)"), read_tree("grouped (a b)")
    assert tree_from_json(tree_to_json(grouped)) == grouped != plain
    assert tree_to_json(plain) == {"join": ["a", "b"], "orders": []}
    with pytest.raises(ValueError, match="left over"):
        read_tree("grouped a")


# selections and projections -----------------------------------------------------------------------


def test_where_selections_and_projections_are_written_is_no_part_of_state() -> None:
    """Pushed below the join by construction (spec 4.6): there is nothing to move when they swap."""

    def states(where: str | None, below: str | None) -> list[str]:
        one, other = readings(name="a"), readings(name="b")
        one = one if below is None else one.where(below)
        joined = sw.join(one, other, on="k", within="4 s", order="(a b)")
        joined = joined if where is None else joined.where(where)
        query = joined.window("4 s").group_by("a.k AS k").aggregate(s="sum(b.v)").query("q")
        plan = lay_out(check((query,))).queries[0].join
        assert plan is not None
        assert plan.grouped is not None
        assert [[name for name, _ in i.state.keys] for i in plan.inputs] == [
            ["a_k"],
            ["b_k", "b_v"],
        ]
        return [i.state.identity for form in (plan, plan.grouped) for i in form.inputs]

    assert states("a.v > 3", None) == states(None, "v > 3")
    assert states("a.v > 3", None) != states(None, None)
