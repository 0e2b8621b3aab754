"""SQL types, in Spark's spelling, as Arrow has them."""

from __future__ import annotations

import pyarrow as pa
from sqlglot import exp

INSTANT = pa.timestamp("us", "UTC")
_PLAIN = {
    "boolean": pa.bool_(),
    "tinyint": pa.int8(),
    "smallint": pa.int16(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "timestamp": INSTANT,
    "timestamp_ntz": pa.timestamp("us"),
    "void": pa.null(),
}


def arrow_type(kind: str) -> pa.DataType:
    """The Arrow type of an SQL type in Spark's spelling.

    >>> arrow_type("array<decimal(10,2)>")
    ListType(list<element: decimal128(10, 2)>)
    """
    if kind in _PLAIN:
        return _PLAIN[kind]
    return _of_tree(exp.DataType.build(kind, dialect="spark"))


def _of_tree(tree: exp.DataType) -> pa.DataType:
    inside = tree.expressions
    if tree.is_type("array"):
        return pa.list_(pa.field("element", _of_tree(inside[0])))
    if tree.is_type("map"):
        return pa.map_(*(_of_tree(part) for part in inside))
    if tree.is_type("struct"):
        return pa.struct([pa.field(part.name, _of_tree(part.args["kind"])) for part in inside])
    if tree.is_type("decimal"):
        digits = [int(part.name) for part in inside]
        return pa.decimal128(*(digits or (10, 0)))
    if tree.is_type("varchar", "char"):
        return pa.string()
    return _PLAIN[tree.sql("spark").lower()]


def sql_type(kind: pa.DataType) -> str | None:
    """The SQL type, in Spark's spelling, as which an Arrow type is read; ``None`` if there is none.

    >>> sql_type(pa.list_(pa.decimal128(10, 2))), sql_type(pa.duration("s"))
    ('array<decimal(10,2)>', None)
    """
    known = next((name for name, plain in _PLAIN.items() if plain == kind), None)
    if known is not None:
        return known
    if pa.types.is_dictionary(kind):
        return sql_type(kind.value_type)
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return "string"
    if pa.types.is_large_binary(kind):
        return "binary"
    if pa.types.is_timestamp(kind):
        return "timestamp_ntz" if kind.tz is None else "timestamp"
    if pa.types.is_date(kind):
        return "date"
    if pa.types.is_decimal128(kind):
        return f"decimal({kind.precision},{kind.scale})"
    if pa.types.is_unsigned_integer(kind):
        return {8: "smallint", 16: "int"}.get(kind.bit_width, "bigint")
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        inside = sql_type(kind.value_type)
        return None if inside is None else f"array<{inside}>"
    return None
