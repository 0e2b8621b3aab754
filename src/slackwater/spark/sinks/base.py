"""Where results go. A sink is idempotent by batch id; a transactional one commits with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True, slots=True)
class Results:
    """The results of one query in one batch, as an Arrow table or as a DataFrame."""

    session: SparkSession
    relation: pa.Table | DataFrame
    schema: pa.Schema | None = None

    @property
    def is_distributed(self) -> bool:
        return isinstance(self.relation, DataFrame)

    def arrow(self) -> pa.Table:
        """The rows in the driver."""
        if not isinstance(self.relation, DataFrame):
            return self.relation
        table = self.relation.toArrow()
        return table if self.schema is None else table.cast(self.schema)

    def dataframe(self) -> DataFrame:
        """The rows as a DataFrame."""
        if isinstance(self.relation, DataFrame):
            return self.relation
        return self.session.createDataFrame(self.relation)


@runtime_checkable
class Sink(Protocol):
    """What a sink must do.

    ``write`` may be called again with the same batch id after a failure, with the same rows: the
    second call must replace the first. A transactional sink stores the batch id together with
    the rows in one transaction and skips ids it has. ``rollback(batch)`` is called when the
    pipeline starts: whatever was written for later batches was never committed.
    """

    def open(self, query: str) -> None:
        """Check that results can be written; raise ``SinkError`` if not."""
        ...

    def write(self, batch: int, results: Results) -> int:
        """Store the results of a batch; give the number of rows."""
        ...

    def rollback(self, batch: int) -> None:
        """Forget the results of all batches after ``batch``."""
        ...
