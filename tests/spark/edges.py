"""Values on the edges of each type, expressions over them, and both engines' answers."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import duckdb
import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from slackwater.query.macros import teach
from slackwater.query.translate import translate
from slackwater.query.typed import Typed


def _whole(bits: int, *more: int) -> list[int]:
    top = 2 ** (bits - 1)
    return [0, 1, -1, 2, 7, -7, 100, top - 1, -top, *more]


def _at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def _split(text: str) -> list[str]:
    return text.split()


_TIMES = _split("""
1970-01-01T00:00:00 1969-12-31T23:59:59.999999 1969-12-31T23:59:58.5 2024-02-29T12:34:56.789
2026-11-17T09:08:07.000001 2000-12-31T23:59:59 2021-01-03T00:00:00 2020-12-31T12:00:00
9999-12-31T23:59:59.999999 1900-03-01T06:00:00 2023-03-31T01:02:03 1582-10-15T00:00:00
""")
_DATES = _split("""
1970-01-01 1969-12-31 2024-02-29 2023-03-31 2021-01-03 0001-01-01 9999-12-31 2020-12-31 1900-01-01
""")
_REALS = _split("""
0.0 -0.0 1.0 -1.0 0.5 -0.5 1.5 2.5 -2.5 2.675 1.005 0.1 1e-3 9.99e-4 1e7 9999999.0 1.5e10 4e9 -4e9
1e19 -1e19 1e300 1e-300 123456.789 nan inf -inf 9007199254740992.0 3.0 10.0 1e22
""")
_FLOATS = _split("0.0 -0.0 1.5 -2.5 0.1 3.4e38 1e-30 1e10 16777216.0 nan inf -inf")
_DECIMALS = {
    "decimal(10,2)": "0.00 1.00 -1.00 0.05 -0.05 2.50 3.50 -2.50 99999999.99 -99999999.99 0.01",
    "decimal(5,3)": "0.000 1.000 -0.005 2.675 99.999 -99.999 0.001 -7.500",
    "decimal(38,4)": "0.0000 1.0000 -1.5000 999999999999999999999999999999.9999 "
    "-999999999999999999999999999999.9999 9007199254740993.0000 0.0001",
}
_WORDS = _split("""
a A abc ä Straße ΑΣ 日本語 🙂 it's a%b a_b a\\b 1 1.5 -7 +3 .5 5. . 1e3 1e400 abc1
9223372036854775807
9223372036854775808 -9223372036854775808 2147483648 128 NaN inf -Infinity true no T 2024-02-29
2023-02-29 2024-2-9 2024 2024-06 a,b,,c , 0.1234567890123 1d 0x10 1_000 --1
""")
_TEXTS = ["", " ", "ABC abc", "e\u0301x", "new\nline", "  pad  ", " 42 ", "\t8\n", "x" * 40]
_TEXTS += [*_WORDS, "2024-02-29 12:00:00"]

EDGES: dict[str, list[Any]] = {
    "boolean": [True, False],
    "tinyint": _whole(8),
    "smallint": _whole(16, 128),
    "int": _whole(32, 3, 31, 32, -3, 2024, 12, 29, 128, 32768),
    "bigint": _whole(64, 2**31, -(2**31) - 1, 2**53 + 1, 1_700_000_000, -1_700_000_001),
    "float": [float(text) for text in _FLOATS],
    "double": [float(text) for text in _REALS],
    **{kind: [Decimal(text) for text in texts.split()] for kind, texts in _DECIMALS.items()},
    "string": _TEXTS,
    "date": [date.fromisoformat(text) for text in _DATES],
    "timestamp": [_at(text) for text in _TIMES],
    "timestamp_ntz": [datetime.fromisoformat(text) for text in _TIMES],
    "binary": [b"", b"\x00", b"\xff\x00a", b"abc"],
}
ARROW: dict[str, pa.DataType] = {
    "boolean": pa.bool_(),
    "tinyint": pa.int8(),
    "smallint": pa.int16(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "decimal(10,2)": pa.decimal128(10, 2),
    "decimal(5,3)": pa.decimal128(5, 3),
    "decimal(38,4)": pa.decimal128(38, 4),
    "string": pa.string(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
    "binary": pa.binary(),
}
SHORT = {
    "decimal(10,2)": "dec",
    "decimal(5,3)": "fine",
    "decimal(38,4)": "huge",
    "timestamp_ntz": "ntz",
}
ROWS = 2 * max(len(values) for values in EDGES.values()) + 40


def name_of(kind: str, which: str = "a") -> str:
    return f"{SHORT.get(kind, kind)}_{which}"


COLUMNS = {name_of(kind, which): kind for kind in EDGES for which in "abc"}


def edge_table(draw: random.Random) -> pa.Table:
    """Each type three times: every value occurs, nulls do, and pairs are drawn."""
    columns = {}
    for name, kind in COLUMNS.items():
        values = EDGES[kind]
        first = list(values) if name.endswith("_a") else []
        more = [
            None if draw.random() < 0.1 else draw.choice(values) for _ in range(ROWS - len(first))
        ]
        columns[name] = pa.array(first + more, ARROW[kind])
    return pa.table(columns)


def tame_table(draw: random.Random) -> pa.Table:
    """Values that stay in range however often something is added to them."""
    columns = {}
    for name, kind in COLUMNS.items():
        values = [value for value in EDGES[kind] if _is_tame(value)]
        drawn = [None if draw.random() < 0.1 else draw.choice(values) for _ in range(ROWS)]
        columns[name] = pa.array(drawn, ARROW[kind])
    return pa.table(columns)


def _is_tame(value: Any) -> bool:
    if isinstance(value, str):  # Spark makes lower(upper(x)) lower(x), which is another for ß
        return "ß" not in value
    if isinstance(value, float):  # which of two zeros is the least?
        return math.copysign(1, value) > 0 or value != 0
    return not isinstance(value, date | datetime) or 1800 < value.year < 2100


def translated(text: str) -> Typed:
    return translate(text, COLUMNS)


def compare(
    spark: SparkSession,
    texts: Sequence[str],
    table: pa.Table,
    ulps: Callable[[str], int],
    normal: Mapping[str, str] | None = None,
) -> list[str]:
    """What differs between the engines, in type or in value, a line for each expression.

    ``normal`` has texts that Spark is to run instead, for DuckDB as well.
    """
    theirs = _in_spark(spark, texts, table)
    ours, kinds = _in_duckdb([(normal or {}).get(text, text) for text in texts], table)
    if normal is not None:
        theirs_too = _in_spark(spark, list(normal.values()), table)
        pairs = [(theirs[n], theirs_too[n]) for n in range(len(texts))]
    else:
        pairs = [(theirs[n], ours[n]) for n in range(len(texts))]
    found = []
    for text, kind, (one, other) in zip(texts, kinds, pairs, strict=True):
        if kind != "void" and one.type != other.type:
            found.append(f"{text}: {one.type} in Spark, {other.type} here, said to be {kind}")
            continue
        spark_says, we_say = _plain(one), _plain(other)
        both = enumerate(zip(spark_says, we_say, strict=True))
        rows = [row for row, (a, b) in both if not same(a, b, ulps(text))]
        for row in rows[:1]:
            said = f"{spark_says[row]!r} in Spark, {we_say[row]!r} here ({len(rows)} rows)"
            found.append(f"{text}: {_shown(text, row, table)} gives {said}")
    return found


def _shown(text: str, row: int, table: pa.Table) -> str:
    used = [name for name in COLUMNS if name in text]
    return ", ".join(f"{name}={table[name][row]}" for name in used)


def _plain(column: pa.ChunkedArray) -> list[Any]:
    """Values of Python; instants as numbers, since Python's end with the year 9999."""
    if pa.types.is_timestamp(column.type):
        return column.cast(pa.int64()).to_pylist()
    return (
        column.cast(pa.int32()).to_pylist() if pa.types.is_date(column.type) else column.to_pylist()
    )


def _in_duckdb(texts: Sequence[str], table: pa.Table) -> tuple[pa.Table, list[str]]:
    typed = [translated(text) for text in texts]
    with duckdb.connect(":memory:") as duck:
        duck.execute("SET TimeZone = 'UTC'")
        teach(duck)
        duck.register("edges", table)
        parts = []
        for first in range(0, len(typed), 100):
            part = enumerate(typed[first : first + 100], start=first)
            columns = ", ".join(f"{one.sql} AS x{number}" for number, one in part)
            parts.append(duck.sql(f"SELECT {columns} FROM edges").to_arrow_table())
    names = [name for part in parts for name in part.column_names]
    return pa.table([c for part in parts for c in part.columns], names), [t.kind for t in typed]


def _in_spark(spark: SparkSession, texts: Sequence[str], table: pa.Table) -> pa.Table:
    """ANSI mode is off; nothing is compiled, since each expression is run once."""
    session = spark.newSession()
    session.conf.set("spark.sql.ansi.enabled", "false")
    session.conf.set("spark.sql.session.timeZone", "UTC")
    session.conf.set("spark.sql.codegen.wholeStage", "false")
    session.conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN")
    frame = session.createDataFrame(table).coalesce(1)
    local = {n: F.col(n).cast(kind) for n, kind in COLUMNS.items() if kind == "timestamp_ntz"}
    frame = frame.withColumns(local)
    named = (f"{text} AS x{number}" for number, text in enumerate(texts))
    return frame.selectExpr(*named).toArrow()


def same(a: Any, b: Any, ulps: int = 0) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        if math.isnan(a) or math.isnan(b):
            return math.isnan(a) and math.isnan(b)
        if ulps and math.isfinite(a) and math.isfinite(b):
            return abs(a - b) <= ulps * max(math.ulp(a), math.ulp(b))
        return struct.pack("d", a) == struct.pack("d", b)
    return type(a) is type(b) and bool(a == b)
