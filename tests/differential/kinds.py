"""Kinds of columns: their SQL and Arrow types, values on their edges, and how values compare."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICRO = timedelta(microseconds=1)


@dataclass(frozen=True)
class Kind:
    """A type of column. ``exact``: values compare bit by bit, not within a tolerance."""

    sql: str
    arrow: pa.DataType
    draw: Callable[[random.Random], Any] | None = None
    exact: bool = True

    @property
    def is_number(self) -> bool:
        return self.sql in ("int", "bigint", "double") or self.sql.startswith("decimal")

    @property
    def is_whole(self) -> bool:
        return self.sql in ("int", "bigint")


def decimal(precision: int, scale: int) -> Kind:
    def draw(draw: random.Random) -> Decimal:
        return Decimal(draw.randint(-9_999, 9_999)).scaleb(-scale)

    sql = f"decimal({precision},{scale})"
    return Kind(sql, pa.decimal128(precision, scale), draw)


def _double(draw: random.Random) -> float:
    edge = (math.nan, -0.0, 0.0, math.inf, -math.inf, 1e-9)
    return draw.choice(edge) if draw.random() < 0.15 else round(draw.uniform(-99, 99), 3)


TEXTS = (
    "", " ", "a", "A", "b", "ä", "日本語", "it's", 'say "hi"', "back\\slash", "$first", ":after",
    "null", "x" * 3000, "new\nline", "tab\t", "🙂", "%_", "e\u0301",
)  # fmt: skip
MOMENTS = (
    *("1969-12-31T23:59:59.999999", "1970-01-01T00:00:00", "2026-03-29T01:30:00.5"),
    # skipped in New York on the wall; as instants one hour of its clock, twice
    *("2026-03-08T02:30:00", "2026-03-08T03:30:00", "2026-11-01T05:30:00", "2026-11-01T06:30:00"),
)

INT = Kind("int", pa.int32(), lambda draw: draw.choice((0, 1, 2, 3, -1, 7, draw.randint(-50, 50))))
BIGINT = Kind("bigint", pa.int64(), lambda draw: draw.choice((0, 1, -1, 2, 10**12, -(10**12))))
DOUBLE = Kind("double", pa.float64(), _double)
SUM = Kind("double", pa.float64(), exact=False)
STRING = Kind("string", pa.string(), lambda draw: draw.choice(TEXTS))
BOOLEAN = Kind("boolean", pa.bool_(), lambda draw: draw.random() < 0.5)
DATE = Kind("date", pa.date32(), lambda draw: date(1969, 12, 30) + timedelta(draw.randint(0, 4)))
BINARY = Kind("binary", pa.binary(), lambda draw: draw.choice((b"", b"\x00", b"\xff\x00a", b"a")))
STAMP = Kind(
    "timestamp",
    pa.timestamp("us", "UTC"),
    lambda draw: datetime.fromisoformat(draw.choice(MOMENTS)).replace(tzinfo=UTC),
)
NTZ = Kind(
    "timestamp_ntz",
    pa.timestamp("us"),
    lambda draw: datetime.fromisoformat(draw.choice(MOMENTS)),
)
STRUCT = Kind(
    "struct<a:int,b:string>",
    pa.struct([("a", pa.int32()), ("b", pa.string())]),
    lambda draw: {"a": draw.randint(0, 1), "b": draw.choice(("x", None))},
)
PLAIN = (INT, BIGINT, DOUBLE, decimal(10, 2), STRING, BOOLEAN, DATE, STAMP)
ORDERED = (*PLAIN, BINARY, NTZ)  # what min and max take
ALL = (*ORDERED, STRUCT)


def freeze(value: Any) -> Any:
    """A value as it compares in groups: one NaN, one zero, structs by content, instants in UTC."""
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else value + 0.0
    if isinstance(value, dict):
        return tuple((name, freeze(part)) for name, part in value.items())
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.astimezone(UTC)
    return value


def rank(value: Any) -> Any:
    """The order of values: NaN is the largest number."""
    if isinstance(value, float):
        return (math.isnan(value), 0.0 if math.isnan(value) else value)
    return value.encode() if isinstance(value, str) else value


def micros(instant: datetime) -> int:
    if instant.tzinfo is None:
        instant = instant.replace(tzinfo=UTC)
    return (instant - EPOCH) // MICRO


def instant(at: int, *, wall: bool = False) -> datetime:
    """Microseconds as an instant, or as what a clock on the wall shows."""
    found = EPOCH + at * MICRO
    return found.replace(tzinfo=None) if wall else found


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same, numbers that were added up within a tolerance."""
    one, other = freeze(one), freeze(other)
    if isinstance(one, float) and isinstance(other, float):
        return one == other or math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-6)
    return type(one) is type(other) and bool(one == other)
