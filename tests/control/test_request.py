"""Prods of people: which windows they ask for, and why there may be no answer."""

from __future__ import annotations

import math
from typing import Any

import pytest

from slackwater.control.request import (
    Reader,
    Request,
    Span,
    ends_asked,
    problem_of,
    request_of,
    understand,
    why_none,
)
from slackwater.errors import Problem
from slackwater.plan.window import Window
from slackwater.query.expression import Expression
from slackwater.query.schema import Schema
from slackwater.units import MINUTE, SECOND

RESULT = Schema.of(window_start="timestamp", window_end="timestamp", k="bigint", n="bigint")
WINDOW = Window(10 * SECOND, 5 * SECOND)
CLOCK, UPTO = 62 * SECOND, 55 * SECOND


def asked(text: str) -> Span:
    where = understand("q", RESULT, text)
    assert isinstance(where, Expression)
    return ends_asked(where, WINDOW.size)


@pytest.mark.spec("prodding:F14", "prodding:F25")
@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("k = 3", Span()),
        ("window_end = TIMESTAMP '1970-01-01 00:01:00'", Span(MINUTE, MINUTE)),
        ("window_end <= '1970-01-01 00:01:00'", Span(high=MINUTE)),
        ("TIMESTAMP '1970-01-01 00:01:00' > window_end", Span(high=MINUTE - 1)),
        ("window_start >= TIMESTAMP '1970-01-01 00:01:00'", Span(low=MINUTE + WINDOW.size)),
        (
            "k IN (1, 2) AND window_end BETWEEN '1970-01-01 00:00:50' AND '1970-01-01 00:01:00'",
            Span(50 * SECOND, MINUTE),
        ),
        ("k = 1 OR window_end = TIMESTAMP '1970-01-01 00:01:00'", Span()),
        ("window_end <= TIMESTAMP '1970-01-01 00:01:00' + INTERVAL '1' HOUR", Span()),
    ],
)
def test_time_is_read_out_of_a_predicate_as_far_as_it_is_certain(text: str, span: Span) -> None:
    assert asked(text) == span


@pytest.mark.parametrize(
    ("text", "reader", "at"),
    [
        ("TIMESTAMP '2026-07-01 00:00:00'", Reader(), 0),
        ("TIMESTAMP '2026-07-01 00:00:00'", Reader(zone="America/New_York"), 4 * 60),
        ("'2026-07-01T00:00:00+02:00'", Reader(zone="America/New_York"), -2 * 60),
        ("TIMESTAMP '2026-07-01 00:00:00'", Reader(zone="+05:30"), -5 * 60 - 30),
        ("DATE '2026-07-01'", Reader(zone="Asia/Tokyo"), -9 * 60),
        ("TIMESTAMP_NTZ '2026-07-01 00:00:00'", Reader("timestamp_ntz", "America/New_York"), 0),
        ("'2026-07-01 02:00:00+00:00'", Reader("timestamp_ntz", "America/New_York"), 2 * 60),
        ("TIMESTAMP '2026-07-01 00:00:00' + INTERVAL 1 HOUR", Reader(), None),
        ("TIMESTAMP '2026-07-01 00:00:00'", Reader(zone="Nowhere/Else"), None),
    ],
)
def test_times_are_read_in_the_zone_of_the_session(
    text: str, reader: Reader, at: int | None
) -> None:
    schema = Schema.of(window_end=reader.stamp)
    where = understand("q", schema, f"window_end = {text}")
    assert isinstance(where, Expression)
    july = 1_782_864_000 * SECOND
    wanted = Span() if at is None else Span(july + at * MINUTE, july + at * MINUTE)
    assert ends_asked(where, WINDOW.size, reader) == wanted


@pytest.mark.spec("prodding:F20")
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("window_end = TIMESTAMP '1970-01-01 00:01:00'", None),
        ("window_end = TIMESTAMP '1970-01-01 00:00:55'", "closed"),
        ("window_end <= TIMESTAMP '1970-01-01 00:00:10'", "closed"),
        ("window_end = TIMESTAMP '1970-01-01 00:02:00'", "in the future"),
        ("window_end = TIMESTAMP '1970-01-01 00:01:01'", "no window of this query ends at"),
        ("window_end > '1970-01-01 00:02:00' AND window_end < '1970-01-01 00:01:00'", "no time"),
    ],
)
def test_a_prod_for_a_window_that_is_not_open_says_why(text: str, reason: str | None) -> None:
    where = understand("q", RESULT, text)
    assert not isinstance(where, Problem)
    found = why_none(WINDOW, where, CLOCK, UPTO)
    assert found is None if reason is None else reason in str(found)


def test_before_the_first_row_there_is_nothing_to_say() -> None:
    assert why_none(WINDOW, None, None, None) == "nothing has arrived yet"


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("k =", "SQL_UNPARSABLE"),
        ("z = 1", "COLUMN_UNKNOWN"),
        ("k + 1", "TYPE_MISMATCH"),
        ("", "SQL_EMPTY"),
        (["k = 1"], "SQL_EMPTY"),
        ("k = '\ud800'", "TEXT_INVALID"),
        ("k IN (" + "1, " * 9_000 + "2)", "SQL_TOO_LONG"),
        ("(" * 3_000 + "k = 1" + ")" * 3_000, "SQL_TOO_DEEP"),
        ("NOT " * 2_000 + "k = 1", "SQL_TOO_DEEP"),
        ("max(n) > 1", "SQL_NOT_SCALAR"),
        ("row_number() OVER (ORDER BY n) = 1", "SQL_NOT_SCALAR"),
        ("explode(array(1, 2)) = 1", "SQL_UNSUPPORTED"),
        ("k = ?", "SQL_UNSUPPORTED"),
        ("k = 1; DROP TABLE said", "SQL_UNSUPPORTED"),
    ],
)
def test_a_predicate_that_cannot_be_understood_is_named(text: str, condition: str) -> None:
    found = understand("q", RESULT, text)
    assert isinstance(found, Problem)
    assert found.condition == condition


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "not an object"),
        ([], "not an object"),
        ({}, "query is None"),
        ({"query": {"a": 1}}, "query is {'a': 1}"),
        ({"query": "\ud800"}, "not a name"),
        ({"query": "q", "id": "x"}, "unknown: id"),
        ({"query": "q", "fault": "none"}, "unknown: fault"),
    ],
)
def test_a_value_that_is_no_request_is_told_why(value: object, text: str) -> None:
    found = request_of("p", value)
    assert isinstance(found, Problem)
    assert text in found.message
    assert "only query must be given" in found.hint


@pytest.mark.parametrize(
    ("terms", "place"),
    [
        ({"automatic": "yes"}, "automatic"),
        ({"automatic": True, "aggressiveness": 0.5}, ""),
        *(
            ({"aggressiveness": value}, "aggressiveness")
            for value in (math.nan, math.inf, -math.inf, 1e308, -1e308, 10**400, 2, "1", True, {})
        ),
        ({"where": "z = 1"}, ""),
        ({"aggressiveness": 0.5, "where": "z = 1"}, ""),
    ],
)
def test_a_request_with_a_field_that_cannot_be_is_refused(
    terms: dict[str, Any], place: str
) -> None:
    request = request_of("p", {"query": "q", **terms})
    assert isinstance(request, Request)
    found = problem_of(request, RESULT, WINDOW)
    assert found is not None
    assert found.where == "prod of query 'q'" + (f", {place}" if place else "")


@pytest.mark.parametrize("value", [0, 0.5, 1.9, -3, None])
def test_a_request_within_bounds_is_sound(value: float | None) -> None:
    assert problem_of(Request("p", "q", "k = 1", value), RESULT, WINDOW) is None
