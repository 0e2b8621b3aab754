"""Python functions among the steps of a query: what is planned of them, and what is refused."""

from __future__ import annotations

import functools
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

import slackwater as sw
from slackwater.plan.build import check
from slackwater.plan.explain import explain_text
from slackwater.plan.stage import PipelinePlan, lay_out
from slackwater.query.stream import Query, Stream
from slackwater.replay.interpreter import Interpreter
from tests.driver import readings


def f(v: Any) -> Any: ...


def g(k: Any, v: Any, limit: int = 3) -> Any: ...


def h(rows: pa.RecordBatch) -> Any: ...  # type: ignore[name-defined] # noqa: F821 - told by name


class Model:
    def __call__(self, v: Any) -> Any: ...


def counted(stream: Stream, **terms: Any) -> Query:
    return stream.window("10 s").aggregate(n="count(*)").query("q", **terms)


def planned(*streams: Stream) -> PipelinePlan:
    asked = [replace(counted(one), name=f"q{n}") for n, one in enumerate(streams)]
    return lay_out(check(asked))


def problems(stream: Stream, **terms: Any) -> list[tuple[str, str]]:
    with pytest.raises(sw.QueryError) as refused:
        check([counted(stream, **terms)])
    return [(one.condition, f"{one.message} {one.hint}") for one in refused.value.problems]


def test_filters_that_commute_are_one_link_after_the_sql_between_them() -> None:
    stream = readings().where("v > 0").where(f).where("k > 0").where(g).where("k < 9")
    [link] = planned(stream).streams[0].links
    assert [call.name for call in link.calls] == ["f", "g"]
    assert [[name for name, _ in call.inputs] for call in link.calls] == [["v"], ["k", "v"]]
    assert link.guard is not None
    assert link.guard.sql == "(`v` > 0) AND (`k` > 0)"
    assert link.order == "robust"


def test_what_keeps_its_place_is_a_link_of_its_own() -> None:
    stream = readings().where(f).where(g, order="written").where(h).where(f, effects=True, name="e")
    links = (
        planned(stream.apply(Model(), "double", name="m").where(f, name="last")).streams[0].links
    )
    assert [[call.name for call in link.calls] for link in links] == [
        ["f"], ["g"], ["h"], ["e"], ["m"], ["last"],
    ]  # fmt: skip
    for before, after in pairwise(links):
        if before.is_filter:
            assert after.guard is not None
            assert before.outputs[0].name in after.guard.columns


def test_an_order_of_commuting_filters_means_what_another_does() -> None:
    one, other = readings().where(f).where(g), readings().where(g).where(f)
    plan = planned(one, other)
    assert len(plan.streams[0].links) == 1
    assert len(plan.base_states) == 1
    assert planned(one).identity == planned(other).identity
    assert planned(one).identity != planned(readings().where(f)).identity


def test_only_columns_that_are_read_are_asked_of_a_source() -> None:
    assert planned(readings().where(f)).streams[0].columns == ("v",)
    assert planned(readings().where(h)).streams[0].columns == ("ts", "k", "v")


def test_names_follow_from_what_is_given() -> None:
    links = planned(readings().where(Model()).where(lambda v: v, name="positive")).streams[0].links
    assert [call.name for call in links[0].calls] == ["Model", "positive"]


JOINED = sw.join(readings(name="a"), readings(name="b"), on="k", within="1 s")
SUMS = readings().window("1 s").aggregate(v="sum(v)")


@pytest.mark.parametrize(
    ("stream", "condition", "said"),
    [
        (readings().where(lambda v: v), "FUNCTION_NAME", "<lambda> has no name"),
        (readings().where(functools.partial(g, limit=1)), "FUNCTION_NAME", "name="),
        (readings().where(f, name="__x"), "FUNCTION_NAME", "no name"),
        (readings().where(lambda *v: v, name="f"), "FUNCTION_PARAMETERS", "*args"),
        (readings().where(lambda: True, name="f"), "FUNCTION_PARAMETERS", "no parameters"),
        (readings().where(lambda x=1: x, name="f"), "FUNCTION_PARAMETERS", "reads no column"),
        (readings().where(lambda v, /: v, name="f"), "FUNCTION_PARAMETERS", "before /"),
        (readings().where(lambda w: w, name="f"), "COLUMN_UNKNOWN", "columns here: ts, k, v"),
        (readings().where("v > 0", effects=True), "FUNCTION_KIND", "v > 0"),
        (readings().where(f, order="best"), "FUNCTION_ORDER", "robust, adaptive, written"),
        (readings().where(f, order="robust", effects=True), "FUNCTION_ORDER", "keeps its place"),
        (readings().where(f).where(f), "FUNCTION_TWICE", "'f'"),
        (readings().apply(f, "money"), "FUNCTION_RETURNS", "decimal(p,s)"),
        (readings().apply(f, {}), "FUNCTION_RETURNS", "no column"),
        (readings().apply(f, 3), "FUNCTION_RETURNS", ""),  # type: ignore[arg-type]
        (readings().apply(f, {"v": "double"}), "NAME_TWICE", "'v'"),
        (readings().apply(f, {"__v": "double"}), "NAME_RESERVED", "__v"),
        (JOINED.where(f), "FUNCTION_PLACE", "above a join"),
        (SUMS.where(f), "FUNCTION_PLACE", "results of an aggregate"),
        (readings().costly(5).where(f), "FUNCTION_PLACE", "wait for their turn"),
    ],
)
def test_what_is_no_function_over_rows_is_refused(
    stream: Stream, condition: str, said: str
) -> None:
    found = problems(stream)
    assert (condition, True) in [(one, said in text) for one, text in found]


def test_all_problems_of_a_query_are_told_at_once() -> None:
    stream = readings().where(lambda v: v).apply(f, "money").where("w > 1")
    assert [one for one, _ in problems(stream)] == [
        "FUNCTION_NAME",
        "FUNCTION_RETURNS",
        "COLUMN_UNKNOWN",
    ]


def test_two_functions_of_one_name_are_told_apart() -> None:
    one, other = (readings().where(lambda v: v, name="f") for _ in range(2))
    asked = [replace(counted(s), name=f"q{n}") for n, s in enumerate((one, other))]
    with pytest.raises(sw.QueryError) as refused:
        check(asked)
    assert [one.condition for one in refused.value.problems] == ["FUNCTION_TWICE"]


def test_a_plan_tells_of_functions_by_their_names() -> None:
    stream = readings().where("v > 0").where(f).where(g).apply(h, {"x": "double"}).where("x > 1")
    text = explain_text(planned(stream))
    assert "where ((`v` > 0) AND (f and g)) AND (x > 1)" in text
    assert "  filters by f, g in an order for each batch (robust), after `v` > 0" in text
    assert "  computes x double by h, after (`v` > 0) AND (f and g)" in text
    assert "__" not in text


def test_the_interpreter_says_that_it_calls_no_functions() -> None:
    plan = planned(readings().where(f)).queries[0]
    with pytest.raises(sw.SlackwaterError, match=r"does not call Python functions \(f\)"):
        Interpreter(plan, "ts")


def test_too_many_filters_commute() -> None:
    stream = readings()
    for number in range(13):
        stream = stream.where(f, name=f"f{number}")
    assert [one for one, _ in problems(stream)] == ["FUNCTION_MANY"]
