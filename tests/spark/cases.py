"""Expressions to compare: every line of the tables over every type it takes, and random ones."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

from slackwater.query.functions import DAY_UNITS, FORMS, UNITS, Form
from slackwater.query.typed import UnsupportedError
from tests.spark.edges import EDGES, name_of, translated

NUMBERS = tuple(k for k in EDGES if k.endswith("int") or k in ("float", "double") or k[:3] == "dec")
WHOLE = ("tinyint", "smallint", "int", "bigint")
TAKES = {
    "double": ("double", "int", "bigint", "float", "decimal(10,2)"),
    "bigint": ("bigint", "int"),
    "int": ("int", "tinyint"),
    "date": ("date", "timestamp", "timestamp_ntz"),
    "moment": ("timestamp", "date"),
    "day": ("date",),
}
WORDS = {
    "unit": [f"'{unit}'" for unit in UNITS],
    "day unit": [f"'{unit}'" for unit in DAY_UNITS],
    "format": ["'yyyy-MM-dd HH:mm:ss'", "'dd/MM/yyyy'", "'HHmm'"],
}
# Spark raises, or fills the memory, where these get all whole numbers there are
SMALL = ("repeat", "lpad", "rpad", "date_add", "date_sub", "add_months", "date_from_unix_date")
# as good as the machine's mathematics
INEXACT = (
    *("exp", "ln", "log", "log2", "log10", "pow", "power", "cbrt", "degrees", "radians", "cot"),
    *("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh"),
    *("asinh", "acosh", "atanh"),
)
OTHERS = (
    "concat(string_a, string_b)", "concat(string_a, int_a, '-', date_a)", "string_a || string_b",
    "concat_ws('-', string_a, string_b)", "concat_ws(string_c, string_a, int_b)",
    "split_part(string_a, ',', 1)", "split_part(string_a, ',', 2)", "split_part(string_a, ',', -1)",
    "split_part(string_a, ',', 9)", "sha2(string_a, 256)", "string_a rlike '^[a-c]+$'",
    "string_a rlike 'b.*c'", "string_a rlike '[0-9]{2,}'", "string_a rlike '^.$'",
    "string_a rlike 'a|b'", "string_a like 'a%'", "string_a like '_'", "string_a like ''",
    "string_a like '%!_%' escape '!'", "not string_a like 'a%'", "trim(both 'a' from string_a)",
    "trim(leading ' a' from string_a)", "trim(trailing 'bc' from string_a)",
    *(f"extract({part} from timestamp_a)" for part in ("year", "quarter", "month", "week", "day")),
    *(f"extract({part} from timestamp_a)" for part in ("doy", "dow", "hour", "minute")),
    "boolean_a and boolean_b", "boolean_a or boolean_b", "not boolean_a", "boolean_a is true",
    "boolean_a is not false", "date_a + 1", "date_a - tinyint_b", "date_a + interval 1 month",
    "date_a + interval 10 day", "ntz_a + interval 90 second", "timestamp_a - interval '2' week",
    *(f"timestamp_a + interval 1 {unit}" for unit in ("year", "month", "day", "hour", "minute")),
    "timestamp_a > '2020-01-01'", "timestamp_a >= timestamp '2020-01-01 10:00:00+02:00'",
    "date_a = '2024-02-29'", "date_a > date '2000-01-01'", "int_a = '1'", "int_a > 'abc'",
    "double_a = '1.5'", "dec_a = '1.00'", "string_a = 1", "string_a > 1.5", "string_a < 2e0",
    "string_a in ('a', 'b', null)", "int_a in (1, 2, null)", "int_a in (1, 2.5)", "1.5", "2",
    "3000000000", "1e3", "-2.50", "'x'", "99999999999999999999", "2L", "1.5D", "1.5BD",
    "int_a + 1.5", "int_a * 2L", "abs(-9223372036854775808)", "cast('1.5' as int)", "5 % 0",
    "cast(4e9 as int)", "ln(0)", "5 div 0", "cast(null as string)", "coalesce(null, int_a)",
    "log(double_a)",
    "cast(cast(int_a as bigint) as timestamp)",
    "position('b' in string_a)", "string(int_a)", "int(string_a)",
    "date(timestamp_a)", "year('2024-02-29')", "string_a + 2", "dec_a * 3", "dec_a / 3",
    "dec_a + 1.25", "int_a / 2.5", "huge_a - 3", "substring(string_a, 0, 2)",
    "substr(string_a, -3)",
)  # fmt: skip


def every_case(draw: random.Random) -> Iterator[str]:
    """Each function, operator and cast over each type that it takes, as far as it is offered."""
    for text in dict.fromkeys(_all(draw)):
        try:
            translated(text)
        except UnsupportedError:
            continue
        yield text


def _all(draw: random.Random) -> Iterator[str]:
    for form in FORMS:
        yield from _calls(form)
    for one, other in itertools.product(NUMBERS, NUMBERS):
        a, b = name_of(one), name_of(other, "b")
        yield from (f"{a} {sign} {b}" for sign in ("+", "-", "*", "/", "%", "div"))
        yield f"pmod({a}, {b})"
    for one, other in itertools.product(EDGES, EDGES):
        a, b, c = name_of(one), name_of(other, "b"), name_of(other, "c")
        if (one, other) != ("bigint", "timestamp"):  # the year 292,277,026,596
            yield f"cast({a} as {other})"
        yield f"{a} {draw.choice(('=', '<>', '<', '<=', '>', '>=', '<=>'))} {b}"
        yield draw.choice((f"coalesce({a}, {b})", f"if(boolean_a, {a}, {b})", f"nullif({a}, {b})"))
        yield draw.choice((f"greatest({a}, {b})", f"least({a}, {b})", f"{a} between {b} and {c}"))
        yield draw.choice((f"{a} in ({b}, {c})", f"case {a} when {b} then 1 else 2 end"))
    for kind in EDGES:
        a = name_of(kind)
        yield from (f"{a} is null", f"isnotnull({a})", f"nvl2({a}, 1, 0)")
        yield from (f"cast({a} as {wide})" for wide in ("decimal(4,1)", "decimal(30,6)"))
    for kind in NUMBERS:
        a = name_of(kind)
        yield from (f"{name}({a})" for name in ("abs", "ceil", "floor", "negative", "positive"))
        yield from (f"{name}({a}, {n})" for name in ("round", "bround") for n in (0, 1, 2, 4))
    for kind in WHOLE:
        a, b = name_of(kind), name_of(kind, "b")
        yield from (f"{a} & {b}", f"{a} | {b}", f"{a} ^ {b}", f"~{a}")
    yield from OTHERS


def _calls(form: Form) -> Iterator[str]:
    if "binary" in form.takes:
        return  # sketches, which have tests of their own
    options = []
    for place, kind in zip("abc", form.takes, strict=False):
        kinds: tuple[str, ...] = TAKES.get(kind, (kind,))
        if form.name in SMALL and kind == "int":
            kinds = ("tinyint",)
        if form.name.startswith("timestamp_"):
            kinds = ("int",)
        options.append(WORDS.get(kind) or [name_of(one, place) for one in kinds])
    for arguments in itertools.product(*options):
        yield f"{form.name}({', '.join(arguments)})"


# random ones -----------------------------------------------------------------------------------

KINDS = ("boolean", "int", "bigint", "double", "decimal(10,2)", "string", "date", "timestamp")
_MEANT = {"moment": "timestamp", "day": "date"}
_GROWING = (*SMALL, *INEXACT, "make_date")  # what may leave the range, or is not exact
_SAME = (
    "coalesce({0}, {0})", "if({boolean}, {0}, {0})", "nullif({0}, {0})", "greatest({0}, {0})",
    "least({0}, {0})", "case when {boolean} then {0} when {boolean} then {0} end",
)  # fmt: skip
_MADE: dict[str, tuple[str, ...]] = {
    "boolean": (
        *(f"({{{k}}} {s} {{{k}}})" for k in KINDS for s in ("=", "<", ">=", "<=>")),
        *(f"({{{k}}} is null)" for k in KINDS),
        *("({boolean} and {boolean})", "({boolean} or {boolean})", "(not {boolean})"),
        *("({int} in (1, {int}))", "({int} between {int} and {int})", "({string} like 'a%')"),
    ),
    "int": (
        *("({int} + {int})", "({int} - {int})", "({int} * {int})", "({int} % {int})"),
        *("abs({int})", "(-{int})", "pmod({int}, {int})", "({int} & {int})", "(~{int})"),
        *("cast({bigint} as int)", "cast({double} as int)", "cast({string} as int)"),
        *("cast({boolean} as int)", "cast({decimal(10,2)} as int)"),
    ),
    "bigint": (
        *("({bigint} + {int})", "({bigint} * {bigint})", "({int} div {int})", "floor({double})"),
        *("cast({double} as bigint)", "cast({timestamp} as bigint)", "abs({bigint})"),
        *("({bigint} % {bigint})", "cast({string} as bigint)", "unix_micros({timestamp})"),
    ),
    "double": (
        *("({int} / {int})", "({double} + {double})", "({double} * {bigint})"),
        *("round({double}, 2)", "round({double}, 0)"),
        *("({double} / {double})", "({double} % {double})", "cast({decimal(10,2)} as double)"),
        *("cast({string} as double)", "nanvl({double}, {double})", "sqrt({double})"),
    ),
    "decimal(10,2)": (
        *("cast(({decimal(10,2)} + {decimal(10,2)}) as decimal(10,2))",),
        *("cast({int} as decimal(10,2))", "cast({double} as decimal(10,2))"),
        *("cast({decimal(10,2)} * {decimal(10,2)} as decimal(10,2))",),
        *("cast({decimal(10,2)} / {decimal(10,2)} as decimal(10,2))", "abs({decimal(10,2)})"),
    ),
    "string": (
        *("concat({string}, {string})", "cast({int} as string)", "cast({decimal(10,2)} as string)"),
        *("cast({timestamp} as string)", "cast({date} as string)", "cast({boolean} as string)"),
        *("lpad({string}, 6, 'xy')", "repeat(left({string}, 3), 2)"),
    ),
    "date": ("date_add({date}, 3)", "add_months({date}, -1)", "cast({timestamp} as date)"),
    "timestamp": ("({timestamp} + interval 1 day)", "cast({date} as timestamp)"),
}  # fmt: skip


def random_case(draw: random.Random, depth: int = 4) -> str:
    """An expression of any type, put together from others."""
    return _grown(draw, draw.choice(KINDS), depth)


def _grown(draw: random.Random, kind: str, depth: int) -> str:
    if depth == 0 or draw.random() < 0.1:
        return name_of(kind, draw.choice("bc"))
    options = [*_MADE[kind], *(one.replace("{0}", f"{{{kind}}}") for one in _SAME)]
    options += [_template(form, draw) for form in FORMS if form.gives == kind and _is_tame(form)]
    text = draw.choice(options)
    for inner in KINDS:
        while f"{{{inner}}}" in text:
            text = text.replace(f"{{{inner}}}", _grown(draw, inner, depth - 1), 1)
    return text


def _is_tame(form: Form) -> bool:
    known = (*KINDS, *WORDS, *_MEANT)
    tame = form.name not in _GROWING and not form.name.startswith(("timestamp_", "kll", "hll"))
    tame = tame and (form.name, form.takes) != ("to_date", ("string",))  # of years such as 128128
    return tame and bool(form.takes) and all(kind in known for kind in form.takes)


def _template(form: Form, draw: random.Random) -> str:
    places = [
        draw.choice(WORDS[kind]) if kind in WORDS else f"{{{_MEANT.get(kind, kind)}}}"
        for kind in form.takes
    ]
    return f"{form.name}({', '.join(places)})"
