"""Casts: for each pair of types that a query may use, how DuckDB is told to do what Spark does.

ANSI mode is off: what does not fit wraps around (whole numbers), stops at the end of the type
(doubles to whole numbers) or becomes null (texts, decimals).
"""

from __future__ import annotations

from slackwater.query.kinds import (
    MOST,
    REAL,
    WHOLE,
    Decimal,
    decimal_of,
    duck,
    is_decimal,
    is_number,
)

_WRAP = {"tinyint": "sw_byte", "smallint": "sw_short", "int": "sw_int", "bigint": "sw_long"}
_PLAIN_DIGITS = 15  # of a decimal that every double between two of its values can tell apart
_MOST_PLAIN_SCALE = 6  # behind it Java writes small decimals as 1E-7

# from and to, by name; "{0}" is the value
_NAMED: dict[tuple[str, str], str] = {
    ("string", "bigint"): "sw_text_long({0})",
    ("string", "double"): "sw_text_double({0})",
    ("string", "float"): "sw_text_float({0})",
    ("string", "boolean"): "sw_text_boolean({0})",
    ("string", "date"): "sw_text_date({0})",
    ("double", "float"): "sw_float({0})",
    ("float", "double"): "CAST({0} AS DOUBLE)",
    ("double", "string"): "sw_real_text({0})",
    ("float", "string"): "sw_real_text({0})",
    ("double", "bigint"): "sw_real_long({0})",
    ("double", "int"): "sw_real_int({0})",
    ("double", "smallint"): "sw_short(sw_real_int({0}))",
    ("double", "tinyint"): "sw_byte(sw_real_int({0}))",
    ("float", "bigint"): "sw_real_long(CAST({0} AS DOUBLE))",
    ("float", "int"): "sw_real_int(CAST({0} AS DOUBLE))",
    ("float", "smallint"): "sw_short(sw_real_int(CAST({0} AS DOUBLE)))",
    ("float", "tinyint"): "sw_byte(sw_real_int(CAST({0} AS DOUBLE)))",
    ("boolean", "string"): "CAST({0} AS VARCHAR)",
    ("date", "string"): "CAST({0} AS VARCHAR)",
    ("timestamp_ntz", "string"): "CAST({0} AS VARCHAR)",
    ("timestamp", "string"): "CAST(CAST({0} AS TIMESTAMP) AS VARCHAR)",
    ("date", "timestamp"): "CAST({0} AS TIMESTAMPTZ)",
    ("date", "timestamp_ntz"): "CAST({0} AS TIMESTAMP)",
    ("timestamp", "date"): "CAST({0} AS DATE)",
    ("timestamp_ntz", "date"): "CAST({0} AS DATE)",
    ("timestamp", "timestamp_ntz"): "CAST({0} AS TIMESTAMP)",
    ("timestamp_ntz", "timestamp"): "CAST({0} AS TIMESTAMPTZ)",
    ("timestamp", "bigint"): "sw_floor_div(epoch_us({0}), 1000000)",
    ("timestamp", "double"): "(CAST(epoch_us({0}) AS DOUBLE) / 1000000)",
    ("bigint", "timestamp"): "TRY(make_timestamptz({0} * 1000000))",
    ("int", "timestamp"): "TRY(make_timestamptz(CAST({0} AS BIGINT) * 1000000))",
}


def cast(value: str, given: str, wanted: str) -> str | None:
    """``value`` of type ``given`` as ``wanted``, in DuckDB; ``None`` where that is not offered."""
    if given == wanted:
        return value
    if given == "void":
        return f"CAST({value} AS {duck(wanted)})" if _is_plain(wanted) else value  # a null
    named = _NAMED.get((given, wanted))
    if named is not None:
        return named.format(value)
    if wanted in WHOLE:
        return _whole(value, given, wanted)
    if is_decimal(wanted):
        return _decimal(value, given, wanted)
    if wanted in REAL:
        return _real(value, given, wanted)
    if wanted == "string":
        return _text(value, given)
    if wanted == "boolean" and is_number(given):
        return f"({value} <> 0)"
    return None


def _is_plain(kind: str) -> bool:
    return is_decimal(kind) or kind in (*WHOLE, *REAL, *_OTHERS)


_OTHERS = ("boolean", "string", "binary", "date", "timestamp", "timestamp_ntz", "void")


def _whole(value: str, given: str, wanted: str) -> str | None:
    if given in WHOLE:
        widens = WHOLE.index(wanted) > WHOLE.index(given)
        return f"CAST({value} AS {duck(wanted)})" if widens else f"{_WRAP[wanted]}({value})"
    if given == "boolean":
        return f"CAST({value} AS {duck(wanted)})"
    if is_decimal(given):  # trunc of a decimal without fraction is not taken by DuckDB
        whole = f"trunc({value})" if decimal_of(given).scale else value
        return f"{_WRAP[wanted]}(CAST({whole} AS HUGEINT))"
    if given == "string":  # out of range is null, not wrapped
        return f"TRY_CAST(sw_text_long({value}) AS {duck(wanted)})"
    if given == "timestamp" and wanted == "int":
        return f"TRY_CAST(sw_floor_div(epoch_us({value}), 1000000) AS INTEGER)"
    return None


def _decimal(value: str, given: str, wanted: str) -> str | None:
    kind = duck(wanted)
    if given in WHOLE or given == "boolean":
        number = f"CAST({value} AS INTEGER)" if given == "boolean" else value
        return f"TRY_CAST({number} AS {kind})"
    if is_decimal(given):
        one, other = decimal_of(given), decimal_of(wanted)
        fits = other.scale >= one.scale and other.whole >= one.whole
        return f"CAST({value} AS {kind})" if fits else f"TRY_CAST({value} AS {kind})"
    long = duck(Decimal(MOST, decimal_of(wanted).scale).kind)  # room for 12345.6e-3
    if given in REAL:  # by its digits, half up: 1.005 is 1.01
        return f"TRY_CAST(TRY_CAST(CAST({value} AS VARCHAR) AS {long}) AS {kind})"
    if given == "string":
        return f"TRY_CAST(TRY_CAST(sw_text_exact({value}) AS {long}) AS {kind})"
    return None


def _real(value: str, given: str, wanted: str) -> str | None:
    if given in WHOLE or given == "boolean":
        return f"CAST({value} AS {duck(wanted)})"
    if is_decimal(given):
        exact = wanted == "double" and decimal_of(given).precision <= _PLAIN_DIGITS
        digits = value if exact else f"CAST({value} AS VARCHAR)"
        return f"CAST({digits} AS {duck(wanted)})"
    return None


def _text(value: str, given: str) -> str | None:
    if given in WHOLE:
        return f"CAST({value} AS VARCHAR)"
    if is_decimal(given) and decimal_of(given).scale <= _MOST_PLAIN_SCALE:
        return f"CAST({value} AS VARCHAR)"
    return None
