"""Joins from what the user wrote: checked, taken apart, given identities."""

from __future__ import annotations

from typing import Any

import pytest

import slackwater as sw
from slackwater.control.recall_slack import Recall
from slackwater.errors import QueryError
from slackwater.plan.explain import explain_json, explain_text
from slackwater.plan.graph import equal_classes
from slackwater.plan.join import JoinPlan
from slackwater.plan.order import JoinStatistics, ordered_mjoin, probe_order
from slackwater.query.schema import Schema
from slackwater.query.stream import Query, Stream, StreamDef
from tests.plan.test_build import conditions, plan, stream


def named(*names: str) -> list[Stream]:
    return [stream(name=name) for name in names]


def joined(*names: str, **terms: Any) -> Stream:
    given = {"on": "k", "within": "5 s", **terms}
    return sw.join(*named(*names), **given)


def join_of(query: Query) -> JoinPlan:
    found = plan(query).queries[0].join
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("terms", "condition"),
    [
        ({"within": None}, "JOIN_WINDOW"),
        ({"within": "soon"}, "DURATION_INVALID"),
        ({"within": "-1 s"}, "DURATION_NEGATIVE"),
        ({"within": {"a": "1 s"}}, "JOIN_WINDOW"),
        ({"within": {("a", "x"): "1 s"}}, "JOIN_WINDOW"),
        ({"within": {("a", "a"): "1 s"}}, "JOIN_WINDOW"),
        ({"on": "a.k = x.k"}, "COLUMN_UNKNOWN"),
        ({"on": "a.k = speed"}, "COLUMN_UNKNOWN"),
        ({"on": "v > 3 AND a.k = b.k"}, "COLUMN_AMBIGUOUS"),
        ({"on": "a.k = b.site"}, "TYPE_MISMATCH"),
        ({"on": "a.k + b.k"}, "TYPE_MISMATCH"),
        ({"on": "a.k ="}, "SQL_UNPARSABLE"),
        ({"on": "a.v > 3"}, "JOIN_CARTESIAN"),
        ({"on": ()}, "JOIN_CARTESIAN"),
        ({"emit": "sometimes"}, "JOIN_EMIT"),
        ({"how": "full"}, "JOIN_OUTER"),
        ({"how": "sideways"}, "JOIN_OUTER"),
        ({"order": "(a c)"}, "JOIN_ORDER"),
        ({"order": "((a b)"}, "JOIN_ORDER"),
    ],
)
def test_a_join_that_cannot_be_is_refused(terms: dict[str, Any], condition: str) -> None:
    assert condition in conditions(joined("a", "b", **terms).query("q"))


def test_inputs_are_checked() -> None:
    one, other = named("a", "b")
    counted = other.window("5 s").group_by("k").aggregate(n="count(*)")
    pair = sw.join(one, other, on="k", within="1 s")
    assert conditions(sw.join(one, on="k", within="1 s").query("q")) == ["JOIN_SIZE"]
    many = [stream(name=f"s{n}") for n in range(21)]
    assert conditions(sw.join(*many, on="k", within="1 s").query("q")) == ["JOIN_SIZE"]
    assert conditions(sw.join(one, one, on="k", within="1 s").query("q")) == ["JOIN_NAMES"]
    assert conditions(sw.join(one, counted, on="k", within="1 s").query("q")) == ["JOIN_INPUT"]
    assert conditions(sw.join(one, pair, on="k", within="1 s").query("q")) == ["JOIN_INPUT"]
    bad = sw.join(one.where("speed > 1"), other, on="k", within="1 s").query("q")
    assert conditions(bad) == ["COLUMN_UNKNOWN"]


def test_contracts_belong_to_what_they_are_about() -> None:
    pair = joined("a", "b")
    counted = stream().window("5 s").aggregate(n="count(*)")
    assert conditions(pair.query("q", sw.max_error(0.1))) == ["CONTRACT_KIND"]
    assert conditions(counted.query("q", sw.min_recall(0.9))) == ["CONTRACT_KIND"]
    assert conditions(pair.query("q", sw.min_recall(1.5))) == ["CONTRACT_RANGE"]
    assert conditions(pair.query("q", sw.min_recall(0.9, confidence=1))) == ["CONTRACT_RANGE"]
    assert conditions(pair.query("q", sw.min_recall(0.9, over=0))) == ["CONTRACT_RANGE"]
    assert conditions(pair.query("q", sw.min_recall(0.9, method="guess"))) == ["CONTRACT_METHOD"]
    above = pair.window("5 s").aggregate(n="count(*)").query("q", sw.min_recall(0.9))
    assert plan(above).queries[0].recall is not None


@pytest.mark.parametrize(
    ("contract", "condition"),
    [
        ([], "CONTRACT_EMPTY"),
        (sw.max_error(1.5), "CONTRACT_RANGE"),
        (sw.max_error(0.1, confidence=0), "CONTRACT_RANGE"),
        (sw.max_error(0.1, of="m"), "CONTRACT_COLUMN"),
        (sw.max_error(0.1, method="guess"), "CONTRACT_METHOD"),
        ([sw.max_error(0.1), sw.max_error(0.2, method="model")], "CONTRACT_METHOD"),
        (sw.max_error(0.1, at_least="2 s", at_most="1 s"), "CONTRACT_LIMITS"),
    ],
)
def test_error_contracts_are_checked(contract: Any, condition: str) -> None:
    counted = stream().window("5 s").aggregate(n="count(*)")
    assert condition in conditions(counted.query("q", contract))


def test_error_contracts_need_one_level() -> None:
    twice = stream().window("5 s").aggregate(n="count(*)").window("10 s").aggregate(n="sum(n)")
    assert conditions(twice.query("q", sw.max_error(0.1))) == ["CONTRACT_LEVELS"]


def test_columns_are_called_by_stream_and_name() -> None:
    query = joined("a", "b").query("q")
    assert plan(query).queries[0].join is not None
    shown = join_of(query).output.names
    assert shown == (*(f"a_{c}" for c in ("ts", "k", "v", "site")), "b_ts", "b_k", "b_v", "b_site")


def test_only_columns_that_are_read_are_kept() -> None:
    query = joined("a", "b", on=["a.k = b.k", "a.v < b.v"]).select("a.site AS place").query("q")
    kept = {part.name: [name for name, _ in part.state.keys] for part in join_of(query).inputs}
    assert kept == {"a": ["a_k", "a_v", "a_site"], "b": ["b_k", "b_v"]}
    assert join_of(query).columns(frozenset({"a", "b"})) == ("a_site",)


def test_filters_above_and_predicates_on_one_stream_go_down() -> None:
    pair = joined("a", "b", on=["a.k = b.k", "a.v > 3"]).where("b.site = 'x' AND a.v < b.v")
    found = join_of(pair.query("q"))
    wheres = {p.name: p.state.where.sql if p.state.where else None for p in found.inputs}
    assert wheres == {"a": "`v` > 3", "b": "`site` = 'x'"}
    assert [p.expression.sql for p in found.graph.predicates] == ["`a_v` < `b_v`"]


def test_a_filter_above_may_connect_what_the_join_does_not() -> None:
    assert join_of(joined("a", "b", on=()).where("a.k = b.k").query("q")).graph.parts() == [
        frozenset({"a", "b"})
    ]
    assert len(join_of(joined("a", "b", on=(), cross=True).query("q")).graph.parts()) == 2


def test_equality_is_transitive() -> None:
    query = joined("a", "b", "c", on=["a.k = b.k", "c.k = b.k"]).query("q")
    graph = join_of(query).graph
    assert graph.equalities(frozenset({"a"}), frozenset({"c"})) == [("a_k", "c_k")]
    by_name = join_of(joined("a", "b", "c", on="k").query("q")).graph
    assert graph.classes == by_name.classes


def test_equal_columns_of_one_stream_filter_it() -> None:
    query = joined("a", "b", on=["a.k = b.k", "a.v = b.k"]).query("q")
    where = join_of(query).inputs[0].state.where
    assert where is not None
    assert where.sql == "`k` = `v`"
    assert len(equal_classes([("x", "y"), ("z", "y")], {"x": "a", "y": "b", "z": "a"})) == 1


def test_the_same_rows_have_the_same_identity_in_every_plan_of_a_query() -> None:
    deep, flat = (joined("a", "b", "c", order=order) for order in ("((a b) c)", "written"))
    assert len(plan(deep.query("deep"), flat.query("flat")).base_states) == 3
    one, other = join_of(deep.query("q")), join_of(flat.query("q"))
    pair = frozenset({"a", "b"})
    assert one.identity(pair) == other.identity(pair)
    assert one.identity(pair) != one.identity(frozenset({"b", "c"}))
    assert one.identity(pair) != join_of(deep.query("p")).identity(pair)  # another watermark
    apart = joined("a", "b", "c", within="6 s").query("q")
    assert join_of(apart).identity(pair) != one.identity(pair)


def test_rows_that_are_measured_are_kept_apart_and_shared_by_queries_of_one_clock() -> None:
    pair = joined("a", "b")
    strict, mild = (pair.query(name, sw.min_recall(g)) for name, g in (("s", 0.99), ("m", 0.9)))
    assert len(plan(pair.query("p"), strict).base_states) == 4
    assert len(plan(strict, mild).base_states) == 2
    patient = pair.query("q", sw.min_recall(0.9), idle="1 s")
    assert len(plan(strict, patient).base_states) == 4


def test_a_stream_may_be_joined_with_itself() -> None:
    readings = stream()
    query = sw.join(readings.named("x"), readings.named("y"), on="x.k = y.k", within="1 s")
    found = plan(query.query("q"))
    assert [s.name for s in found.streams] == ["r"]
    assert found.queries[0].streams == ("r",)
    assert [name for name, _ in found.queries[0].fed] == ["r", "r"]


@pytest.mark.spec("adaptive:SUB-10")
def test_the_order_of_probes_follows_sizes() -> None:
    graph = join_of(joined("a", "b", "c", on=["a.k = b.k", "b.v = c.v"]).query("q")).graph
    known = JoinStatistics(
        {"a": 10, "b": 1000, "c": 50}, {"a_k": 10, "b_k": 100, "b_v": 1000, "c_v": 50}
    )
    order, sizes = probe_order(graph, "b", known)
    assert order == ("c", "a")  # 50 / 1000 of a row each, then 10 / 100
    assert [round(size, 6) for size in sizes] == [0.05, 0.005]
    assert probe_order(graph, "a", known)[0] == ("b", "c")  # c alone would be a cartesian product
    assert ordered_mjoin(graph, known).orders == ((1, 2), (2, 0), (1, 0))


def test_the_plan_is_explained() -> None:
    query = joined("a", "b", "c", order="((a b) c)").query("q", sw.min_recall(0.9))
    text = explain_text(plan(query))
    for part in (
        "recall at least 0.9 in 0.95 of periods of 1min",
        "((a b) c)",
        "(a b) keeps its results",
    ):
        assert part in text
    assert "a_k = b_k = c_k" in text
    assert '"min_recall": 0.9' in explain_json(plan(query))
    assert '"confidence": 0.95' in explain_json(plan(query))


def test_the_confidence_of_a_recall_is_the_risk_of_its_controller() -> None:
    query = joined("a", "b").query("q", sw.min_recall(0.9, confidence=0.8))
    assert Recall.of(plan(query).queries[0]).params.risk == pytest.approx(0.2)


def test_instants_and_wall_clocks_are_not_joined() -> None:
    wall, instant = (
        Stream(StreamDef(name, Schema.of(ts=kind, k="bigint"), "ts"))
        for name, kind in (("w", "timestamp_ntz"), ("i", "timestamp"))
    )
    with pytest.raises(QueryError) as error:
        plan(sw.join(wall, instant, on="k", within="1 s").select("w.k AS k").query("q"))
    assert [problem.condition for problem in error.value.problems] == ["JOIN_TIMES"]
    assert "that of w is timestamp_ntz, that of i is timestamp" in str(error.value)


def outer(*optional: str, **terms: Any) -> Stream:
    given = {"on": "k", "within": "5 s", **terms}
    inputs = [one.optional() if one.name in optional else one for one in named("a", "b", "c")]
    return sw.join(*inputs, **given)


@pytest.mark.parametrize(
    ("joined_stream", "said"),
    [
        (joined("a", "b", how="full"), "ask for left and right in a query each"),
        (joined("a", "b", "c", how="right"), "a right join is one of two streams"),
        (outer("b", how="left"), "say it once"),
        (outer("a", "b", "c"), "every stream is optional"),
        (outer("c", on=["a.k = b.k", "b.v = c.v", "a.v > 1"]), "filter rows before the join"),
        (outer("b", "c", on=["a.k = b.k", "b.v = c.v"]), "about b and c"),
        (outer("b", "c", on=["k", "b.v < c.v"]), "optional both"),
        (outer("c", on=["a.k = c.k", "b.k = c.k"]), "a_k and b_k are equal only where"),
        (outer("b", "c", within={("a", "b"): "1 s", ("b", "c"): "1 s"}), "neither waits"),
        (outer("c").where("c.v > 1"), "never true where there is no row of c"),
        (outer("c").where("a.v + c.v = 1 AND a.k = 1"), "never true where there is no row of c"),
    ],
)
def test_an_outer_join_that_makes_no_sense_is_refused(joined_stream: Stream, said: str) -> None:
    with pytest.raises(QueryError) as caught:
        plan(joined_stream.query("q"))
    assert {problem.condition for problem in caught.value.problems} <= {"JOIN_OUTER", "JOIN_WINDOW"}
    assert said in str(caught.value)


def test_what_an_outer_join_cannot_be_asked_is_refused() -> None:
    left = joined("a", "b", how="left")
    counted = left.window("5 s").group_by("a.k AS k").aggregate(n="count(*)")
    assert conditions(left.query("q", sw.min_recall(0.9))) == ["JOIN_OUTER"]
    assert conditions(counted.query("q", late="revise")) == ["JOIN_OUTER"]
    assert "JOIN_OUTER" in conditions(left.query("q", rank=sw.rank("a.v > 1", budget=9)))
    assert conditions(left.query("q", resources=sw.resources(cpu=0.5))) == ["RESOURCES_PLACE"]
    assert conditions(
        named("a")[0].optional().window("5 s").aggregate(n="count(*)").query("q")
    ) == ["JOIN_OUTER"]
    assert conditions(outer("c", order="((a b) c)").query("q")) == ["JOIN_ORDER"]
    assert conditions(
        joined("a", "b", how="left", on="a.k = b.k", order="grouped (a b)").query("q")
    ) == ["JOIN_ORDER"]
    assert conditions(outer("c", on=["a.k = c.k", "b.v = c.v"]).query("q")) == ["JOIN_CARTESIAN"]
    one = outer("b", on=["a.k = b.k", "a.k = c.k"], order="(a b c)")
    assert join_of(one.query("q")).graph.optional == frozenset("b")


def test_windows_of_optional_streams_do_not_bound_the_required_ones() -> None:
    pairs = {("a", "b"): "9 s", ("a", "c"): "1 s", ("b", "c"): "2 s"}
    graph = join_of(outer("c", within=pairs).query("q")).graph
    assert graph.reach_between("a", "b") == 9_000_000
    assert graph.reach_between("c", "b") == 2_000_000
    assert graph.patience("c") == 10_000_000  # nine for a late row of a, one more
    text = explain_text(plan(outer("c", within=pairs).where("c.v IS NULL").query("q")))
    assert "rows without partner are answered after 9" in text
    assert "c: optional stream c" in text
    assert "where `c_v` IS NULL" in text
