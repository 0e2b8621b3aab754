"""What is refused, and in which words; what is offered is compared with Spark in tests/spark."""

from __future__ import annotations

import pytest

from slackwater.errors import Problem
from slackwater.plan.aggregate import SUPPORTED
from slackwater.query import patterns
from slackwater.query.expression import Expression, parse, type_of
from slackwater.query.kinds import meeting, normal
from slackwater.query.schema import Schema

SCHEMA = Schema.of(
    ts="timestamp", day="date", s="string", v="double", n="int", big="bigint",
    d="decimal(10,2)", long="decimal(38,4)", tags="array<string>", flag="boolean",
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "said", "hint"),
    [
        ("hash(n)", "hash() is not offered", "md5"),
        ("no_such(n)", "no_such() is not offered", "DataFrame"),
        ("substrin(s, 1, 2)", "substrin() is not offered", "substring"),
        ("crc32(s)", "crc32() is not offered", "md5"),
        ("format_number(v, 2)", "format_number() is not offered", "round"),
        ("initcap(s)", "initcap() is not offered", "upper"),
        ("rand()", "rand() is not offered", "DataFrame"),
        ("current_timestamp()", "current_timestamp() is not offered", "window_end"),
        ("ts - ts", "is an interval", "unix_micros(a) - unix_micros(b)"),
        ("day - day", "is an interval", "datediff"),
        ("cast(s as timestamp)", "no cast from string to timestamp", "timestamp"),
        ("cast(tags as string)", "no cast from array<string> to string", "DataFrame"),
        ("ts > 'yesterday'", "'yesterday' is not read as a timestamp", "2026-01-31"),
        ("coalesce(n, s)", "int beside string", "cast"),
        ("upper(n)", "upper(int) is not offered", "upper takes (string)"),
        ("round(v, n)", "round to computed digits", "literal"),
        ("s rlike '(?=a)'", "may mean different things", "literal"),
        ("s like s", "is not offered", "literal pattern"),
        ("tags[0] = 'a'", "is not offered", "DataFrame"),
        ("long * long", "more than 38 digits", "double"),
        ("flag + 1", "no arithmetic with boolean", "CASE WHEN"),
        ("ts + 1", "no arithmetic with timestamp", "unix_micros"),
        ("ts + interval '1-2' year to month", "is not offered", "INTERVAL n"),
    ],
)
def test_what_may_mean_something_else_is_refused_with_the_way_round(
    text: str, said: str, hint: str
) -> None:
    problem = parse(text, SCHEMA, "query 'q'")
    assert isinstance(problem, Problem), problem
    assert problem.condition == "SQL_UNSUPPORTED"
    assert said in problem.message
    assert hint in problem.hint


def test_every_aggregate_that_is_offered_is_understood() -> None:
    offered = {name: f"{name}(n)" for name in SUPPORTED.split(", ")}
    offered |= {name: f"{name}(flag)" for name in ("count_if", "bool_and", "bool_or")}
    offered |= {name: f"{name}(n, 0.5)" for name in ("approx_percentile", "percentile")}
    offered["count(DISTINCT)"] = "count(DISTINCT n)"
    for name, text in offered.items():
        assert not isinstance(parse(text, SCHEMA, "query 'q'"), Problem), name
        assert type_of(Expression(text), SCHEMA) is not None, name


@pytest.mark.parametrize("text", ["tags = tags", "tags <> tags", "tags <=> tags", "pair = pair"])
def test_what_is_made_of_values_is_equal_or_not(text: str) -> None:
    schema = Schema.of(tags="array<string>", pair="struct<a:int,b:string>")
    assert not isinstance(parse(text, schema, "query 'q'"), Problem)
    assert type_of(Expression("count(CASE WHEN true THEN pair END)"), schema) == "bigint"
    [name, *_] = text.split()
    assert isinstance(parse(f"{name} < {name}", schema, "query 'q'"), Problem)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("sum(n)", "bigint"),
        ("avg(d)", "decimal(14,6)"),
        ("sum(d)", "decimal(20,2)"),
        ("sum(d) / count(*)", "decimal(38,20)"),
        ("avg(n)", "double"),
        ("max(day) + 1", "date"),
        ("n / 2", "double"),
        ("n + 1.5", "decimal(12,1)"),
        ("big * v", "double"),
        ("d * n", "decimal(21,2)"),
        ("case when flag then n else big end", "bigint"),
        ("count_if(flag)", "bigint"),
        ("null", None),
    ],
)
def test_types_are_those_of_spark(text: str, kind: str | None) -> None:
    parsed = parse(text, SCHEMA, "here")
    assert isinstance(parsed, tuple), parsed
    assert type_of(parsed[1], SCHEMA) == kind


def test_types_are_spelled_in_one_way() -> None:
    assert normal("DECIMAL(10, 2)") == normal("numeric(10,2)") == "decimal(10,2)"
    assert normal("LONG") == "bigint"
    assert normal("varchar(20)") == "string"
    assert meeting("int", "decimal(5,2)") == "decimal(12,2)"
    assert meeting("string", "int") is None


@pytest.mark.parametrize(
    "pattern", ["a++", "(?i)a", "(a)\\1", "[a&&b]", "[[a]]", "\\bword", "a{2", "(", "\\p{L}"]
)
def test_patterns_that_two_engines_read_differently_are_not_read(pattern: str) -> None:
    assert patterns.regular(pattern) is None


def test_patterns_that_both_read_are_kept_but_for_ends_of_lines() -> None:
    assert patterns.regular("^(?:a|b){2,3}[^c-e]+?\\.x*") == "^(?:a|b){2,3}[^c-e]+?\\.x*"
    assert "\\z" in str(patterns.regular("a$"))
    assert patterns.formatted("yyyy-MM-dd'T'HH:mm") == "%Y-%m-%dT%H:%M"
    assert patterns.formatted("EEEE") is None
