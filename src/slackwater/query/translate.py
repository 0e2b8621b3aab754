"""From Spark SQL to DuckDB with the types at hand, so that an expression means the same in both.

Every node of the tree has a rule here, or a line in a table (functions, casts); the rest is
refused with the nearest that there is.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlglot import exp

from slackwater.query import operators, patterns, totals
from slackwater.query.flat import read_flat
from slackwater.query.functions import BY_NAME, DAY_UNITS, INSTEAD, UNITS, Form
from slackwater.query.kinds import WHOLE, Decimal, duck, is_number, normal
from slackwater.query.rules import RULES
from slackwater.query.typed import Typed, UnsupportedError, together

_COMPARE: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.NullSafeEQ: "IS NOT DISTINCT FROM",
    exp.NullSafeNEQ: "IS DISTINCT FROM",
}
_ARITHMETIC: dict[type[exp.Expr], Callable[[Typed, Typed], Typed]] = {
    exp.Mul: operators.times,
    exp.Div: operators.over,
    exp.IntDiv: operators.whole_over,
    exp.Mod: operators.modulo,
}
_BITS: dict[type[exp.Expr], str] = {
    exp.BitwiseAnd: "{0} & {1}",
    exp.BitwiseOr: "{0} | {1}",
    exp.BitwiseXor: "xor({0}, {1})",
}
_NODES: dict[
    type[exp.Expr], tuple[str, tuple[str, ...]]
] = {  # functions with a syntax of their own
    exp.Substring: ("substring", ("this", "start", "length")),
    exp.StrPosition: ("locate", ("substr", "this", "position")),
    exp.Ceil: ("ceil", ("this", "decimals")),
    exp.Floor: ("floor", ("this", "decimals")),
    exp.If: ("if", ("this", "true", "false")),
    exp.RegexpLike: ("rlike", ("this", "expression")),
    exp.DPipe: ("concat", ("this", "expression")),
}
_SPANS = {  # of intervals: months or microseconds
    "year": "to_years", "month": "to_months", "week": "to_weeks", "day": "to_days",
    "hour": "to_hours", "minute": "to_minutes", "second": "to_seconds",
}  # fmt: skip
_PLAIN_SPANS = ("year", "month", "week", "day")
_PARTS = ("year", "quarter", "month", "day", "hour", "minute", "doy", "dow", "week")
NAMES = tuple(sorted(name for name in {*BY_NAME, *RULES} if "_sketch_" not in name))
_ALIASES = {"mean": "avg", "every": "bool_and", "some": "bool_or", "any": "bool_or"}


def translate(sql: str, types: Mapping[str, str]) -> Typed:
    """An expression in Spark SQL as DuckDB text; raises :class:`UnsupportedError`.

    >>> translate("`n` / 2", {"n": "int"}).sql
    '(CAST("n" AS DOUBLE) / nullif(CAST(2 AS DOUBLE), 0))'
    """
    return Translation({name: normal(kind) for name, kind in types.items()}).of(read_flat(sql))


def sketch_argument(sql: str, types: Mapping[str, str]) -> str:
    """What the call of a sketch is made of, as DuckDB text."""
    translation = Translation({name: normal(kind) for name, kind in types.items()})
    return totals.sketched(read_flat(sql), translation.of).sql


class Translation:
    """Translates one tree."""

    def __init__(self, types: Mapping[str, str]) -> None:
        self.types = types

    def of(self, node: Any) -> Typed:
        kind = type(node)
        if kind in _COMPARE:
            return operators.compared(self.of(node.this), self.of(node.expression), _COMPARE[kind])
        if kind in _ARITHMETIC:
            return _ARITHMETIC[kind](self.of(node.this), self.of(node.expression))
        if kind in _BITS:
            return self._bits(node, _BITS[kind])
        if kind in _NODES:
            name, names = _NODES[kind]
            given = [node.args[n] for n in names if node.args.get(n) is not None]
            return self._call(name, given)
        if isinstance(node, exp.AggFunc):
            return totals.total(node, self.of)
        rule = _RULES.get(kind)
        if rule is None and isinstance(node, exp.Func):
            name = node.sql_name().lower()
            raise UnsupportedError(f"{name}() is not offered", _nearest(name), name)
        if rule is None:
            raise UnsupportedError(f"{_shown(node)} is not offered", _elsewhere())
        return rule(self, node)

    def column(self, node: exp.Column) -> Typed:
        if node.name not in self.types:
            raise UnsupportedError(f"there is no column {node.name!r}")
        name = exp.to_identifier(node.name, quoted=True).sql("duckdb")
        return Typed(name, self.types[node.name])

    def literal(self, node: exp.Literal) -> Typed:
        if node.is_string:
            return Typed(node.sql("duckdb"), "string", node.name)
        return _number(node.name)

    def boolean(self, node: exp.Boolean) -> Typed:
        return Typed("true" if node.this else "false", "boolean")

    def null(self, _: exp.Null) -> Typed:
        return Typed("NULL", "void")

    def paren(self, node: exp.Paren) -> Typed:
        inside = self.of(node.this)
        return inside if inside.literal is not None else Typed(f"({inside.sql})", inside.kind)

    def negation(self, node: exp.Neg) -> Typed:
        if isinstance(node.this, exp.Literal) and not node.this.is_string:
            return _number(f"-{node.this.name}")
        return operators.negated(self.of(node.this))

    def connective(self, node: exp.Connector | exp.Not) -> Typed:
        if isinstance(node, exp.Not):
            return Typed(f"(NOT {self.of(node.this).to('boolean').sql})", "boolean")
        word = "AND" if isinstance(node, exp.And) else "OR"
        left, right = (self.of(side).to("boolean").sql for side in (node.this, node.expression))
        return Typed(f"({left} {word} {right})", "boolean")

    def test(self, node: exp.Is) -> Typed:
        value, wanted = self.of(node.this), node.expression
        if isinstance(wanted, exp.Null):
            return Typed(f"({value.sql} IS NULL)", "boolean")
        if isinstance(wanted, exp.Boolean):
            word = "true" if wanted.this else "false"
            text = f"({value.to('boolean').sql} IS NOT DISTINCT FROM {word})"
            return Typed(text, "boolean")
        raise UnsupportedError(f"{_shown(node)} is not offered", "IS NULL, IS TRUE, IS FALSE")

    def between(self, node: exp.Between) -> Typed:
        value, low, high = (self.of(node.args[name]) for name in ("this", "low", "high"))
        above = operators.compared(value, low, ">=").sql
        return Typed(f"({above} AND {operators.compared(value, high, '<=').sql})", "boolean")

    def among(self, node: exp.In) -> Typed:
        if node.args.get("query") or not node.expressions:
            raise UnsupportedError(f"{_shown(node)} is not offered", "IN takes a list of values")
        value, *others = together(
            [self.of(one) for one in (node.this, *node.expressions)], "IN of several types"
        )
        return Typed(f"({value.sql} IN ({', '.join(o.sql for o in others)}))", "boolean")

    def like(self, node: exp.Like | exp.Escape) -> Typed:
        escape = "\\"
        if isinstance(node, exp.Escape):
            escape, node = node.expression.name, node.this
        value, pattern = self.of(node.this).to("string"), self.of(node.expression)
        known = pattern.literal
        if known is None or not isinstance(node, exp.Like):
            raise UnsupportedError(f"{_shown(node)} is not offered", "LIKE takes a literal pattern")
        if not patterns.is_like(known, escape):
            hint = f"only %, _ and {escape} itself may stand behind {escape}"
            raise UnsupportedError(f"the pattern {known!r} escapes something else", hint)
        mark = exp.Literal.string(escape).sql("duckdb")
        return Typed(f"({value.sql} LIKE {pattern.sql} ESCAPE {mark})", "boolean")

    def case(self, node: exp.Case) -> Typed:
        branches, default = node.args["ifs"], node.args.get("default")
        results = [self.of(branch.args["true"]) for branch in branches]
        results.append(Typed("NULL", "void") if default is None else self.of(default))
        results = together(results, "CASE with results of several types")
        whens = [
            f"WHEN {self._condition(node.args.get('this'), branch.this)} THEN {result.sql}"
            for branch, result in zip(branches, results, strict=False)
        ]
        return Typed(f"CASE {' '.join(whens)} ELSE {results[-1].sql} END", results[-1].kind)

    def _condition(self, subject: exp.Expr | None, when: exp.Expr) -> str:
        if subject is None:
            return self.of(when).to("boolean").sql
        return operators.compared(self.of(subject), self.of(when), "=").sql

    def cast(self, node: exp.Cast) -> Typed:
        wanted = normal(node.to.sql("spark"))
        value = self.of(node.this)
        if value.literal is not None and value.kind == "string":
            return value.to(wanted)
        made = value.to(wanted)
        return Typed(made.sql, wanted)

    def added(self, node: exp.Add | exp.Sub) -> Typed:
        sign = "+" if isinstance(node, exp.Add) else "-"
        if isinstance(node.expression, exp.Interval):
            return self._moved(self.of(node.this), node.expression, sign)
        left, right = self.of(node.this), self.of(node.expression)
        if left.kind == "date" and right.kind in WHOLE and right.kind != "bigint":
            return Typed(f"({left.sql} {sign} {right.to('int').sql})", "date")
        times = ("date", "timestamp", "timestamp_ntz")
        if left.kind in times and right.kind in times:
            way = "datediff(a, b)" if "date" in (left.kind, right.kind) else _DIFFERENCE
            raise UnsupportedError(f"{left.kind} - {right.kind} is an interval", f"use {way}")
        return operators.plus(left, right, sign)

    def _moved(self, value: Typed, span: exp.Interval, sign: str) -> Typed:
        """A day or an instant plus an interval of one unit."""
        unit = span.text("unit").lower().rstrip("s")
        count = span.this.name if isinstance(span.this, exp.Literal) else ""
        if unit not in _SPANS or not count.lstrip("+-").isdigit():
            hint = f"INTERVAL n {', '.join(_SPANS)} with a whole number"
            raise UnsupportedError(f"{_shown(span)} is not offered", hint)
        moved = f"{value.sql} {sign} {_SPANS[unit]}({int(count)})"
        if value.kind in ("timestamp", "timestamp_ntz"):
            return Typed(f"({moved})", value.kind)
        if value.kind == "date" and unit in _PLAIN_SPANS:
            return Typed(f"CAST({moved} AS DATE)", "date")
        raise UnsupportedError(f"{value.kind} {sign} {_shown(span)}", "cast it to timestamp first")

    def _bits(self, node: Any, text: str) -> Typed:
        left, right = together([self.of(node.this), self.of(node.expression)], "bits of two types")
        if left.kind not in WHOLE:
            raise UnsupportedError(f"bits of {left.kind}", "cast it to bigint")
        return Typed(f"({text.format(left.sql, right.sql)})", left.kind)

    def flipped(self, node: exp.BitwiseNot) -> Typed:
        value = self.of(node.this)
        if value.kind not in WHOLE:
            raise UnsupportedError(f"bits of {value.kind}", "cast it to bigint")
        return Typed(f"(~{value.sql})", value.kind)

    def part(self, node: exp.Extract) -> Typed:
        unit = node.this.name.lower().rstrip("s")
        known = {"doy": "dayofyear", "dow": "dayofweek", "week": "weekofyear"}
        if unit not in _PARTS:
            hint = f"EXTRACT takes {', '.join(_PARTS)}; second(...) gives whole seconds"
            raise UnsupportedError(f"{_shown(node)} is not offered", hint)
        return self._call(known.get(unit, unit), [node.expression])

    def trimmed(self, node: exp.Trim) -> Typed:
        value = self.of(node.this).to("string").sql
        given = node.args.get("expression")
        chars = "' '" if given is None else self.of(given).to("string").sql
        name = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(node.text("position").upper(), "trim")
        return Typed(f"{name}({value}, {chars})", "string")

    def call(self, node: exp.Anonymous) -> Typed:
        name = node.name.lower()
        if name in (*_ALIASES, *totals.NAMED, *totals.SKETCHES):
            made = totals.by_name(_ALIASES.get(name, name), node, self.of)
            if made is not None:
                return made
        return self._call(name, node.expressions)

    def filtered(self, node: exp.Filter) -> Typed:
        inside, where = self.of(node.this), self.of(node.expression.this).to("boolean")
        return Typed(f"{inside.sql} FILTER (WHERE {where.sql})", inside.kind)

    def known(self, node: exp.IgnoreNulls) -> Typed:
        return self.of(node.this)

    def window(self, _: exp.Window) -> Typed:
        raise totals.OpaqueError

    def _call(self, name: str, given: Sequence[exp.Expr]) -> Typed:
        if name not in BY_NAME and name not in RULES:
            raise UnsupportedError(f"{name}() is not offered", _nearest(name), name)
        values = [self.of(one) for one in given]
        if name in RULES:
            return RULES[name](values)
        for form in BY_NAME[name]:
            fitted = _fit(form, values)
            if fitted is not None:
                text = form.text.format(*fitted)
                whole = form.gives == "int" and not text.startswith("sw_")
                return Typed(f"CAST({text} AS INTEGER)" if whole else text, form.gives)
        takes = " or ".join(f"({', '.join(form.takes)})" for form in BY_NAME[name])
        shown = ", ".join(value.kind for value in values)
        raise UnsupportedError(f"{name}({shown}) is not offered", f"{name} takes {takes}")


_DIFFERENCE = "unix_micros(a) - unix_micros(b)"
_RULES: dict[type[exp.Expr], Callable[[Translation, Any], Typed]] = {
    exp.Column: Translation.column,
    exp.Literal: Translation.literal,
    exp.Boolean: Translation.boolean,
    exp.Null: Translation.null,
    exp.Paren: Translation.paren,
    exp.Neg: Translation.negation,
    exp.And: Translation.connective,
    exp.Or: Translation.connective,
    exp.Not: Translation.connective,
    exp.Is: Translation.test,
    exp.Between: Translation.between,
    exp.In: Translation.among,
    exp.Like: Translation.like,
    exp.Escape: Translation.like,
    exp.Case: Translation.case,
    exp.Cast: Translation.cast,
    exp.TryCast: Translation.cast,
    exp.Add: Translation.added,
    exp.Sub: Translation.added,
    exp.BitwiseNot: Translation.flipped,
    exp.Extract: Translation.part,
    exp.Trim: Translation.trimmed,
    exp.Anonymous: Translation.call,
    exp.Filter: Translation.filtered,
    exp.IgnoreNulls: Translation.known,
    exp.Window: Translation.window,
}


def _number(text: str) -> Typed:
    """A literal: whole ones as short as they fit, others decimals, with an exponent doubles."""
    digits = text.lstrip("-")
    sql = f"({text})" if text.startswith("-") else text
    if "e" in digits.lower():
        return Typed(f"CAST('{text}' AS DOUBLE)", "double")
    if "." in digits:
        whole, part = digits.split(".")
        kind = Decimal(max(len(whole.lstrip("0")) + len(part), len(part), 1), len(part)).kind
        return Typed(f"CAST('{text}' AS {duck(kind)})", kind)
    for kind, bits in (("int", 31), ("bigint", 63)):
        if -(2**bits) <= int(text) < 2**bits:
            return Typed(f"CAST({sql} AS {duck(kind)})" if kind == "bigint" else sql, kind, text)
    kind = Decimal(len(digits.lstrip("0")), 0).kind
    return Typed(f"CAST('{text}' AS {duck(kind)})", kind)


def _fit(form: Form, values: Sequence[Typed]) -> list[str] | None:
    """The arguments as a form takes them, ``None`` if it does not."""
    if len(form.takes) != len(values):
        return None
    fitted = [_taken(kind, value) for kind, value in zip(form.takes, values, strict=True)]
    known = [text for text in fitted if text is not None]
    return known if len(known) == len(fitted) else None


_WORDS: dict[str, Callable[[str], str | None]] = {
    "unit": lambda text: UNITS.get(text.lower()),
    "day unit": lambda text: DAY_UNITS.get(text.lower()),
    "format": patterns.formatted,
}
_TAKEN = {
    "bigint": WHOLE,
    "int": WHOLE[:3],
    "date": ("date", "timestamp", "timestamp_ntz"),
    "moment": ("timestamp", "date"),
    "day": ("date",),
}
_MEANT = {"moment": "timestamp", "day": "date"}


def _taken(kind: str, value: Typed) -> str | None:
    if kind in _WORDS:
        word = None if value.literal is None else _WORDS[kind](value.literal)
        return None if word is None else exp.Literal.string(word).sql("duckdb")
    wanted = _MEANT.get(kind, kind)
    is_text = value.kind == "string" and value.literal is not None
    takes = (
        value.kind in (kind, "void", *_TAKEN.get(kind, ()))
        or (kind == "double" and is_number(value.kind))
        or (is_text and kind in ("date", "moment"))
    )
    return value.to(wanted).sql if takes else None


def _shown(node: exp.Expr) -> str:
    return node.sql("spark")


def _elsewhere() -> str:
    return "compute it beforehand: sw.stream takes a streaming DataFrame, too"


def _nearest(name: str) -> str:
    if name in INSTEAD:
        return f"use {INSTEAD[name]}, or {_elsewhere()}"
    near = difflib.get_close_matches(name, NAMES, n=3, cutoff=0.6)
    like = f"is it {' or '.join(near)}? Else " if near else ""
    return f"{like}{_elsewhere()}"
