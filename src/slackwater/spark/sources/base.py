"""What every source can do."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from pyspark.sql import DataFrame, SparkSession

from slackwater.query.names import quoted
from slackwater.query.schema import Schema


@runtime_checkable
class Source(Protocol):
    """Where rows come from: known before Spark runs, opened when the pipeline starts."""

    def schema(self) -> Schema:
        """The columns, without a Spark session."""
        ...

    def open(self, spark: SparkSession) -> DataFrame:
        """A streaming DataFrame of the rows."""
        ...

    def describe(self) -> dict[str, Any]:
        """What the rows are, as a stable JSON value.

        Everything but the entry ``pace`` says which rows the source gives: a checkpoint may only
        be continued if that is unchanged. ``pace`` says how fast, and may change on restart.
        """
        ...


def ddl(schema: Schema) -> str:
    """The schema in Spark's DDL."""
    return ", ".join(f"{quoted(c.name)} {c.type}" for c in schema.columns)
