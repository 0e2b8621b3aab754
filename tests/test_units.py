from __future__ import annotations

import math
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import SlackwaterError
from slackwater.units import (
    duration,
    fingerprint,
    floor_to,
    show_duration,
    show_instant,
    upper_edge,
)


@pytest.mark.parametrize(
    ("text", "micros"),
    [
        ("10 seconds", 10_000_000),
        ("500ms", 500_000),
        ("1m 30s", 90_000_000),
        ("1 hour, 5 min", 3_900_000_000),
        ("2 days", 172_800_000_000),
        ("-3 s", -3_000_000),
        (0.25, 250_000),
        (3, 3_000_000),
        (timedelta(milliseconds=7), 7_000),
    ],
)
def test_durations_are_read_as_people_write_them(text: object, micros: int) -> None:
    assert duration(text) == micros  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    ["", "soon", "10", "10 parsecs", "5 s later", True, math.nan, -math.inf, "9" * 400 + " s"],
)
def test_what_is_no_duration_is_refused_with_examples(text: object) -> None:
    with pytest.raises(SlackwaterError, match=r"DURATION_INVALID.*\n.*10 seconds"):
        duration(text)  # type: ignore[arg-type]


@given(st.integers(0, 10**15))
def test_a_shown_duration_reads_back_as_itself(micros: int) -> None:
    assert duration(show_duration(micros)) == micros


@given(st.integers(-(10**17), 10**17), st.integers(1, 10**12))
def test_floor_is_a_multiple_at_or_before_the_instant(instant: int, width: int) -> None:
    floor = floor_to(instant, width)
    assert floor % width == 0
    assert floor <= instant < floor + width


def test_instants_are_shown_in_utc_and_unknown_as_a_dash() -> None:
    assert show_instant(1_700_000_000_500_000) == "2023-11-14T22:13:20.500000Z"
    assert show_instant(None) == "-"


def test_fingerprints_do_not_depend_on_the_order_of_keys() -> None:
    assert fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})
    assert fingerprint({"a": 1}) != fingerprint({"a": 2})


@given(st.integers(0, 10**15))
def test_the_upper_edge_is_the_next_of_a_few(micros: int) -> None:
    edge = upper_edge(micros)
    assert micros <= edge
    assert edge <= max(1_000, 2.5 * micros)
    assert str(edge).strip("0") in ("1", "2", "5")
