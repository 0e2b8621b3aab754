"""A tick that keeps a quiet pipeline moving.

Spark's ``rate`` source would do, but for one thing: it does not know the trigger ``availableNow``,
and a single such source makes Spark run the whole query as one batch, whatever the limits of the
other sources. This one gives no ticks there, and leaves the others their batches.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit, SupportsTriggerAvailableNow
from pyspark.sql.types import StructType

from slackwater.errors import SourceError
from slackwater.runs.offsets import UNBEATEN
from slackwater.units import duration

_ARROW = pa.schema({"timestamp": pa.timestamp("us", tz="UTC")})


def heartbeat(spark: SparkSession, every: int | str = 1_000_000) -> DataFrame:
    """A stream that gives a row per period; its column ``timestamp`` is the wall time of the tick.

    A batch has at most one row, the newest tick: missed ones do not pile up. The tick is part of
    the offset, so a batch that is run again sees the same. Under the trigger ``availableNow``
    there are no ticks.

    Parameters
    ----------
    every : int or str
        Microseconds, or a duration as text.
    """
    period = duration(every) if isinstance(every, str) else every
    if period <= 0:
        raise SourceError(
            "SOURCE_INVALID", f"heartbeat: every is {every!r}", 'give a period like "1 second"'
        )
    spark.dataSource.register(HeartbeatSource)
    return spark.readStream.format(HeartbeatSource.name()).option("every", period).load()


class HeartbeatSource(DataSource):
    """The Python data source behind `heartbeat`."""

    @classmethod
    def name(cls) -> str:
        return "slackwater_heartbeat"

    def schema(self) -> str:
        return "timestamp timestamp"

    def streamReader(self, schema: StructType) -> HeartbeatReader:
        return HeartbeatReader(int(self.options["every"]))


class HeartbeatReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Offsets are the instants of ticks, microseconds; 0 before the first."""

    def __init__(self, every: int) -> None:
        self._every = every
        self._stopped = False

    def initialOffset(self) -> dict[str, int]:
        return dict(UNBEATEN)

    def prepareForTriggerAvailableNow(self) -> None:
        self._stopped = True

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, int]:
        now = time.time_ns() // 1_000
        last = int(start["tick"])
        return {"tick": last if self._stopped else max(last, now - now % self._every)}

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        return [InputPartition(end["tick"])] if end["tick"] > start["tick"] else []

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        tick = pa.array([partition.value], _ARROW.field(0).type)
        yield pa.RecordBatch.from_arrays([tick], schema=_ARROW)
