"""Arithmetic and comparison of typed values, as Spark does them with ANSI mode off."""

from __future__ import annotations

from slackwater.query.kinds import (
    MOST,
    REAL,
    WHOLE,
    Decimal,
    decimal_of,
    duck,
    fitting,
    is_decimal,
    is_number,
    meeting,
)
from slackwater.query.typed import Typed, UnsupportedError

_WRAP = {"tinyint": "sw_byte", "smallint": "sw_short", "int": "sw_int", "bigint": "sw_long"}
_SIGNED = 34
_WIDER = {"tinyint": "SMALLINT", "smallint": "INTEGER", "int": "BIGINT", "bigint": "HUGEINT"}


def number(value: Typed) -> Typed:
    """A value that is calculated with; a text is read as a double."""
    if value.kind in ("string", "void"):
        return value.to("double")
    if not is_number(value.kind):
        hint = {
            "timestamp": "unix_micros(...) makes a number of an instant",
            "date": "datediff, date_add and unix_date calculate with days",
            "boolean": "CASE WHEN ... THEN 1 ELSE 0 END makes a number of a condition",
        }
        raise UnsupportedError(f"no arithmetic with {value.kind}", hint.get(value.kind, ""))
    return value


def _pair(left: Typed, right: Typed) -> tuple[Typed, Typed, str]:
    """Two numbers in the type in which they are calculated; decimals keep their own."""
    left, right = number(left), number(right)
    if is_decimal(left.kind) or is_decimal(right.kind):
        if left.kind in REAL or right.kind in REAL:
            return left.to("double"), right.to("double"), "double"
        return _exact(left), _exact(right), "decimal"
    kind = meeting(left.kind, right.kind)
    if kind is None:
        raise UnsupportedError(f"no arithmetic with {left.kind} and {right.kind}")
    return left.to(kind), right.to(kind), kind


def _exact(value: Typed) -> Typed:
    """A whole number as the decimal that Spark makes of it; a literal is as long as it is."""
    if is_decimal(value.kind):
        return value
    if value.literal is not None:
        digits = len(value.literal.lstrip("+-").lstrip("0")) or 1
        return value.to(Decimal(digits, 0).kind)
    return value.to(decimal_of(value.kind).kind)


def plus(left: Typed, right: Typed, sign: str = "+") -> Typed:
    """``left + right`` or ``left - right``."""
    left, right, kind = _pair(left, right)
    if kind in WHOLE:
        return wrapped(left, right, sign)
    if kind != "decimal":
        return Typed(f"({left.sql} {sign} {right.sql})", kind)
    one, other = decimal_of(left.kind), decimal_of(right.kind)
    scale = max(one.scale, other.scale)
    wanted = Decimal(max(one.whole, other.whole) + scale + 1, scale)
    found = _kept(wanted, f"{left.kind} {sign} {right.kind}")
    same = Decimal(min(MOST, found.precision), scale).kind.upper()
    if wanted.precision <= MOST:
        text = f"CAST({left.sql} AS {same}) {sign} CAST({right.sql} AS {same})"
        return Typed(f"CAST({text} AS {duck(found.kind)})", found.kind)
    text = f"TRY_CAST({left.sql} AS {same}) {sign} TRY_CAST({right.sql} AS {same})"
    return Typed(f"TRY({text})", found.kind)


def times(left: Typed, right: Typed) -> Typed:
    left, right, kind = _pair(left, right)
    if kind in WHOLE:
        return wrapped(left, right, "*")
    if kind != "decimal":
        return Typed(f"({left.sql} * {right.sql})", kind)
    one, other = decimal_of(left.kind), decimal_of(right.kind)
    wanted = Decimal(one.precision + other.precision + 1, one.scale + other.scale)
    found = _kept(wanted, f"{left.kind} * {right.kind}")
    text = f"CAST({left.sql} AS DECIMAL(38,{one.scale})) * {right.sql}"
    if one.precision + other.precision > MOST:
        text = f"TRY({text})"
    return Typed(f"CAST({text} AS {duck(found.kind)})", found.kind)


def _kept(wanted: Decimal, what: str) -> Decimal:
    """The type of a result that loses no digits behind the point."""
    found = fitting(wanted)
    if found.scale < wanted.scale:
        raise UnsupportedError(
            f"{what} has more than {MOST} digits, of which some would be rounded away",
            "cast one of them to double, or to a decimal with fewer digits, first",
        )
    return found


def wrapped(left: Typed, right: Typed, sign: str) -> Typed:
    """Whole numbers wrap around, as in Java."""
    kind = left.kind
    text = f"CAST({left.sql} AS {_WIDER[kind]}) {sign} CAST({right.sql} AS {_WIDER[kind]})"
    return Typed(f"{_WRAP[kind]}({text})", kind)


def over(left: Typed, right: Typed) -> Typed:
    """``left / right``: null for a zero; whole numbers give a double."""
    left, right = number(left), number(right)
    if not (is_decimal(left.kind) or is_decimal(right.kind)) or {left.kind, right.kind} & set(REAL):
        left, right = left.to("double"), right.to("double")
        return Typed(f"({left.sql} / nullif({right.sql}, 0))", "double")
    left, right = _exact(left), _exact(right)
    one, other = decimal_of(left.kind), decimal_of(right.kind)
    scale = max(6, one.scale + other.precision + 1)
    wanted = Decimal(one.whole + other.scale + scale, scale)
    found = fitting(wanted)
    if wanted.whole + found.scale > MOST:
        raise UnsupportedError(
            f"{left.kind} / {right.kind} may have more than {MOST} digits",
            "cast one of them to double, or to a decimal with fewer digits, first",
        )
    shift = 10 ** (found.scale - one.scale + other.scale)
    text = f"sw_half_up(sw_unscaled({left.sql}) * {shift}, nullif(sw_unscaled({right.sql}), 0))"
    return Typed(scaled(text, found), found.kind)


def scaled(unscaled: str, kind: Decimal) -> str:
    """A decimal from its digits as a whole number."""
    whole = f"CAST({unscaled} AS DECIMAL(38,0))"
    if kind.scale == 0:
        return f"CAST({whole} AS {duck(kind.kind)})"
    return f"CAST({whole} * {unit(kind.scale)} AS {duck(kind.kind)})"


def unit(scale: int) -> str:
    """The smallest decimal with so many digits behind the point."""
    return f"CAST('0.{'1'.rjust(scale, '0')}' AS DECIMAL({scale},{scale}))" if scale else "1"


def whole_over(left: Typed, right: Typed) -> Typed:
    """``left div right``: always a bigint."""
    if left.kind not in (*WHOLE, "void") or right.kind not in (*WHOLE, "void"):
        raise UnsupportedError(
            f"{left.kind} div {right.kind}", "div is offered for whole numbers; cast to bigint"
        )
    one, other = left.to("bigint").sql, right.to("bigint").sql
    text = f"CAST({one} AS HUGEINT) // nullif({other}, 0)"
    return Typed(f"sw_long({text})", "bigint")


def modulo(left: Typed, right: Typed, *, positive: bool = False) -> Typed:
    """``left % right`` has the sign of ``left``; ``positive`` (pmod) follows ``right``."""
    left, right, kind = _pair(left, right)
    if kind == "decimal":
        raise UnsupportedError(
            f"{left.kind} % {right.kind}", "cast both to double or bigint, or use floor"
        )
    wide = _WIDER.get(kind, duck(kind))
    one = f"CAST({left.sql} AS {wide})" if kind in WHOLE else left.sql
    other = f"nullif(CAST({right.sql} AS {wide}), 0)"
    text = f"({one} % {other})"
    if positive:  # Java adds before it takes the rest again, and wraps around
        around = (
            f"{_WRAP[kind]}(__r + {other})" if kind in ("int", "bigint") else f"(__r + {other})"
        )
        again = f"CASE WHEN __r < 0 THEN {around} % {other} ELSE __r END"
        text = f"list_transform([{text}], lambda __r: {again})[1]"
    return Typed(f"CAST({text} AS {duck(kind)})", kind)


def negated(value: Typed) -> Typed:
    if value.literal is not None and value.kind != "string":
        return Typed(f"(-{value.literal})", value.kind, f"-{value.literal}")
    value = _signed(number(value))
    if value.kind in WHOLE:
        return wrapped(Typed("0", value.kind), value, "-")
    return Typed(f"(-{value.sql})", value.kind)


def _signed(value: Typed) -> Typed:
    """Spark rounds a decimal with more digits than these when it changes its sign."""
    if is_decimal(value.kind) and decimal_of(value.kind).precision > _SIGNED:
        raise UnsupportedError(
            f"the sign of {value.kind} is not changed exactly",
            f"cast it to a decimal with {_SIGNED} digits at most first",
        )
    return value


def absolute(value: Typed) -> Typed:
    value = _signed(number(value))
    if value.kind in WHOLE:
        return Typed(f"{_WRAP[value.kind]}(abs(CAST({value.sql} AS HUGEINT)))", value.kind)
    return Typed(f"abs({value.sql})", value.kind)


def compared(left: Typed, right: Typed, sign: str) -> Typed:
    """A comparison; a text is read as what stands on the other side."""
    if not (sign in _SAME and left.kind == right.kind and left.kind.startswith(_NESTED)):
        left, right = _comparable(left, right)
    return Typed(f"({left.sql} {sign} {right.sql})", "boolean")


def _comparable(left: Typed, right: Typed) -> tuple[Typed, Typed]:
    if left.kind != right.kind and "string" in (left.kind, right.kind):
        other = right.kind if left.kind == "string" else left.kind
        kind = "double" if is_decimal(other) else other
        if other == "boolean":
            raise UnsupportedError("a text beside a boolean", "cast one of them")
        return left.to(kind), right.to(kind)
    if is_decimal(left.kind) or is_decimal(right.kind):
        if left.kind in WHOLE and left.literal is not None:
            left = _exact(left)
        if right.kind in WHOLE and right.literal is not None:
            right = _exact(right)
    met = meeting(left.kind, right.kind)
    if met is None or not is_ordered(met):
        raise UnsupportedError(f"{left.kind} compared with {right.kind}", "cast one of them")
    return left.to(met), right.to(met)


_SAME = ("=", "<>", "IS NOT DISTINCT FROM")
_NESTED = ("struct<", "array<")  # equal if all they hold is, nulls inside included
_ORDERED = ("boolean", "string", "binary", "date", "timestamp", "timestamp_ntz", "void")


def is_ordered(kind: str) -> bool:
    return is_number(kind) or kind in _ORDERED
