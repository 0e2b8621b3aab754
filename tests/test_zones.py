"""Time zones by the names that Spark takes, as DuckDB and Python read them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import duckdb
import pytest

from slackwater.zones import duckdb_name, duckdb_setting, is_same_zone, offset_of, tzinfo_of

NAMES = (
    *("UTC", "Z", "GMT", "Etc/UTC", "+05:30", "-08:00", "+5", "GMT+5", "UTC+05:30", "UT-01:00"),
    *("+05:30:15", "EST", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Asia/Kathmandu"),
    *("Australia/Lord_Howe", "America/Sao_Paulo", "Africa/Cairo", "Pacific/Apia"),
)


@pytest.mark.parametrize("zone", NAMES)
def test_duckdb_and_python_show_the_same_clock(zone: str) -> None:
    place = tzinfo_of(zone)
    assert place is not None
    first = datetime(2025, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)
    moments = [first + timedelta(hours=97 * number, minutes=15) for number in range(92)]
    with duckdb.connect() as duck:
        duck.execute(duckdb_setting(zone))
        rows = ", ".join(f"({(at - first) // timedelta(microseconds=1)})" for at in moments)
        text = f"make_timestamptz(t + {round(first.timestamp() * 1_000_000)})::TIMESTAMP"
        found = duck.cursor().sql(f"SELECT {text} FROM (VALUES {rows}) v(t)").fetchall()
    assert [row[0] for row in found] == [
        at.astimezone(place).replace(tzinfo=None) for at in moments
    ]


def test_names_of_offsets_are_told_apart_from_regions() -> None:
    assert [offset_of(zone) for zone in ("Z", "GMT-3", "+05:30", "UTC+0530")] == [
        *(0, -3 * 3600, 19800, 19800)
    ]
    assert offset_of("Europe/Berlin") is None
    assert duckdb_name("-00:30") == "GMT-00:30"
    assert tzinfo_of("Nowhere/Else") is None


def test_a_zone_may_have_several_names() -> None:
    assert is_same_zone("UTC", "Etc/UTC")
    assert is_same_zone("+02:00", "GMT+2")
    assert not is_same_zone("Europe/Berlin", "Europe/Paris")
