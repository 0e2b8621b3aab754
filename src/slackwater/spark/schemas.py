"""Arrow and Spark schemas of rows."""

from __future__ import annotations

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import LongType, StructField, StructType


def arrow_schema(frame: DataFrame) -> pa.Schema:
    """The Arrow schema of a frame, everything nullable (engines differ on what never is null)."""
    schema = to_arrow_schema(frame.schema, timezone="UTC")
    return pa.schema([pa.field(field.name, field.type) for field in schema])


def spark_schema(schema: pa.Schema) -> StructType:
    """The Spark schema of Arrow columns; times without a zone are ``timestamp_ntz``."""
    return from_arrow_schema(schema, prefer_timestamp_ntz=True)


def as_frame(session: SparkSession, table: pa.Table) -> DataFrame:
    """A table as a DataFrame of exactly its types: Spark would put wall clocks into its zone."""
    return session.createDataFrame(table, spark_schema(table.schema))


def fitted(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """A table in the types of a schema; one that has them already is not touched."""
    return table if table.schema.equals(schema) else table.cast(schema)


def no_rows(session: SparkSession, rows: StructType) -> DataFrame:
    """No raw rows of a stream, with their event time."""
    return session.createDataFrame([], StructType([*rows.fields, StructField("__ts", LongType())]))
