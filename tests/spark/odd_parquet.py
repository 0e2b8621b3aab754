"""Random Parquet files: columns missing, renamed, of other types, packed in many ways."""

from __future__ import annotations

from decimal import Context, Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.types as kinds

from slackwater.execute.files import Form
from slackwater.query.schema import Column, Schema
from tests.spark.odd_values import KINDS, Chance

STORED = (
    *(pa.bool_(), pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint32()),
    *(pa.uint64(), pa.float32(), pa.float64(), pa.string(), pa.large_string(), pa.string_view()),
    *(pa.binary(), pa.binary(4), pa.date32(), pa.date64(), pa.timestamp("s"), pa.timestamp("ms")),
    *(pa.timestamp("us"), pa.timestamp("ns"), pa.timestamp("ms", "UTC"), pa.timestamp("us", "UTC")),
    *(pa.timestamp("us", "Europe/Berlin"), pa.timestamp("ns", "UTC"), pa.time64("us")),
    *(pa.duration("us"), pa.decimal128(10, 2), pa.decimal128(9, 2), pa.decimal128(38, 18)),
    *(pa.decimal32(5, 2), pa.list_(pa.int64()), pa.struct([("a", pa.int64())])),
    pa.dictionary(pa.int32(), pa.string()),
)
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def parquet_form(chance: Chance, zone: str) -> Form:
    columns = chance.random.choices((*KINDS, "binary"), k=chance.random.choice([1, 2, 3]))
    schema = Schema(tuple(Column(f"c{n}", kind) for n, kind in enumerate(columns)))
    return Form("parquet", schema, (), zone)


def write_parquet(chance: Chance, form: Form, path: Path, *, odd: bool) -> None:
    """A file with the columns of a form; ``odd`` ones have others, or old times."""
    pick = chance.random
    rows = pick.choice([0, 1, 5, 50])
    columns: dict[str, pa.Array] = {}
    for field in form.schema(form.columns.names):
        if odd and chance.often(0.1):
            continue
        kind = pick.choice(STORED) if odd and chance.often(0.4) else field.type
        name = pick.choice([field.name.upper(), f"{field.name}.a"]) if odd else field.name
        columns[name if chance.often(0.2) else field.name] = _values(chance, kind, rows, odd=odd)
    columns["other"] = _values(chance, pa.int64(), rows, odd=False)
    table = pa.table(dict(pick.sample(list(columns.items()), len(columns))))
    pq.write_table(table, path, **_packing(chance, odd=odd))


def _packing(chance: Chance, *, odd: bool) -> dict[str, Any]:
    pick = chance.random
    codecs = ["snappy", "gzip", "zstd", "none"]
    return {
        "compression": pick.choice([*codecs, "lz4", "brotli"] if odd else codecs),
        "version": pick.choice(["2.4", "2.6"]),
        "coerce_timestamps": pick.choice([None, "ms"] if odd else [None]),
        "allow_truncated_timestamps": True,
        "data_page_version": pick.choice(["1.0", "2.0"]),
        "store_schema": chance.often(0.8),
        "row_group_size": pick.choice([3, 1000]),
        "store_decimal_as_integer": chance.often(0.3),
        "use_dictionary": chance.often(0.5),
        "use_deprecated_int96_timestamps": odd and chance.often(0.1),
    }


def _values(chance: Chance, kind: pa.DataType, rows: int, *, odd: bool) -> pa.Array:
    if kinds.is_dictionary(kind):
        return _values(chance, kind.value_type, rows, odd=odd).dictionary_encode()
    found = [None if chance.often(0.15) else _value(chance, kind, odd=odd) for _ in range(rows)]
    return pa.array(found, kind)


def _value(chance: Chance, kind: pa.DataType, *, odd: bool) -> Any:
    pick = chance.random
    if kinds.is_boolean(kind):
        return chance.often(0.5)
    if kinds.is_integer(kind):
        signed = kinds.is_signed_integer(kind)
        top = 1 << (kind.bit_width - signed)
        return pick.choice([pick.randint(0, 100), pick.randint(-top if signed else 0, top - 1)])
    if kinds.is_floating(kind):
        return pick.choice([pick.gauss(0, 1), float("nan"), float("inf"), -0.0])
    if kinds.is_decimal(kind):
        digits = pick.randint(0, 10 ** pick.randint(0, kind.precision) - 1)
        return Decimal(pick.choice([1, -1]) * digits).scaleb(-kind.scale, Context(prec=60))
    if kinds.is_temporal(kind):
        return _time(chance, kind, odd=odd)
    if kinds.is_nested(kind):
        return [1] if kinds.is_list(kind) else {"a": 1}
    if kinds.is_fixed_size_binary(kind):
        return pick.randbytes(4)
    return pick.randbytes(3) if kinds.is_binary(kind) else pick.choice(["a", "", "ü", "日本", " x"])


def _time(chance: Chance, kind: pa.DataType, *, odd: bool) -> int:
    pick = chance.random
    first = -9_000_000_000 if odd and chance.often(0.02) else -2_000_000_000
    seconds = pick.randint(first, 4_000_000_000)
    if kinds.is_date32(kind):
        return seconds // 86_400
    if kinds.is_date64(kind):
        return seconds // 86_400 * 86_400_000
    if kinds.is_timestamp(kind):
        return seconds * _PER_SECOND[kind.unit]
    return pick.randint(0, 10**9)
