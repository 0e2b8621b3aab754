"""Types that every table knows: no dictionaries, instants in microseconds and UTC or in no zone."""

from __future__ import annotations

import pyarrow as pa


def plain(table: pa.Table) -> pa.Table:
    """Rows in plain types."""
    return table.cast(plain_schema(table.schema))


def plain_schema(schema: pa.Schema) -> pa.Schema:
    """Columns in plain types."""
    return pa.schema([pa.field(one.name, _plain(one.type)) for one in schema])


def _plain(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_dictionary(kind):
        return _plain(kind.value_type)
    if pa.types.is_timestamp(kind):
        return pa.timestamp("us", None if kind.tz is None else "UTC")
    if pa.types.is_large_string(kind):
        return pa.string()
    if pa.types.is_large_binary(kind):
        return pa.binary()
    return pa.int16() if pa.types.is_int8(kind) else kind
