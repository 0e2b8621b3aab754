"""Functions whose result type follows from their arguments by a rule of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot import exp

from slackwater.query import operators, patterns
from slackwater.query.kinds import MOST, REAL, WHOLE, Decimal, decimal_of, duck, is_decimal
from slackwater.query.typed import Typed, UnsupportedError, together

Values = Sequence[Typed]
_MOST_ROUND = 15  # digits behind the point to which doubles are rounded
_MOST_EVEN = 4
_MOST_DECIMAL = MOST - 2


def _arguments(values: Values, least: int, most: int | None, name: str) -> None:
    if len(values) < least or (most is not None and len(values) > most):
        raise UnsupportedError(f"{name} with {len(values)} arguments")


def _first(values: Values) -> Typed:
    _arguments(values, 1, None, "coalesce")
    values = together(list(values), "coalesce of several types")
    return Typed(f"coalesce({', '.join(v.sql for v in values)})", values[0].kind)


def _chosen(values: Values) -> Typed:
    """``if(condition, a, b)``"""
    _arguments(values, 3, 3, "if")
    one, other = together(list(values[1:]), "if with results of several types")
    text = f"CASE WHEN {values[0].to('boolean').sql} THEN {one.sql} ELSE {other.sql} END"
    return Typed(text, one.kind)


def _nvl2(values: Values) -> Typed:
    _arguments(values, 3, 3, "nvl2")
    known = Typed(f"({values[0].sql} IS NOT NULL)", "boolean")
    return _chosen([known, *values[1:]])


def _null_if(values: Values) -> Typed:
    _arguments(values, 2, 2, "nullif")
    same = operators.compared(values[0], values[1], "=")
    text = f"CASE WHEN {same.sql} THEN NULL ELSE {values[0].sql} END"
    return Typed(text, values[0].kind)


def _extreme(name: str, sign: str) -> Callable[[Values], Typed]:
    def rule(values: Values) -> Typed:
        _arguments(values, 2, None, name)
        values = together(list(values), f"{name} of several types")
        operators.compared(values[0], values[1], "=")  # only what has an order
        if values[0].kind not in REAL:
            return Typed(f"{name}({', '.join(v.sql for v in values)})", values[0].kind)
        found = values[0].sql  # DuckDB's own forget the sign of zero
        for value in values[1:]:
            ahead = f"{value.sql} IS NULL OR {found} {sign} {value.sql}"
            found = f"CASE WHEN {ahead} THEN {found} ELSE {value.sql} END"
        return Typed(found, values[0].kind)

    return rule


def _is_null(word: str) -> Callable[[Values], Typed]:
    def rule(values: Values) -> Typed:
        _arguments(values, 1, 1, "isnull")
        return Typed(f"({values[0].sql} IS {word})", "boolean")

    return rule


def _joined(values: Values) -> Typed:
    _arguments(values, 1, None, "concat")
    return Typed(f"({' || '.join(v.to('string').sql for v in values)})", "string")


def _joined_with(values: Values) -> Typed:
    _arguments(values, 2, None, "concat_ws")
    return Typed(f"concat_ws({', '.join(v.to('string').sql for v in values)})", "string")


def _part(values: Values) -> Typed:
    """``split_part(text, delimiter, n)``"""
    _arguments(values, 3, 3, "split_part")
    text, mark, number = values
    if not mark.literal or number.literal in (None, "0", "-0"):
        hint = "give the delimiter (not empty) and the number (not 0) as literals"
        raise UnsupportedError("split_part with computed arguments", hint)
    sql = f"split_part({text.to('string').sql}, {mark.sql}, {number.to('int').sql})"
    return Typed(sql, "string")


def _sha2(values: Values) -> Typed:
    _arguments(values, 2, 2, "sha2")
    if values[1].literal not in ("256", "0"):
        raise UnsupportedError("sha2 of other lengths than 256 is not offered", "sha2(x, 256)")
    return Typed(f"sha256({values[0].to('string').sql})", "string")


def _matches(values: Values) -> Typed:
    _arguments(values, 2, 2, "rlike")
    pattern = values[1].literal
    made = None if pattern is None or values[1].kind != "string" else patterns.regular(pattern)
    if made is None:
        raise UnsupportedError(
            f"the pattern {pattern or 'of rlike'!r} may mean different things to Java and to RE2",
            "give a literal of plain characters, classes, groups, alternatives and repetitions",
        )
    quoted = exp.Literal.string(made).sql("duckdb")
    return Typed(f"regexp_matches({values[0].to('string').sql}, {quoted})", "boolean")


# rounding -------------------------------------------------------------------------------------


def _up_or_down(name: str) -> Callable[[Values], Typed]:
    """``ceil`` and ``floor``: bigint, or a decimal without fraction."""

    def rule(values: Values) -> Typed:
        if len(values) != 1:
            raise UnsupportedError(f"{name} to a number of digits", "round(x, n)")
        value = operators.number(values[0])
        if value.kind in WHOLE:
            return value.to("bigint")
        if not is_decimal(value.kind):
            return Typed(f"{name}({value.to('double').sql})", "double").to("bigint")
        found = decimal_of(value.kind)
        kind = _shorter(found, 0, name)
        text = f"{name}({value.sql})" if found.scale else value.sql
        return Typed(f"CAST({text} AS {duck(kind)})", kind)

    return rule


def _shorter(given: Decimal, scale: int, name: str) -> str:
    """The type of a rounded decimal, which may have a digit more before the point."""
    if given.precision > _MOST_DECIMAL:
        hint = f"cast it to a decimal with {_MOST_DECIMAL} digits at most first"
        raise UnsupportedError(f"{name} of {given.kind}", hint)
    return Decimal(given.whole + 1 + scale, scale).kind


def _digits(values: Values, name: str, most: int) -> int:
    _arguments(values, 1, 2, name)
    if len(values) == 1:
        return 0
    given = values[1].literal
    if given is None or values[1].kind != "int" or not 0 <= int(given) <= most:
        hint = f"{name}(x, n) with a literal n from 0 to {most}; for hundreds divide before"
        raise UnsupportedError(f"{name} to {given or 'computed'} digits", hint)
    return int(given)


def _rounded(values: Values) -> Typed:
    """Half up by the digits that a person sees: 2.675 is 2.68."""
    value, digits = operators.number(values[0]), _digits(values, "round", _MOST_ROUND)
    if value.kind in WHOLE:
        return value
    if value.kind in REAL:
        return _by_digits(value, f"CAST({{0}} AS DECIMAL(38,{digits}))")
    found = decimal_of(value.kind)
    kind = _shorter(found, min(found.scale, digits), "round")
    return Typed(f"CAST({value.sql} AS {duck(kind)})", kind)


def _rounded_even(values: Values) -> Typed:
    """Half to even, by the digits that a person sees."""
    value, digits = operators.number(values[0]), _digits(values, "bround", _MOST_EVEN)
    if value.kind in WHOLE:
        return value
    if value.kind in REAL:
        return _by_digits(value, _even("CAST({0} AS DECIMAL(38,22))", digits))
    found = decimal_of(value.kind)
    kind = _shorter(found, min(found.scale, digits), "bround")
    if found.scale <= digits:
        return Typed(f"CAST({value.sql} AS {duck(kind)})", kind)
    return Typed(f"CAST({_even(value.sql, digits)} AS {duck(kind)})", kind)


def _even(exact: str, digits: int) -> str:
    """Half to even of a decimal: half up, and one step back from an odd digit after a tie."""
    unit = f"CAST({operators.unit(digits)} AS DECIMAL(38,{digits}))"
    near = f"CAST(__d AS DECIMAL(38,{digits}))"
    tie = f"abs({near} - __d) * 2 = {unit}"
    odd = f"sw_unscaled({near}) % 2 <> 0"
    back = f"{near} - CASE WHEN __d < 0 THEN -{unit} ELSE {unit} END"
    chosen = f"CASE WHEN {tie} AND {odd} THEN {back} ELSE {near} END"
    return f"list_transform([{exact}], lambda __d: {chosen})[1]"


def _by_digits(value: Typed, rounding: str) -> Typed:
    """A double rounded by its shortest digits; one this large has nothing behind the point."""
    kind = duck(value.kind)
    made = rounding.format(f"CAST({value.sql} AS VARCHAR)")
    near = f"CAST(CAST({made} AS VARCHAR) AS {kind})"
    return Typed(f"CASE WHEN abs({value.sql}) < 1e16 THEN {near} ELSE {value.sql} END", value.kind)


def _pair(rule: Callable[[Typed, Typed], Typed], name: str) -> Callable[[Values], Typed]:
    def apply(values: Values) -> Typed:
        _arguments(values, 2, 2, name)
        return rule(values[0], values[1])

    return apply


def _one(rule: Callable[[Typed], Typed], name: str) -> Callable[[Values], Typed]:
    def apply(values: Values) -> Typed:
        _arguments(values, 1, 1, name)
        return rule(values[0])

    return apply


def _positive_modulo(left: Typed, right: Typed) -> Typed:
    return operators.modulo(left, right, positive=True)


RULES: dict[str, Callable[[Values], Typed]] = {
    "abs": _one(operators.absolute, "abs"),
    "negative": _one(operators.negated, "negative"),
    "positive": _one(operators.number, "positive"),
    "ceil": _up_or_down("ceil"),
    "ceiling": _up_or_down("ceil"),
    "floor": _up_or_down("floor"),
    "round": _rounded,
    "bround": _rounded_even,
    "mod": _pair(operators.modulo, "mod"),
    "pmod": _pair(_positive_modulo, "pmod"),
    "coalesce": _first,
    "ifnull": _first,
    "nvl": _first,
    "nvl2": _nvl2,
    "nullif": _null_if,
    "if": _chosen,
    "greatest": _extreme("greatest", ">="),
    "least": _extreme("least", "<="),
    "isnull": _is_null("NULL"),
    "isnotnull": _is_null("NOT NULL"),
    "concat": _joined,
    "concat_ws": _joined_with,
    "split_part": _part,
    "sha2": _sha2,
    "rlike": _matches,
    "regexp_like": _matches,
}
