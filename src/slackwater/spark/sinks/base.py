"""Where results go. A sink is idempotent by batch id; a transactional one commits with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from slackwater.spark.checkpoint import Owner
from slackwater.spark.schemas import arrow_schema, as_frame


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
        schema = arrow_schema(self.relation) if self.schema is None else self.schema
        return self.relation.toArrow().cast(schema)  # instants are told in UTC

    def dataframe(self) -> DataFrame:
        """The rows as a DataFrame."""
        if isinstance(self.relation, DataFrame):
            return self.relation
        return as_frame(self.session, self.relation)


@runtime_checkable
class Sink(Protocol):
    """What a sink must do.

    The rows of a batch are safe when ``write`` returns: a loss of power must not take them.

    ``write`` may be called again with the same batch id after a failure, with the same rows: the
    second call replaces the first, or is skipped. So a transactional sink stores the batch id
    together with the rows in one transaction and skips ids it has. The end of a stream (``flush``)
    has an id of its own: once it is decided it is finished before anything else, and no other rows
    come under that id.

    ``rollback(batch)`` is called when the pipeline starts: whatever was written for later batches
    is of a batch that was not finished (it comes again with the same rows), or, after
    ``slackwater repair``, of batches that were gone back from. Only after a repair an id can come
    again with *other* rows: a sink that skips ids has to forget the later ones here, rows and ids,
    or must not be used with a repaired checkpoint.
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


@runtime_checkable
class OwnedSink(Sink, Protocol):
    """A sink that remembers whose results it has, so that nobody rolls back those of others."""

    def claim(self, owner: Owner) -> None:
        """Take the sink for an output; raise ``SinkError`` if it has results of others."""
        ...
