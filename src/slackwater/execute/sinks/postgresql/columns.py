"""Columns of a table: the types PostgreSQL has for those of Arrow."""

from __future__ import annotations

import pyarrow as pa

from slackwater.errors import SinkError

BATCH = "_batch"

_SIMPLE = {
    pa.bool_(): "boolean",
    pa.int8(): "smallint",
    pa.int16(): "smallint",
    pa.int32(): "integer",
    pa.int64(): "bigint",
    pa.float32(): "real",
    pa.float64(): "double precision",
    pa.string(): "text",
    pa.large_string(): "text",
    pa.binary(): "bytea",
    pa.date32(): "date",
}
_LONG = {
    "timestamptz": "timestamp with time zone",
    "timestamp": "timestamp without time zone",
}


def type_of(kind: pa.DataType) -> str | None:
    """The type of a column, ``None`` if there is no such."""
    if pa.types.is_timestamp(kind):
        return "timestamp" if kind.tz is None else "timestamptz"
    if pa.types.is_decimal(kind):
        return f"numeric({kind.precision},{kind.scale})"
    if pa.types.is_list(kind):
        inner = type_of(kind.value_type)
        return None if inner is None or pa.types.is_list(kind.value_type) else f"{inner}[]"
    return _SIMPLE.get(kind)


def spelt(kind: str) -> str:
    """A type as the server itself writes it."""
    name, brackets, rest = kind.partition("[")
    return f"{_LONG.get(name, name)}{brackets}{rest}"


def columns_of(schema: pa.Schema, place: str) -> dict[str, str]:
    """Name and type of every column; all that have no type are told at once."""
    found = {field.name: type_of(field.type) for field in schema}
    strange = [f"{field.name} ({field.type})" for field in schema if found[field.name] is None]
    if strange:
        raise SinkError(
            "SINK_TYPE",
            f"{place}: no column of a table can hold {', '.join(strange)}",
            "select what you need of it as columns of their own",
        )
    if BATCH in found:
        hint = "call it otherwise: that column tells batches apart"
        raise SinkError("SINK_COLUMNS", f"{place}: {BATCH} is a column of ours", hint)
    return {name: kind for name, kind in found.items() if kind is not None}
