from __future__ import annotations

import pytest

from slackwater.errors import Problem, SlackwaterError
from slackwater.query.expression import Expression, column, parse, type_of
from slackwater.query.monoid import monoid
from slackwater.query.schema import Schema

SCHEMA = Schema.of(ts="timestamp", Site="string", v="double", n="int", d="decimal(10,2)")


def test_names_are_matched_without_case_and_kept_in_the_schemas_spelling() -> None:
    parsed = parse("SITE", SCHEMA, "here")
    assert parsed == ("Site", Expression("`Site`"))


def test_an_alias_names_the_expression() -> None:
    parsed = parse("v * 2 AS twice", SCHEMA, "here")
    assert isinstance(parsed, tuple)
    assert parsed[0] == "twice"


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("nope + 1", "COLUMN_UNKNOWN"),
        ("t.v", "COLUMN_UNKNOWN"),
        ("v +", "SQL_UNPARSABLE"),
        ("v > (SELECT 1)", "SQL_NOT_SCALAR"),
        ("*", "SQL_NOT_SCALAR"),
        ("", "SQL_EMPTY"),
    ],
)
def test_what_cannot_be_used_is_a_problem_that_says_where(text: str, condition: str) -> None:
    problem = parse(text, SCHEMA, "query 'q', where")
    assert isinstance(problem, Problem)
    assert problem.condition == condition
    assert problem.where == "query 'q', where"


def test_an_unknown_column_lists_those_there_are() -> None:
    problem = parse("speed", SCHEMA, "here")
    assert isinstance(problem, Problem)
    assert "ts, Site, v, n, d" in problem.hint


@pytest.mark.parametrize(
    ("text", "kind"),
    [("v > 1", "boolean"), ("n + 1", "int"), ("v / n", "double"), ("upper(Site)", "string")],
)
def test_types_follow_from_the_columns(text: str, kind: str) -> None:
    parsed = parse(text, SCHEMA, "here")
    assert isinstance(parsed, tuple)
    assert type_of(parsed[1], SCHEMA) == kind


def test_the_same_tree_is_rendered_for_both_engines() -> None:
    parsed = parse("v / n <=> 1", SCHEMA, "here")
    assert isinstance(parsed, tuple)
    assert parsed[1].render("spark", SCHEMA) == "`v` / `n` IS NOT DISTINCT FROM 1"
    quotient = '("v" / nullif(CAST("n" AS DOUBLE), 0))'
    assert parsed[1].render("duckdb", SCHEMA) == (
        f"({quotient} IS NOT DISTINCT FROM CAST(1 AS DOUBLE))"
    )


def test_substitution_keeps_precedence() -> None:
    twice = Expression("`x` * 2").substitute({"x": Expression("`a` + `b`")})
    assert twice.sql == "(`a` + `b`) * 2"
    assert twice.columns == {"a", "b"}


def test_a_column_with_a_space_is_quoted() -> None:
    assert column("wind speed").render("duckdb", Schema.of(**{"wind speed": "int"})) == (
        '"wind speed"'
    )


@pytest.mark.spec("prodding:F8")
def test_a_monoid_is_a_named_expression_over_mergeable_aggregates() -> None:
    rms = monoid("sqrt(sum(x * x) / count(x))", "x")
    assert rms("v") == "SQRT(SUM((v) * (v)) / COUNT((v)))"
    with pytest.raises(SlackwaterError, match="MONOID_ARGUMENTS"):
        rms("v", "w")


@pytest.mark.parametrize("text", ["unix_date(d)", "sha1(s)"])
def test_a_function_is_written_by_the_name_it_was_read_with(text: str) -> None:
    schema = Schema.of(d="date", s="string")
    found = parse(text, schema, "here")
    assert isinstance(found, tuple), found
    again = parse(found[1].sql, schema, "here")
    assert again == found
    assert found[1].sql.lower().startswith(text.partition("(")[0])
