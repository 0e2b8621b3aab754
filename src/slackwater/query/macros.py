"""What DuckDB is taught once per connection, so that expressions mean there what Spark means.

A macro is text that DuckDB puts in place of a call. ``list_transform([x], lambda v: ...)[1]`` names
a value that is needed more than once; such names begin with ``__``, which no column of a person's
does, since DuckDB would take the one for the other.
"""

from __future__ import annotations

from typing import Protocol

_SPACE = r"[\x00-\x20\x7f]*"
_WHOLE = rf"^{_SPACE}([+-]?)(?:([0-9]+)(?:\.[0-9]*)?|\.[0-9]*){_SPACE}$"
_REAL = r"^[\x00-\x20]*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)[dDfF]?[\x00-\x20]*$"
_NAMED = r"^[\x00-\x20]*([+-]?)(?:inf|infinity)[\x00-\x20]*$"
_EXACT = r"^[\x00-\x20]*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)[\x00-\x20]*$"
_DATE = rf"^{_SPACE}([0-9]{{4,7}})(?:-([0-9]{{1,2}})(?:-([0-9]{{1,2}})(?:[ T](?s:.*))?)?)?{_SPACE}$"
_MASK, _HALF = 2**64 - 1, 2**63


def _wrapped(bits: int, kind: str) -> str:
    mask, half = 2**bits - 1, 2 ** (bits - 1)
    return f"CAST(xor(CAST(x AS HUGEINT) & {mask}, {half}) - {half} AS {kind})"


def _saturated(low: int, high: int, kind: str) -> str:
    return (
        f"CASE WHEN isnan(x) THEN 0 WHEN x >= {float(high)!r} THEN {high} "
        f"WHEN x <= {float(low)!r} THEN {low} ELSE CAST(trunc(x) AS {kind}) END"
    )


def _as_float(kind: str) -> str:
    named = f"nullif(regexp_extract(lower(x), '{_NAMED}'), '')"
    return (
        f"CASE WHEN regexp_matches(lower(x), '^[\\x00-\\x20]*nan[\\x00-\\x20]*$') "
        f"THEN CAST('nan' AS {kind}) "
        f"WHEN {named} IS NOT NULL THEN CASE WHEN regexp_extract(lower(x), '{_NAMED}', 1) = '-' "
        f"THEN CAST('-inf' AS {kind}) ELSE CAST('inf' AS {kind}) END "
        f"ELSE TRY_CAST(nullif(regexp_extract(x, '{_REAL}', 1), '') AS {kind}) END"
    )


# digits and the place of the point of a positive double, from the shortest text there is for it
_JAVA_DIGITS = (
    "list_transform([CAST(abs(x) AS VARCHAR)], lambda __t: "
    "list_transform([CASE WHEN contains(__t, 'e') "
    "THEN {'m': split_part(__t, 'e', 1), 'e': CAST(split_part(__t, 'e', 2) AS INTEGER)} "
    "ELSE {'m': __t, 'e': 0} END], lambda __p: "
    "list_transform([{'w': split_part(__p.m, '.', 1), 'f': split_part(__p.m, '.', 2), "
    "'e': __p.e}], lambda __q: list_transform([{'d': ltrim(__q.w || __q.f, '0'), "
    "'e': __q.e + length(ltrim(__q.w, '0')) - 1 - CASE WHEN ltrim(__q.w, '0') = '' "
    "THEN length(__q.f) - length(ltrim(__q.f, '0')) ELSE 0 END}], lambda __r: "
    "{'d': CASE WHEN rtrim(__r.d, '0') = '' THEN '0' ELSE rtrim(__r.d, '0') END, 'e': __r.e}"
    ")[1])[1])[1])[1]"
)
_JAVA_PLAIN = (
    "CASE WHEN __v.e >= 0 "
    "THEN rpad(left(__v.d, __v.e + 1), CAST(__v.e + 1 AS INTEGER), '0') || '.' || "
    "CASE WHEN length(__v.d) > __v.e + 1 THEN substr(__v.d, __v.e + 2) ELSE '0' END "
    "ELSE '0.' || repeat('0', -__v.e - 1) || __v.d END"
)
_JAVA_SCIENTIFIC = (
    "left(__v.d, 1) || '.' || CASE WHEN length(__v.d) > 1 THEN substr(__v.d, 2) ELSE '0' END "
    "|| 'E' || CAST(__v.e AS VARCHAR)"
)
_JAVA = (
    "CASE WHEN x IS NULL THEN NULL WHEN isnan(x) THEN 'NaN' "
    "WHEN isinf(x) THEN CASE WHEN x > 0 THEN 'Infinity' ELSE '-Infinity' END "
    "WHEN x = 0 THEN CASE WHEN signbit(x) THEN '-0.0' ELSE '0.0' END "
    f"ELSE CASE WHEN x < 0 THEN '-' ELSE '' END || list_transform([{_JAVA_DIGITS}], lambda __v: "
    f"CASE WHEN __v.e BETWEEN -3 AND 6 THEN {_JAVA_PLAIN} ELSE {_JAVA_SCIENTIFIC} END)[1] END"
)

# letters that become several in upper case, and the sigma at the end of a word
_BLOCKS = (
    *((0xDF, 0xE0), (0x149, 0x14A), (0x1F0, 0x1F1), (0x390, 0x3B1), (0x587, 0x588)),
    *((0x1E96, 0x1E9B), (0x1F50, 0x1FFD), (0xFB00, 0xFB18)),
)
_LONGER = [chr(n) for low, end in _BLOCKS for n in range(low, end) if len(chr(n).upper()) > 1]
_UPPER = "MAP {" + ", ".join(f"'{c}': '{c.upper()}'" for c in _LONGER) + "}"
_SIGMA = r"(\p{L}\p{M}*)Σ($|[^\p{L}\p{M}])"

_BODIES: dict[str, str] = {
    # whole numbers wrap around, as Java's do
    "sw_byte(x)": _wrapped(8, "TINYINT"),
    "sw_short(x)": _wrapped(16, "SMALLINT"),
    "sw_int(x)": _wrapped(32, "INTEGER"),
    "sw_long(x)": _wrapped(64, "BIGINT"),
    # doubles lose what is behind the point, and stop at the ends of the type
    "sw_real_int(x)": _saturated(-(2**31), 2**31 - 1, "INTEGER"),
    "sw_real_long(x)": _saturated(-(2**63), 2**63 - 1, "BIGINT"),
    "sw_float(x)": (
        "CASE WHEN abs(x) >= 3.4028235677973366e38 AND NOT isnan(x) "
        "THEN CASE WHEN x > 0 THEN CAST('inf' AS FLOAT) ELSE CAST('-inf' AS FLOAT) END "
        "ELSE CAST(x AS FLOAT) END"
    ),
    # texts as numbers
    "sw_text_long(x)": (
        f"TRY_CAST(regexp_replace(regexp_extract(x, '{_WHOLE}'), '{_WHOLE}', '\\10\\2') AS BIGINT)"
    ),
    "sw_text_double(x)": _as_float("DOUBLE"),
    "sw_text_float(x)": _as_float("FLOAT"),
    "sw_text_exact(x)": f"nullif(regexp_extract(x, '{_EXACT}', 1), '')",
    "sw_text_boolean(x)": (
        "CASE WHEN lower(trim(x, chr(9) || chr(10) || chr(11) || chr(12) || chr(13) || ' ')) "
        "IN ('t', 'true', 'y', 'yes', '1') THEN true "
        "WHEN lower(trim(x, chr(9) || chr(10) || chr(11) || chr(12) || chr(13) || ' ')) "
        "IN ('f', 'false', 'n', 'no', '0') THEN false END"
    ),
    "sw_text_date(x)": (
        f"TRY(make_date(TRY_CAST(nullif(regexp_extract(x, '{_DATE}', 1), '') AS BIGINT), "
        f"coalesce(TRY_CAST(nullif(regexp_extract(x, '{_DATE}', 2), '') AS BIGINT), 1), "
        f"coalesce(TRY_CAST(nullif(regexp_extract(x, '{_DATE}', 3), '') AS BIGINT), 1)))"
    ),
    "sw_real_text(x)": _JAVA,
    # arithmetic
    "sw_floor_div(x, n)": "(x - ((x % n) + n) % n) // n",
    "sw_unscaled(x)": "CAST(replace(CAST(x AS VARCHAR), '.', '') AS HUGEINT)",
    "sw_half_up(x, n)": (
        "list_transform([{'q': x // n, 'r': x % n}], lambda __v: __v.q + CASE WHEN "
        "abs(__v.r) >= abs(n) - abs(__v.r) THEN CASE WHEN (x < 0) = (n < 0) THEN 1 ELSE -1 END "
        "ELSE 0 END)[1]"
    ),
    "sw_shift_left(x, n)": "CAST(x AS HUGEINT) * (CAST(1 AS HUGEINT) << CAST(n AS INTEGER))",
    "sw_pow(x, y)": (
        "CASE WHEN x IS NULL THEN NULL WHEN isnan(y) OR (abs(x) = 1 AND isinf(y)) "
        "THEN CAST('nan' AS DOUBLE) ELSE pow(x, y) END"
    ),
    "sw_sign(x)": "CASE WHEN x > 0 AND NOT isnan(x) THEN 1 WHEN x < 0 THEN -1 ELSE x END",
    # text
    "sw_upper(s)": (
        f"CASE WHEN regexp_matches(s, '[{''.join(_LONGER)}]') THEN array_to_string(list_transform("
        f"string_split(s, ''), lambda __c: coalesce({_UPPER}[__c], upper(__c))), '') "
        "ELSE upper(s) END"
    ),
    "sw_lower(s)": (
        f"lower(regexp_replace(replace(s, 'İ', 'i\u0307'), '{_SIGMA}', '\\1ς\\2', 'g'))"
    ),
    "sw_natural(n)": "CASE WHEN n < 0 THEN 0 ELSE n END",
    "sw_substring(s, p, n)": (
        "list_transform([CAST(CASE WHEN p > 0 THEN p - 1 WHEN p < 0 THEN length(s) + p "
        "WHEN p = 0 THEN 0 END AS BIGINT)], lambda __b: substring(s, sw_natural(__b) + 1, "
        "sw_natural(__b + n - sw_natural(__b))))[1]"
    ),
    "sw_lpad(s, n, p)": (
        "CASE WHEN n <= 0 THEN left(s, 0) || left(p, 0) WHEN p = '' THEN left(s, n) "
        "ELSE lpad(s, CAST(n AS INTEGER), p) END"
    ),
    "sw_rpad(s, n, p)": (
        "CASE WHEN n <= 0 THEN left(s, 0) || left(p, 0) WHEN p = '' THEN left(s, n) "
        "ELSE rpad(s, CAST(n AS INTEGER), p) END"
    ),
    # percentiles: between the values at both sides of a place, which is counted from 0
    "sw_between(a, b, x)": "CASE WHEN a = b THEN a ELSE a + (x - floor(x)) * (b - a) END",
    "sw_percentile(l, p)": (
        "list_transform([CAST(len(l) - 1 AS DOUBLE) * CAST(p AS DOUBLE)], lambda __x: "
        "sw_between(l[CAST(floor(__x) AS BIGINT) + 1], l[CAST(ceil(__x) AS BIGINT) + 1], __x))[1]"
    ),
    # sums that do not fit: whole ones wrap around, decimals become null
    "sw_sum_exact(x)": (
        "list_transform([{'h': sum(sw_unscaled(x) // 10000000000000000000), "
        "'l': sum(sw_unscaled(x) % 10000000000000000000)}], lambda __v: "
        "TRY(CAST(TRY(__v.h * 10000000000000000000 + __v.l) AS DECIMAL(38,0))))[1]"
    ),
}


class Connection(Protocol):
    """As much of a DuckDB connection as is needed to teach it."""

    def execute(self, query: str) -> object: ...


MACROS: tuple[str, ...] = tuple(
    f"CREATE OR REPLACE MACRO {head} AS ({body})" for head, body in _BODIES.items()
)


def teach(connection: Connection) -> None:
    """Make the macros known to a connection."""
    connection.execute("; ".join(MACROS))
