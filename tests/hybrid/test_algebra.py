"""Logical plans: what they give, what can be moved, and the statements for it."""

from __future__ import annotations

import json
from dataclasses import replace

import duckdb
import pytest

from slackwater.codec import pack, unpack
from slackwater.errors import SlackwaterError
from slackwater.hybrid.algebra import (
    Aggregate,
    Join,
    Output,
    Project,
    Relation,
    Select,
    Window,
    check,
    columns,
    steps,
    walk,
    windows,
)
from slackwater.hybrid.cardinality import Cardinality, cardinality
from slackwater.hybrid.cost import Composite
from slackwater.hybrid.join_order import Equal, Grouped, JoinQuery, alternatives, logical_plan
from slackwater.hybrid.optimizer import optimize
from slackwater.hybrid.sql import composite, migration_candidates, statement
from slackwater.hybrid.units import Measured, UnitCosts, Units
from tests.hybrid.examples import UNITS, branch, m_way, plugs

R = Window("r", ("b", "c", "m"), rate=10.0, size=60, slide=1)
LARGEST = Aggregate("largest", R, ("b",), (("mb", "max", "m"),), 4)
PAIRS = Join("pairs", R, replace(LARGEST, name="top"), (("b", "b"),), 0.25)
ABOVE = Select("above", PAIRS, "m > 0.5 * mb", 0.5)
COUNT = Aggregate("count", ABOVE, ("b",), (("cb", "count", "c"),), 4)


def whole(plan: Relation) -> str:
    """All of a plan as one statement."""
    every = steps(plan)
    return statement(composite(every[-1], {step.name for step in every}))


@pytest.mark.spec("qddh:F120")
def test_a_plan_has_windows_at_one_end_and_an_output_at_the_other() -> None:
    plan = Output(Project("shown", COUNT, (("area", "b"), ("companies", "cb"))))
    check(plan.over)
    assert [one.name for one in steps(plan.over)] == ["top", "pairs", "above", "count", "shown"]
    assert [one.name for one in windows(plan.over)] == ["r", "r"]
    assert columns(PAIRS) == ("b", "c", "m", "mb")
    assert columns(plan.over) == ("area", "companies")
    assert (plan.kind, plan.sink) == ("rstream", "results")


@pytest.mark.spec("qddh:F120")
@pytest.mark.parametrize(
    ("plan", "word"),
    [
        (Select("s", R, "m > 1", 1.5), "keeps 1.5"),
        (Window("w", ("a",), 1, 0, 1), "size 0"),
        (Aggregate("a", R, ("zz",), (), 1), "zz"),
        (Join("j", R, LARGEST, (("b", "m"),), 0.5), "does not get"),
        (Join("j", R, replace(R, name="r2"), (("b", "b"),), 0.5), r"\['c', 'm'\] on both"),
        (Join("j", R, LARGEST, (("b", "b"),), 7), "share 7"),
        (Project("r", R, (("b", "b"),)), "twice"),
        (Project("p", R, ()), "no columns"),
    ],
)
def test_plans_that_mean_nothing_are_refused(plan: Relation, word: str) -> None:
    with pytest.raises(SlackwaterError, match=word) as refused:
        check(plan)
    assert refused.value.condition == "PLAN_INVALID"


@pytest.mark.spec("qddh:F125")
def test_cardinalities_cascade_from_the_sources() -> None:
    assert cardinality(R) == Cardinality(10, 600)
    assert cardinality(Window("n", ("v",), 10, 500, 100, "rows")) == Cardinality(10, 500)
    assert cardinality(Select("s", R, "m > 1", 0.2)) == Cardinality(2, 120)
    assert cardinality(Project("p", R, (("b", "b"),))) == Cardinality(10, 600)
    assert cardinality(LARGEST) == Cardinality(4, 4)
    # 10 rows a second meet 1 of 4 groups; 4 groups a second meet a quarter of 600 rows each
    assert cardinality(PAIRS) == Cardinality(10 * 0.25 * 4 + 4 * 0.25 * 600, 0.25 * 600 * 4)
    by_rows = Window("n", ("v",), 50, 500, 100, "rows")
    by_count = Aggregate("a", by_rows, (), (("k", "sum", "v"),), 1)
    assert cardinality(by_count) == Cardinality(0.5, 1)


@pytest.mark.spec("qddh:F126")
def test_unit_costs_add_up_to_those_of_operators_and_statements() -> None:
    costs = UnitCosts(Units.of(select=2, join=3, match=5, increment=7, insert=1, scan=11, emit=13,
                               ship_in=17, start=19, column_aggregate=23, column_join=29,
                               ship_back=31))  # fmt: skip
    assert costs.row(Select("s", R, "m > 1", 0.2)) == 10 * 2
    assert costs.row(LARGEST) == 10 * 1 + 600 * 11 + 4 * 13
    sums = replace(LARGEST, values=(("mb", "sum", "m"),))
    assert costs.row(sums) == 10 * 7 + 4 * 13
    assert costs.row(PAIRS) == (10 + 4) * 3 + (10 + 600) * 5
    alone = composite(LARGEST, {"largest"})
    assert costs.column(alone) == 10 * 17 + (19 + 600 * 23) + 4 * 31
    both = composite(PAIRS, {"pairs", "top"})
    ran = 19 + 600 * 23 + (600 + 4) * 29
    assert costs.column(both) == 10 * 17 + ran + 600 * 31
    assert costs.column(Composite(PAIRS, (PAIRS,), (R, LARGEST))) < costs.column(both)


@pytest.mark.spec("qddh:F126")
def test_two_operators_in_columns_may_cost_less_than_the_first_alone() -> None:
    costs = UnitCosts(UNITS)
    first, both = ({"top", "pairs"}, {"top", "pairs", "above", "count"})
    assert costs.column(composite(COUNT, both)) < costs.column(composite(PAIRS, first))


@pytest.mark.spec("qddh:F126")
def test_unit_costs_are_measured_while_operators_run() -> None:
    units = Units().after("select", 1000, 0.002)
    assert units["select"] == pytest.approx(2e-6)
    for _ in range(50):
        units = units.after("select", 1000, 0.004)
    assert units["select"] == pytest.approx(4e-6, rel=1e-3)
    assert units["scan"] == 0.0
    assert Measured().unit is None
    with pytest.raises(SlackwaterError, match="no unit cost 'tea'"):
        units.after("tea", 1, 1)


@pytest.mark.spec("qddh:F121")
def test_connected_operators_are_candidates_to_be_moved() -> None:
    found = [{step.name for step in one.members} for one in migration_candidates(COUNT)]
    assert len(found) == 4 + 3 + 2 + 1  # a chain of four: each stretch of it
    assert {"pairs", "above"} in found
    assert {"top", "above"} not in found
    two_sides = Join("j", branch(1, 1), branch(2, 2), (("plug", "plug"),), 0.1)
    assert sum(one.root.name == "j" for one in migration_candidates(two_sides)) == 9


@pytest.mark.spec("qddh:F121")
def test_every_candidate_is_one_statement_that_gives_what_single_steps_give() -> None:
    rows = [(b, c, float((7 * c + b) % 50)) for c in range(200) for b in [c % 4]]
    with duckdb.connect() as engine:
        engine.execute("CREATE TABLE r (b INT, c INT, m DOUBLE)")
        engine.executemany("INSERT INTO r VALUES (?, ?, ?)", rows)
        for step in steps(COUNT):  # one after the other, each result a table
            sql = statement(composite(step, {step.name}))
            engine.execute(f'CREATE TABLE "{step.name}" AS {sql}')
        for one in migration_candidates(COUNT):
            got = engine.execute(statement(one)).fetchall()
            wanted = engine.execute(f'SELECT * FROM "{one.root.name}"').fetchall()
            assert sorted(got) == sorted(wanted)
        totals = dict(engine.execute('SELECT b, cb FROM "count"').fetchall())
    by_hand = {b: max(m for x, _, m in rows if x == b) for b in range(4)}
    assert totals == {b: sum(x == b and m > 0.5 * by_hand[b] for x, _, m in rows) for b in range(4)}


@pytest.mark.spec("qddh:F128")
def test_the_smallest_joins_come_first_and_trees_may_be_bushy() -> None:
    """a and d are large; b and c keep little of them."""
    sources = tuple(
        Window(name, (f"{name}x", f"{name}y"), 10.0, size, 1)
        for name, size in zip("abcd", (500, 5, 5, 500), strict=True)
    )
    equal = (
        Equal(0, "ay", 1, "bx", 0.001),
        Equal(1, "by", 2, "cx", 1.0),
        Equal(2, "cy", 3, "dx", 0.001),
    )
    plan = logical_plan(JoinQuery(sources, equal, (("k", "ax"),)), UnitCosts(UNITS))
    names = [one.name for one in walk(plan) if isinstance(one, Join)]
    assert names == ["join 0:1", "join 2:3", "join 01:23"]
    assert optimize(JoinQuery(sources, equal, (("k", "ax"),)), UnitCosts(UNITS)).logical == plan
    with pytest.raises(SlackwaterError, match="nothing joins"):
        logical_plan(JoinQuery(sources, equal[:2], (("k", "ax"),)), UnitCosts(UNITS))


@pytest.mark.spec("qddh:F128")
def test_no_condition_is_lost_whatever_the_order() -> None:
    """Columns that equal each other through a third one, and two conditions at once."""
    sources = tuple(Window(n, (f"{n}k", f"{n}v"), 10.0, 60, 1) for n in "abc")
    equal = (
        Equal(0, "ak", 1, "bk", 0.2),
        Equal(1, "bk", 2, "ck", 0.2),
        Equal(0, "av", 2, "cv", 0.5),
    )
    results = []
    with duckdb.connect() as engine:
        for n, source in enumerate(sources):
            key, value = source.columns
            made = f"(i % {n + 3})::INT AS {key}, (i % 2) AS {value}"
            engine.execute(f"CREATE TABLE {source.name} AS SELECT {made} FROM range(12) t(i)")
        for order in ((0, 1, 2), (2, 1, 0), (1, 2, 0)):
            number = {old: new for new, old in enumerate(order)}
            there = tuple(
                replace(one, left=number[one.left], right=number[one.right]) for one in equal
            )
            query = JoinQuery(tuple(sources[n] for n in order), there, ())
            plan = logical_plan(replace(query, shown=(("n", "1"),)), UnitCosts(UNITS))
            results.append(len(engine.execute(whole(plan)).fetchall()))
        pairs = "SELECT count(*) FROM a, b, c WHERE ak = bk AND bk = ck AND av = cv"
        [(truth,)] = engine.execute(pairs).fetchall()
    assert results == [truth] * 3
    assert truth > 0


@pytest.mark.spec("qddh:F128")
def test_an_aggregate_goes_below_a_join_where_that_means_the_same_and_costs_less() -> None:
    loads = plugs("loads", 5)
    names = Window("names", ("plug", "house"), 0.1, 1000, 1)
    grouped = Grouped("total", 0, ("plug",), (("sum", "sum", "load"),), 5)
    query = JoinQuery((loads, names), (Equal(0, "plug", 1, "plug", 0.01),), (("plug", "plug"),),
                      grouped, frozenset({1}))  # fmt: skip
    assert len(list(alternatives(query))) == 2
    plan = logical_plan(query, UnitCosts(UNITS))
    assert [one.name for one in walk(plan)] == ["loads", "total", "names", "join 0:1", "shown"]
    assert len(list(alternatives(replace(query, unique=frozenset())))) == 1
    by_kind = replace(grouped, keys=("kind",))
    assert len(list(alternatives(replace(query, grouped=by_kind)))) == 1
    with duckdb.connect() as engine:
        loads_of = "i % 7 AS plug, i AS load, 1 AS kind FROM range(50) t(i)"
        engine.execute(f"CREATE TABLE loads AS SELECT {loads_of}")
        engine.execute("CREATE TABLE names AS SELECT i AS plug, 1 AS house FROM range(5) t(i)")
        found = []
        for one in alternatives(query):
            alone = replace(one, unique=frozenset(), shown=(("plug", "plug"), ("sum", "sum")))
            sql = whole(logical_plan(alone, UnitCosts(UNITS)))
            found.append(sorted(engine.execute(sql).fetchall()))
    assert found[0] == found[1]
    assert len(found[0]) == 5


def test_units_are_saved_and_read_again() -> None:
    units = UNITS.after("select", 10, 1.5)
    assert unpack(json.loads(json.dumps(pack(units))), Units) == units


def test_too_many_inputs_are_refused() -> None:
    wide = tuple(plugs(f"w{n}") for n in range(13))
    with pytest.raises(SlackwaterError, match="13 inputs"):
        logical_plan(JoinQuery(wide, (), ()), UnitCosts(UNITS))
    assert len(steps(m_way(2))) == 6
