from __future__ import annotations

import pytest

from slackwater.errors import Problem
from slackwater.plan.aggregate import take_apart
from slackwater.query.expression import Expression
from slackwater.query.schema import Schema

SCHEMA = Schema.of(v="double", n="int", name="string", m="map<string,int>")


def split(text: str) -> tuple[list[tuple[str, str]], str]:
    result = take_apart(Expression(text), SCHEMA, "here")
    assert not isinstance(result, Problem), result
    return [(p.sql, p.merge) for p in result[0]], result[1].sql


def refusal(text: str) -> Problem:
    result = take_apart(Expression(text), SCHEMA, "here")
    assert isinstance(result, Problem)
    return result


@pytest.mark.spec("prodding:F8")
@pytest.mark.parametrize(
    ("text", "partials"),
    [
        ("count(*)", [("count(*)", "sum")]),
        ("sum(n)", [("sum(n)", "sum")]),
        ("min(v)", [("min(v)", "min")]),
        ("max(v) - min(v)", [("max(v)", "max"), ("min(v)", "min")]),
        ("avg(n)", [("sum(CAST(n AS DOUBLE))", "sum"), ("count(n)", "sum")]),
        ("bool_or(n > 1)", [("bool_or(n > 1)", "bool_or")]),
    ],
)
def test_an_aggregate_is_kept_as_partials_that_merge(
    text: str, partials: list[tuple[str, str]]
) -> None:
    assert split(text)[0] == partials


@pytest.mark.spec("prodding:F11")
def test_an_average_is_never_averaged() -> None:
    partials, final = split("avg(v)")
    assert [merge for _, merge in partials] == ["sum", "sum"]
    assert "/" in final


def test_equal_parts_are_kept_once() -> None:
    partials, _ = split("sum(v) / count(v) + avg(v)")
    assert len(partials) == 3  # sum(v), count(v), sum(cast(v as double))


def test_a_filter_becomes_a_case_inside_the_aggregate() -> None:
    partials, _ = split("sum(v) FILTER (WHERE n > 3)")
    assert partials == [("sum(CASE WHEN n > 3 THEN v END)", "sum")]


def test_several_percentiles_share_one_sketch() -> None:
    partials, _ = split("approx_percentile(v, 0.9) - approx_percentile(v, 0.1)")
    assert [merge for _, merge in partials] == ["sum", "kll"]


@pytest.mark.parametrize(
    ("text", "partials", "final"),
    [
        ("median(v)", [("v", "value")], "MEDIAN"),
        ("percentile(v, 0.9) - median(v)", [("v", "value")], "PERCENTILE"),
        ("count(DISTINCT name, n)", [("name", "value"), ("n", "value")], "COUNT(DISTINCT"),
        ("array_agg(DISTINCT name)", [("name", "value")], "COLLECT_SET"),
        ("last(v, true)", [("last(v) FILTER (WHERE NOT (v) IS NULL)", "last")], "LAST"),
        (
            "collect_set(name) FILTER (WHERE n > 3)",
            [("CASE WHEN n > 3 THEN name END", "value")],
            "COLLECT_SET",
        ),
    ],
)
def test_an_exact_aggregate_keeps_values_and_is_read_off_them(
    text: str, partials: list[tuple[str, str]], final: str
) -> None:
    found, read = split(text)
    assert found == partials
    assert final in read


@pytest.mark.parametrize(
    ("text", "condition", "hint"),
    [
        ("sum(DISTINCT n)", "NOT_MERGEABLE", "first by n"),
        ("listagg(name)", "NOT_MERGEABLE", "collect_list(name)"),
        ("array_agg(v ORDER BY n)", "SQL_UNSUPPORTED", "collect_list(x)"),
        ("median(name)", "TYPE_MISMATCH", "CAST(name AS DOUBLE)"),
        ("collect_set(m)", "TYPE_MISMATCH", "parts"),
        ("percentile(v, 2)", "PERCENTILE_INVALID", "several aggregates"),
        ("percentile(v, array(0.1, 0.9))", "PERCENTILE_INVALID", "several aggregates"),
        ("skewness(v)", "NOT_MERGEABLE", "one of"),
        ("sum(name)", "TYPE_MISMATCH", "CAST(name AS DOUBLE)"),
        ("sum(max(v))", "AGGREGATE_NESTED", ""),
        ("sum(v) OVER (ORDER BY n)", "WINDOW_FUNCTION", ""),
        ("v + 1", "NOT_AN_AGGREGATE", "group_by"),
        ("sum(v) + n", "COLUMN_OUTSIDE_AGGREGATE", "group_by"),
        ("approx_percentile(v, 1.5)", "PERCENTILE_INVALID", "several"),
    ],
)
def test_what_is_neither_merged_nor_exact_is_refused_with_an_alternative(
    text: str, condition: str, hint: str
) -> None:
    problem = refusal(text)
    assert problem.condition == condition
    assert hint in problem.hint
