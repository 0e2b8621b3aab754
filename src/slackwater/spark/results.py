"""Results as sinks take them: a table in the driver, a DataFrame, or files of tasks."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from slackwater.execute.sinks.sink import TableResults
from slackwater.execute.spread.parts import PartResults
from slackwater.spark.parquet import write_parquet
from slackwater.spark.schemas import arrow_schema, as_frame
from slackwater.spark.sources.folder import as_glob


@dataclass(frozen=True, slots=True)
class FrameResults:
    """Results that are a DataFrame: executors write them."""

    frame: DataFrame
    schema: pa.Schema | None = None

    @property
    def is_local(self) -> bool:
        return False

    def arrow(self) -> pa.Table:
        schema = arrow_schema(self.frame) if self.schema is None else self.schema
        return self.frame.toArrow().cast(schema)  # instants are told in UTC

    def dataframe(self) -> DataFrame:
        return self.frame

    def write_parquet(self, folder: Path, dictionaries: Collection[str] | None) -> int:
        write_parquet(self.frame, folder, repeating=dictionaries, checked=False)
        return sum(pq.read_metadata(file).num_rows for file in folder.glob("*.parquet"))


@dataclass(frozen=True, slots=True)
class DriverResults(TableResults):
    """Results that are a table in the driver of a session."""

    session: SparkSession

    def dataframe(self) -> DataFrame:
        return as_frame(self.session, self.table)


@dataclass(frozen=True, slots=True)
class TaskResults(PartResults):
    """Results that tasks have written, for sinks that want a DataFrame."""

    session: SparkSession

    def dataframe(self) -> DataFrame:
        found = self.session.read.parquet(*(as_glob(Path(part.path)) for part in self.parts))
        return found.orderBy(*self.order) if self.order else found
