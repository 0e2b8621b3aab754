"""Names of SQL types in Spark's spelling, and which type two of them meet in (ANSI mode off)."""

from __future__ import annotations

import re
from typing import NamedTuple

WHOLE = ("tinyint", "smallint", "int", "bigint")
REAL = ("float", "double")
DIGITS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 20}
MOST = 38  # digits of a decimal
_LEAST_SCALE = 6
_SPELLINGS = {
    "byte": "tinyint",
    "short": "smallint",
    "integer": "int",
    "long": "bigint",
    "real": "float",
    "decimal": "decimal(10,0)",
    "dec": "decimal(10,0)",
    "numeric": "decimal(10,0)",
    "text": "string",
    "timestamp_ltz": "timestamp",
    "timestamptz": "timestamp",
    "timestampltz": "timestamp",
    "timestampntz": "timestamp_ntz",
    "null": "void",
    "unknown": "void",
}
DUCK = {
    "boolean": "BOOLEAN",
    "tinyint": "TINYINT",
    "smallint": "SMALLINT",
    "int": "INTEGER",
    "bigint": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "string": "VARCHAR",
    "binary": "BLOB",
    "date": "DATE",
    "timestamp": "TIMESTAMPTZ",
    "timestamp_ntz": "TIMESTAMP",
    "void": "INTEGER",
}


class Decimal(NamedTuple):
    """Digits in all, and behind the point."""

    precision: int
    scale: int

    @property
    def kind(self) -> str:
        return f"decimal({self.precision},{self.scale})"

    @property
    def whole(self) -> int:
        return self.precision - self.scale


def normal(kind: str) -> str:
    """The one spelling of a type: ``DECIMAL(10, 2)`` is ``decimal(10,2)``."""
    text = re.sub(r"\s+", "", kind.lower()) if "<" not in kind else kind
    if text.startswith(("varchar", "char")):
        return "string"
    text = re.sub(r"^(dec|numeric)\(", "decimal(", text)
    text = re.sub(r"^decimal\((\d+)\)$", r"decimal(\1,0)", text)
    return _SPELLINGS.get(text, text)


def is_decimal(kind: str) -> bool:
    return kind.startswith("decimal(")


def is_number(kind: str) -> bool:
    return kind in WHOLE or kind in REAL or is_decimal(kind)


def decimal_of(kind: str) -> Decimal:
    """The decimal that holds every value of a decimal or whole type."""
    if kind in DIGITS:
        return Decimal(DIGITS[kind], 0)
    precision, scale = kind.removeprefix("decimal(").rstrip(")").split(",")
    return Decimal(int(precision), int(scale))


def duck(kind: str) -> str:
    """A type as DuckDB calls it."""
    return kind.upper() if is_decimal(kind) else DUCK[kind]


def fitting(wanted: Decimal) -> Decimal:
    """A decimal that is too long gives up digits behind the point, but keeps six of them."""
    if wanted.precision <= MOST:
        return wanted
    scale = max(MOST - wanted.whole, min(wanted.scale, _LEAST_SCALE))
    return Decimal(MOST, scale)


def meeting(one: str, other: str) -> str | None:
    """The type in which two are compared or chosen from, ``None`` if none is safe."""
    if other in (one, "void"):
        return one
    if one == "void":
        return other
    if is_number(one) and is_number(other):
        return _number(one, other)
    if {one, other} == {"date", "timestamp"}:
        return "timestamp"
    return None


def _number(one: str, other: str) -> str | None:
    if is_decimal(one) or is_decimal(other):
        if one in REAL or other in REAL:
            return "double"
        left, right = decimal_of(one), decimal_of(other)
        scale = max(left.scale, right.scale)
        precision = max(left.whole, right.whole) + scale
        return Decimal(precision, scale).kind if precision <= MOST else None
    order = (*WHOLE, *REAL)
    return max(one, other, key=order.index)
