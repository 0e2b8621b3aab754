"""Arrow and Spark schemas of rows."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import (
    ArrayType,
    CalendarIntervalType,
    DataType,
    DayTimeIntervalType,
    LongType,
    MapType,
    StructField,
    StructType,
    VariantType,
    YearMonthIntervalType,
)

from slackwater.errors import Problem, QueryError
from slackwater.query.names import quoted

_INTERVAL = "make a number of it, e.g. unix_micros(b) - unix_micros(a) AS micros"
_FOREIGN: dict[type[DataType], str] = {
    DayTimeIntervalType: _INTERVAL,
    YearMonthIntervalType: _INTERVAL,
    CalendarIntervalType: _INTERVAL,
    VariantType: "take what is needed out of it, e.g. variant_get(x, '$.a', 'int') AS a",
}


def arrow_schema(frame: DataFrame) -> pa.Schema:
    """The Arrow schema of a frame, everything nullable (engines differ on what never is null)."""
    problems = [p for field in frame.schema.fields if (p := _unsupported(field))]
    if problems:
        raise QueryError(problems)
    schema = to_arrow_schema(frame.schema, timezone="UTC")
    return pa.schema([pa.field(field.name, field.type) for field in schema])


def spark_schema(schema: pa.Schema) -> StructType:
    """The Spark schema of Arrow columns; times without a zone are ``timestamp_ntz``."""
    return from_arrow_schema(schema, prefer_timestamp_ntz=True)


def as_frame(session: SparkSession, table: pa.Table) -> DataFrame:
    """A table as a DataFrame of exactly its types: Spark would put wall clocks into its zone."""
    return session.createDataFrame(table, spark_schema(table.schema))


def _unsupported(field: StructField) -> Problem | None:
    """Types that one of the engines does not have."""
    hints = [_FOREIGN[type(kind)] for kind in _inside(field.dataType) if type(kind) in _FOREIGN]
    if not hints:
        return None
    text = f"{field.dataType.simpleString()} cannot be kept"
    return Problem("TYPE_UNSUPPORTED", f"column {field.name!r}", text, hints[0])


def _inside(kind: DataType) -> Iterator[DataType]:
    """A type and those it is made of."""
    yield kind
    if isinstance(kind, StructType):
        for field in kind.fields:
            yield from _inside(field.dataType)
    elif isinstance(kind, ArrayType):
        yield from _inside(kind.elementType)
    elif isinstance(kind, MapType):
        yield from _inside(kind.keyType)
        yield from _inside(kind.valueType)


def sql_type(kind: DataType) -> str:
    """A type as SQL reads it, whatever the fields of a struct are called."""
    if isinstance(kind, StructType):
        fields = (f"{quoted(f.name)}: {sql_type(f.dataType)}" for f in kind.fields)
        return f"struct<{', '.join(fields)}>"
    if isinstance(kind, ArrayType):
        return f"array<{sql_type(kind.elementType)}>"
    if isinstance(kind, MapType):
        return f"map<{sql_type(kind.keyType)}, {sql_type(kind.valueType)}>"
    return kind.simpleString()


def no_rows(session: SparkSession, rows: StructType) -> DataFrame:
    """No raw rows of a stream, with their event time."""
    return session.createDataFrame([], StructType([*rows.fields, StructField("__ts", LongType())]))
