"""The functions that a query may use, each with the text that means the same in DuckDB.

A line is a name, the types it takes, the type it gives and the text; ``{0}``, ``{1}`` are its
arguments. The first line that takes the given types is used; numbers are widened to ``double``,
whole numbers to ``bigint`` or ``int``; instants become days where a ``date`` is wanted (not where
it is a ``day``), days become instants where a ``moment`` is. Arguments called ``unit``,
``day unit`` and ``format`` are literals with words of their own. What is not here (and no operator,
cast or aggregate) is refused when the query is built. The test of this table runs each line in
Spark and in DuckDB over edge values.
"""

from __future__ import annotations

from typing import NamedTuple


class Form(NamedTuple):
    """One way to call a function."""

    name: str
    takes: tuple[str, ...]
    gives: str
    text: str


def _real(*names: str) -> tuple[Form, ...]:
    """Functions of one double that both engines call the same."""
    return tuple(Form(name, ("double",), "double", f"{name}({{0}})") for name in names)


def _parts(**texts: str) -> tuple[Form, ...]:
    """Whole numbers read off a day."""
    return tuple(Form(name, ("date",), "int", text) for name, text in texts.items())


def _clock(*names: str) -> tuple[Form, ...]:
    """Whole numbers read off a clock."""
    return tuple(
        Form(name, (kind,), "int", f"{name}({{0}})")
        for name in names
        for kind in ("moment", "timestamp_ntz")
    )


_POSITIVE = "CASE WHEN {0} > 0 THEN %s({0}) END"

FORMS: tuple[Form, ...] = (
    # numbers
    *_real("sqrt", "exp", "cbrt", "sin", "cos", "tan", "asin", "acos", "atan"),
    *_real("sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "cot", "degrees", "radians"),
    Form("ln", ("double",), "double", _POSITIVE % "ln"),
    Form("log2", ("double",), "double", _POSITIVE % "log2"),
    Form("log10", ("double",), "double", _POSITIVE % "log10"),
    Form(
        "log",
        ("double", "double"),
        "double",
        "CASE WHEN {0} > 0 AND {1} > 0 THEN ln({1}) / ln({0}) END",
    ),
    Form(
        "atan2",
        ("double", "double"),
        "double",
        "atan2({0} + CAST(0 AS DOUBLE), {1} + CAST(0 AS DOUBLE))",
    ),
    Form("pow", ("double", "double"), "double", "sw_pow({0}, {1})"),
    Form("power", ("double", "double"), "double", "sw_pow({0}, {1})"),
    Form("sign", ("double",), "double", "sw_sign({0})"),
    Form("signum", ("double",), "double", "sw_sign({0})"),
    Form("rint", ("double",), "double", "round_even({0}, 0)"),
    Form("pi", (), "double", "pi()"),
    Form("e", (), "double", "exp(1)"),
    Form("nanvl", ("float", "float"), "float", "CASE WHEN isnan({0}) THEN {1} ELSE {0} END"),
    Form("nanvl", ("double", "double"), "double", "CASE WHEN isnan({0}) THEN {1} ELSE {0} END"),
    Form("isnan", ("double",), "boolean", "coalesce(isnan({0}), false)"),
    # bits
    Form("shiftleft", ("int", "int"), "int", "sw_int(sw_shift_left({0}, {1} & 31))"),
    Form("shiftleft", ("bigint", "int"), "bigint", "sw_long(sw_shift_left({0}, {1} & 63))"),
    Form("shiftright", ("int", "int"), "int", "({0} >> ({1} & 31))"),
    Form("shiftright", ("bigint", "int"), "bigint", "({0} >> CAST({1} & 63 AS BIGINT))"),
    Form("bit_count", ("bigint",), "int", "bit_count({0})"),
    # texts
    Form("length", ("string",), "int", "length({0})"),
    Form("char_length", ("string",), "int", "length({0})"),
    Form("octet_length", ("string",), "int", "strlen({0})"),
    Form("upper", ("string",), "string", "sw_upper({0})"),
    Form("ucase", ("string",), "string", "sw_upper({0})"),
    Form("lower", ("string",), "string", "sw_lower({0})"),
    Form("lcase", ("string",), "string", "sw_lower({0})"),
    Form("trim", ("string",), "string", "trim({0}, ' ')"),
    Form("ltrim", ("string",), "string", "ltrim({0}, ' ')"),
    Form("rtrim", ("string",), "string", "rtrim({0}, ' ')"),
    Form("substring", ("string", "int", "int"), "string", "sw_substring({0}, {1}, {2})"),
    Form("substring", ("string", "int"), "string", "sw_substring({0}, {1}, 2147483647)"),
    Form("left", ("string", "int"), "string", "left({0}, sw_natural({1}))"),
    Form("right", ("string", "int"), "string", "right({0}, sw_natural({1}))"),
    Form("lpad", ("string", "int"), "string", "sw_lpad({0}, {1}, ' ')"),
    Form("lpad", ("string", "int", "string"), "string", "sw_lpad({0}, {1}, {2})"),
    Form("rpad", ("string", "int"), "string", "sw_rpad({0}, {1}, ' ')"),
    Form("rpad", ("string", "int", "string"), "string", "sw_rpad({0}, {1}, {2})"),
    Form("repeat", ("string", "int"), "string", "repeat({0}, sw_natural({1}))"),
    Form(
        "reverse", ("string",), "string", "array_to_string(list_reverse(string_split({0}, '')), '')"
    ),
    Form("replace", ("string", "string", "string"), "string", "replace({0}, {1}, {2})"),
    Form("replace", ("string", "string"), "string", "replace({0}, {1}, '')"),
    Form("locate", ("string", "string"), "int", "instr({1}, {0})"),
    Form("instr", ("string", "string"), "int", "instr({0}, {1})"),
    Form("position", ("string", "string"), "int", "instr({1}, {0})"),
    Form("contains", ("string", "string"), "boolean", "contains({0}, {1})"),
    Form("startswith", ("string", "string"), "boolean", "starts_with({0}, {1})"),
    Form("endswith", ("string", "string"), "boolean", "ends_with({0}, {1})"),
    Form("translate", ("string", "string", "string"), "string", "translate({0}, {1}, {2})"),
    Form("ascii", ("string",), "int", "ascii({0})"),
    Form("md5", ("string",), "string", "md5({0})"),
    Form("sha1", ("string",), "string", "sha1({0})"),
    Form("hex", ("string",), "string", "hex({0})"),
    Form("hex", ("bigint",), "string", "hex({0})"),
    # days
    *_parts(
        year="year({0})",
        quarter="quarter({0})",
        month="month({0})",
        day="day({0})",
        dayofmonth="day({0})",
        dayofweek="(dayofweek({0}) + 1)",
        weekday="(isodow({0}) - 1)",
        dayofyear="dayofyear({0})",
        weekofyear="weekofyear({0})",
    ),
    Form("unix_date", ("day",), "int", "({0} - DATE '1970-01-01')"),
    Form("date_from_unix_date", ("int",), "date", "TRY(DATE '1970-01-01' + {0})"),
    Form("last_day", ("date",), "date", "last_day({0})"),
    Form("date_add", ("date", "int"), "date", "TRY({0} + {1})"),
    Form("date_sub", ("date", "int"), "date", "TRY({0} - {1})"),
    Form("datediff", ("date", "date"), "int", "({0} - {1})"),
    Form("date_diff", ("date", "date"), "int", "({0} - {1})"),
    Form("add_months", ("date", "int"), "date", "TRY(CAST({0} + to_months({1}) AS DATE))"),
    Form("trunc", ("date", "day unit"), "date", "CAST(date_trunc({1}, {0}) AS DATE)"),
    Form("make_date", ("int", "int", "int"), "date", "TRY(make_date({0}, {1}, {2}))"),
    Form("to_date", ("date",), "date", "{0}"),
    Form("to_date", ("string",), "date", "sw_text_date({0})"),
    Form("date_format", ("moment", "format"), "string", "strftime(CAST({0} AS TIMESTAMP), {1})"),
    # instants
    *_clock("hour", "minute", "second"),
    Form("date_trunc", ("unit", "moment"), "timestamp", "date_trunc({0}, {1})"),
    Form(
        "date_trunc",
        ("unit", "timestamp_ntz"),
        "timestamp",
        "date_trunc({0}, CAST({1} AS TIMESTAMPTZ))",
    ),
    Form("to_timestamp", ("moment",), "timestamp", "{0}"),
    Form("unix_timestamp", ("moment",), "bigint", "(epoch_us({0}) // 1000000)"),
    Form("unix_seconds", ("timestamp",), "bigint", "sw_floor_div(epoch_us({0}), 1000000)"),
    Form("unix_millis", ("timestamp",), "bigint", "sw_floor_div(epoch_us({0}), 1000)"),
    Form("unix_micros", ("timestamp",), "bigint", "epoch_us({0})"),
    Form("timestamp_seconds", ("bigint",), "timestamp", "TRY(make_timestamptz({0} * 1000000))"),
    Form("timestamp_millis", ("bigint",), "timestamp", "TRY(make_timestamptz({0} * 1000))"),
    Form("timestamp_micros", ("bigint",), "timestamp", "TRY(make_timestamptz({0}))"),
    # sketches, which only answers use
    Form("hll_sketch_estimate", ("binary",), "bigint", "hll_sketch_estimate({0})"),
    Form(
        "kll_sketch_get_quantile_double",
        ("binary", "double"),
        "double",
        "kll_sketch_get_quantile_double({0}, {1})",
    ),
)

UNITS = {
    **dict.fromkeys(("year", "yyyy", "yy"), "year"),
    "quarter": "quarter",
    **dict.fromkeys(("month", "mon", "mm"), "month"),
    "week": "week",
    **dict.fromkeys(("day", "dd"), "day"),
    **{unit: unit for unit in ("hour", "minute", "second", "millisecond", "microsecond")},
}
DAY_UNITS = {
    name: unit for name, unit in UNITS.items() if unit in ("year", "quarter", "month", "week")
}

# what people look for in vain, and the way round
INSTEAD: dict[str, str] = {
    "hash": "md5(...)",
    "xxhash64": "md5(...)",
    "crc32": "md5(...)",
    "conv": "hex(n) for base 16",
    "format_number": "round(x, n)",
    "hypot": "sqrt(x * x + y * y)",
    "expm1": "exp(x) - 1",
    "log1p": "ln(1 + x)",
    "regexp_extract": "split_part, substring or rlike",
    "regexp_replace": "replace or translate",
    "initcap": "upper or lower",
    "to_unix_timestamp": "unix_timestamp",
    "current_timestamp": "window_start or window_end in an answer",
    "now": "window_start or window_end in an answer",
    "current_date": "window_start or window_end in an answer",
    "timestampdiff": "unix_micros(a) - unix_micros(b)",
    "months_between": "datediff(a, b) / 30.4",
}

BY_NAME: dict[str, tuple[Form, ...]] = {
    form.name: tuple(other for other in FORMS if other.name == form.name) for form in FORMS
}
