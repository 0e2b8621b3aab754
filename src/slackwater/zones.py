"""Time zones of a session: one name for Spark, DuckDB and Python.

Spark takes the names of regions, and offsets in several spellings; DuckDB knows offsets by one.
"""

from __future__ import annotations

import re
from datetime import UTC, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_OFFSET = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?(\d{1,2}))?(?::?(\d{2}))?")
_FIXED = {
    **dict.fromkeys(("Z", "UTC", "GMT", "UT", "Etc/UTC", "Etc/GMT", "Zulu", "Etc/Zulu"), 0),
    "EST": -5 * 3600,
    "MST": -7 * 3600,
    "HST": -10 * 3600,
}


def offset_of(zone: str) -> int | None:
    """Seconds to the east of UTC, if a zone is a fixed offset by its name.

    >>> offset_of("+05:30"), offset_of("UTC-3"), offset_of("Z"), offset_of("Europe/Berlin")
    (19800, -10800, 0, None)
    """
    if zone in _FIXED:
        return _FIXED[zone]
    found = _OFFSET.fullmatch(zone)
    if found is None:
        return None
    hours, minutes, seconds = (int(part or 0) for part in found.groups()[1:])
    size = 3600 * hours + 60 * minutes + seconds
    return size if found[1] == "+" else -size


def duckdb_name(zone: str) -> str:
    """A zone as DuckDB knows it.

    >>> duckdb_name("+05:30"), duckdb_name("Z"), duckdb_name("Europe/Berlin")
    ('GMT+05:30', 'UTC', 'Europe/Berlin')
    """
    offset = offset_of(zone)
    if not offset:
        return zone if offset is None else "UTC"
    hours, rest = divmod(abs(offset), 3600)
    minutes, seconds = divmod(rest, 60)
    sign = "+" if offset > 0 else "-"
    return f"GMT{sign}{hours:02}:{minutes:02}" + (f":{seconds:02}" if seconds else "")


def duckdb_setting(zone: str) -> str:
    """The statement that puts a DuckDB connection, and all cursors made of it, into a zone."""
    name = duckdb_name(zone).replace("'", "''")
    return f"SET GLOBAL TimeZone = '{name}'"


def tzinfo_of(zone: str) -> tzinfo | None:
    """A zone for Python's times; ``None`` if this machine does not know it.

    >>> tzinfo_of("Asia/Kolkata").key, tzinfo_of("UTC"), tzinfo_of("Nowhere/Else")
    ('Asia/Kolkata', datetime.timezone.utc, None)
    """
    offset = offset_of(zone)
    if offset is not None:
        return timezone(timedelta(seconds=offset)) if offset else UTC
    try:
        return ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def is_same_zone(one: str, other: str) -> bool:
    """Whether two names mean the same zone, as far as names tell."""
    return one == other or duckdb_name(one) == duckdb_name(other)
