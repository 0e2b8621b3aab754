"""Durations, instants and identifiers.

All durations and instants are integer microseconds, the resolution of Spark's ``TIMESTAMP``;
instants count from the epoch in UTC.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from datetime import UTC, datetime, timedelta
from typing import Any

from slackwater.errors import SlackwaterError

MICROSECOND = 1
MILLISECOND = 1_000
SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR

BEGIN_OF_TIME, END_OF_TIME = -(1 << 61), 1 << 61  # before and after every instant

_UNITS = {
    **dict.fromkeys(("us", "µs", "microsecond", "microseconds"), MICROSECOND),
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), MILLISECOND),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), SECOND),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), MINUTE),
    **dict.fromkeys(("h", "hour", "hours"), HOUR),
    **dict.fromkeys(("d", "day", "days"), DAY),
    **dict.fromkeys(("w", "week", "weeks"), 7 * DAY),
}
_PART = re.compile(r"\s*([+-]?\d+(?:\.\d+)?)\s*([a-zµ]+)\s*,?")
_NAMES = ((DAY, "d"), (HOUR, "h"), (MINUTE, "min"), (SECOND, "s"), (MILLISECOND, "ms"))

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

DurationLike = str | int | float | timedelta


def duration(value: DurationLike) -> int:
    """Microseconds of a duration given as text, number of seconds or ``timedelta``.

    >>> duration("10 seconds"), duration("1m 30s"), duration(0.5)
    (10000000, 90000000, 500000)
    """
    if isinstance(value, timedelta):
        return round(value / timedelta(microseconds=1))
    if isinstance(value, bool):
        raise _bad_duration(value)
    if isinstance(value, int | float):
        try:
            return round(value * SECOND)
        except (ValueError, OverflowError):  # not a number, or without end
            raise _bad_duration(value) from None
    return _parse_duration(value)


def _parse_duration(text: str) -> int:
    position, total = 0, 0.0
    lowered = text.strip().lower()
    while position < len(lowered):
        part = _PART.match(lowered, position)
        if part is None or part[2] not in _UNITS:
            raise _bad_duration(text)
        total += float(part[1]) * _UNITS[part[2]]
        position = part.end()
    if position == 0 or math.isinf(total):
        raise _bad_duration(text)
    return round(total)


def _bad_duration(value: object) -> SlackwaterError:
    return SlackwaterError(
        "DURATION_INVALID",
        f"{value!r} is not a duration",
        'write a number and a unit, e.g. "10 seconds", "500 ms", "1m 30s", "2 hours", "1 day"',
    )


def show_duration(micros: int) -> str:
    """The shortest exact text of a duration.

    >>> show_duration(90_000_000), show_duration(0), show_duration(1_500)
    ('1min 30s', '0s', '1.5ms')
    """
    if micros < 0:
        return f"-{show_duration(-micros)}"
    parts, rest = [], micros
    for size, name in _NAMES[:-1]:
        count, rest = divmod(rest, size)
        if count:
            parts.append(f"{count}{name}")
    if rest:
        parts.append(f"{rest / MILLISECOND:g}ms")
    return " ".join(parts) or "0s"


def show_instant(micros: int | None) -> str:
    """An instant as ISO 8601 text in UTC, ``-`` when unknown.

    >>> show_instant(0)
    '1970-01-01T00:00:00Z'
    """
    if micros is None:
        return "-"
    try:
        text = (EPOCH + timedelta(microseconds=micros)).isoformat()
    except OverflowError:
        return f"{micros}us"
    return text.replace("+00:00", "Z")


def floor_to(instant: int, width: int) -> int:
    """Largest multiple of ``width`` that is not after ``instant`` (also before the epoch)."""
    return instant - instant % width


def ceil_to(duration: int, width: int) -> int:
    """Smallest multiple of ``width`` that is not below ``duration``."""
    return -(-duration // width) * width


def upper_edge(micros: int) -> int:
    """The smallest of 1, 2, 5, 10, 20, 50, ... milliseconds that a duration does not exceed.

    >>> upper_edge(3_400_000), upper_edge(50_000), upper_edge(0)
    (5000000, 50000, 1000)
    """
    decade = MILLISECOND
    while micros > 5 * decade:
        decade *= 10
    return next(step * decade for step in (1, 2, 5) if micros <= step * decade)


def fingerprint(value: Any) -> str:
    """A short stable identifier of any JSON value."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
