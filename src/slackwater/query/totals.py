"""Aggregates over typed values: the ones that are kept per pane, and the types of all others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from slackwater.query.kinds import MOST, WHOLE, Decimal, decimal_of, duck, is_decimal, is_number
from slackwater.query.operators import is_ordered, scaled
from slackwater.query.typed import Typed, UnsupportedError

Of = Callable[[Any], Typed]
EXACT_DIGITS = 28  # of a decimal whose sum of a thousand million values surely fits
_MEAN_DIGITS = 20  # of a decimal whose mean of ten thousand values is surely rounded once
_COUNT = Decimal(20, 0)  # what Spark divides a sum of decimals by

_KEEPS: dict[type[exp.Expr], str] = {exp.Min: "min", exp.Max: "max"}
_BITS: dict[type[exp.Expr], str] = {
    exp.BitwiseAndAgg: "bit_and",
    exp.BitwiseOrAgg: "bit_or",
    exp.BitwiseXorAgg: "bit_xor",
}
_CONDITIONS: dict[type[exp.Expr], str] = {exp.LogicalAnd: "bool_and", exp.LogicalOr: "bool_or"}
_DOUBLES: dict[type[exp.Expr], str] = {
    exp.Variance: "var_samp",
    exp.VariancePop: "var_pop",
    exp.Stddev: "stddev_samp",
    exp.StddevSamp: "stddev_samp",
    exp.StddevPop: "stddev_pop",
    exp.ApproxQuantile: "approx_quantile",
}
_ENDS = (exp.First, exp.FirstValue, exp.AnyValue, exp.Last, exp.LastValue)
_NAMES: dict[str, type[exp.Expr]] = {
    "avg": exp.Avg,
    "bool_and": exp.LogicalAnd,
    "bool_or": exp.LogicalOr,
    "collect_list": exp.ArrayAgg,
    "array_agg": exp.ArrayAgg,
    "collect_set": exp.ArrayUniqueAgg,
}
NAMED = tuple(_NAMES)
SKETCHES = ("hll_sketch_agg", "kll_sketch_agg_double")


def is_known(node: exp.Expr) -> bool:
    """Whether an aggregate can be looked into here."""
    return type(node) in (*_RULES, exp.Count, exp.Median, exp.Quantile)


class OpaqueError(Exception):
    """An aggregate of which nothing is known here; the plan refuses it in words of its own."""


def total(node: Any, of: Of) -> Typed:
    """An aggregate call over what its argument is."""
    kind = type(node)
    if kind is exp.Count:
        return _count(node, of)
    if kind in (exp.Median, exp.Quantile):
        return _percentile(node, of)
    if isinstance(node.this, exp.Distinct) or kind not in _RULES:
        raise OpaqueError
    return _RULES[kind](of(node.this), kind)


def by_name(name: str, node: exp.Anonymous, of: Of) -> Typed | None:
    """An aggregate that is read as a plain function, ``None`` if it is none."""
    if name in SKETCHES:
        return _sketch(name, node, of)
    return total(_NAMES[name](this=node.expressions[0]), of) if node.expressions else None


def _count(node: Any, of: Of) -> Typed:
    if isinstance(node.this, exp.Star):
        return Typed("count(*)", "bigint")
    if isinstance(node.this, exp.Distinct):
        return _count_distinct([of(one) for one in node.this.expressions])
    if node.expressions:
        raise OpaqueError
    return Typed(f"count({of(node.this).sql})", "bigint")


def _count_distinct(values: list[Typed]) -> Typed:
    if len(values) == 1:
        return Typed(f"count(DISTINCT {values[0].sql})", "bigint")
    row = ", ".join(value.sql for value in values)
    known = " AND ".join(f"({value.sql}) IS NOT NULL" for value in values)
    return Typed(f"count(DISTINCT CASE WHEN {known} THEN row({row}) END)", "bigint")


def _percentile(node: Any, of: Of) -> Typed:
    """Interpolated between the two values beside the place, as Spark does."""
    share = node.args.get("quantile")
    if share is not None and not isinstance(share, exp.Literal):
        raise OpaqueError
    value = _number(of(node.this)).sql
    values = f"list({value} ORDER BY {value}) FILTER (WHERE {value} IS NOT NULL)"
    return Typed(f"sw_percentile({values}, {'0.5' if share is None else share.name})", "double")


def _listed(value: Typed, kind: Any) -> Typed:
    once = "DISTINCT " if kind is exp.ArrayUniqueAgg else ""
    text = f"list({once}{value.sql} ORDER BY {value.sql}) FILTER (WHERE {value.sql} IS NOT NULL)"
    return Typed(f"coalesce({text}, [])", f"array<{value.kind}>")


def _end(value: Typed, kind: Any) -> Typed:
    """By event time, which only the plan knows; here it is about types."""
    function = "last" if kind in (exp.Last, exp.LastValue) else "first"
    return Typed(f"{function}({value.sql})", value.kind)


def _count_if(value: Typed, _: Any) -> Typed:
    return Typed(f"count(CASE WHEN {value.to('boolean').sql} THEN 1 END)", "bigint")


def _sum(value: Typed, _: Any) -> Typed:
    if value.kind in WHOLE:
        return Typed(summed(value.sql, "bigint"), "bigint")
    if is_decimal(value.kind):
        found = decimal_of(value.kind)
        wanted = Decimal(min(MOST, found.precision + 10), found.scale).kind
        return Typed(summed(value.sql, wanted, found.precision), wanted)
    return Typed(f"sum({_number(value).sql})", "double")


def mean_of(total: str, count: str, kind: str) -> tuple[str, str]:
    """The mean of decimals from their sum and count, in Spark's words, and its type."""
    one = decimal_of(kind)
    if one.precision > _MEAN_DIGITS:
        hint = f"avg(CAST(... AS DOUBLE)), or a decimal with {_MEAN_DIGITS} digits at most"
        raise UnsupportedError(f"avg of {kind}", hint)
    found = Decimal(one.precision + 4, one.scale + 4).kind
    text = f"CAST({total} / CAST({count} AS {_COUNT.kind.upper()}) AS {found.upper()})"
    return f"CASE WHEN {count} > 0 THEN {text} END", found


def _average(value: Typed, _: Any) -> Typed:
    if not is_decimal(value.kind):
        return Typed(f"avg({_number(value).sql})", "double")
    _, kind = mean_of("", "", value.kind)
    digits = f"sw_unscaled({_sum(value, None).sql}) * 10000"
    text = f"sw_half_up({digits}, nullif(count({value.sql}), 0))"
    return Typed(scaled(text, decimal_of(kind)), kind)


def _number(value: Typed) -> Typed:
    if not is_number(value.kind):
        raise OpaqueError  # the plan says which aggregate needs a number
    return value.to("double")


def summed(value: str, kind: str, digits: int = MOST) -> str:
    """A sum of type ``kind`` in DuckDB: whole ones wrap around, decimals too long become null."""
    if kind == "bigint":
        return f"sw_long(sum({value}))"
    if is_decimal(kind):
        if digits > EXACT_DIGITS:
            return scaled(f"sw_sum_exact({value})", decimal_of(kind))
        return f"CAST(sum({value}) AS {duck(kind)})"
    return f"sum({value})"


def _kept(value: Typed, kind: Any) -> Typed:
    if not is_ordered(value.kind):
        raise UnsupportedError(f"{_KEEPS[kind]} of {value.kind}", "take it of its parts")
    return Typed(f"{_KEEPS[kind]}({value.sql})", value.kind)


def _bits(value: Typed, kind: Any) -> Typed:
    if value.kind not in WHOLE:
        raise UnsupportedError(f"{_BITS[kind]} of {value.kind}", "cast it to bigint")
    return Typed(f"{_BITS[kind]}({value.sql})", value.kind)


def _condition(value: Typed, kind: Any) -> Typed:
    if value.kind not in ("boolean", "void"):
        raise UnsupportedError(f"{_CONDITIONS[kind]} of {value.kind}", "give a condition")
    return Typed(f"{_CONDITIONS[kind]}({value.to('boolean').sql})", "boolean")


def _double(value: Typed, kind: Any) -> Typed:
    return Typed(f"{_DOUBLES[kind]}({_number(value).sql})", "double")


def _distinct(value: Typed, _: Any) -> Typed:
    return Typed(f"approx_count_distinct({value.sql})", "bigint")


def _sketch(name: str, node: exp.Anonymous, of: Of) -> Typed:
    size = node.expressions[1].name
    return Typed(f"{name}({sketched(node, of).sql}, {size})", "binary")


def sketched(node: Any, of: Of) -> Typed:
    """What a sketch is made of; texts of values are only ever compared with each other."""
    inner = node.expressions[0]
    try:
        return of(inner)
    except UnsupportedError:
        if node.name.lower() != SKETCHES[0] or not isinstance(inner, exp.Cast):
            raise
        return Typed(f"CAST({of(inner.this).sql} AS VARCHAR)", "string")


_RULES: dict[type[exp.Expr], Callable[[Typed, Any], Typed]] = {
    exp.Sum: _sum,
    exp.CountIf: _count_if,
    exp.Avg: _average,
    exp.ApproxDistinct: _distinct,
    exp.ArrayAgg: _listed,
    exp.ArrayUniqueAgg: _listed,
    **dict.fromkeys(_ENDS, _end),
    **dict.fromkeys(_KEEPS, _kept),
    **dict.fromkeys(_BITS, _bits),
    **dict.fromkeys(_CONDITIONS, _condition),
    **dict.fromkeys(_DOUBLES, _double),
}
