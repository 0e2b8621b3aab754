"""A synthetic, seeded, disordered stream of any length."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource
from pyspark.sql.types import StructType

from slackwater.errors import SourceError
from slackwater.query.schema import Schema
from slackwater.spark.sources.base import ddl
from slackwater.spark.sources.paced import Pace, PacedReader
from slackwater.stats.workload import START, Disorder, Values, Workload, arrival, arrived, rows
from slackwater.units import EPOCH, SECOND

SCHEMA = Schema.of(seq="bigint", ts="timestamp", arrival="timestamp", key="bigint", value="double")
_INSTANT = pa.timestamp("us", tz="UTC")
_ARROW = pa.schema(
    {
        "seq": pa.int64(),
        "ts": _INSTANT,
        "arrival": _INSTANT,
        "key": pa.int64(),
        "value": pa.float64(),
    }
)
_ROWS_PER_ARROW_BATCH = 65_536


@dataclass(frozen=True, slots=True)
class Generator:
    """The source made by `generator`."""

    workload: Workload
    pace: Pace
    total_rows: int | None = None

    def schema(self) -> Schema:
        return SCHEMA

    def open(self, spark: SparkSession) -> DataFrame:
        spark.dataSource.register(GeneratorSource)
        stream = spark.readStream.format(GeneratorSource.name())
        return stream.option("generator", json.dumps(self.describe())).load()

    def describe(self) -> dict[str, Any]:
        pace = {**asdict(self.pace), "total_rows": self.total_rows}
        return {"kind": "generator", "workload": self.workload.to_json(), "pace": pace}


def generator(
    rows_per_second: float = 1_000.0,
    *,
    keys: int = 100,
    key_skew: float = 0.0,
    values: Values | None = None,
    disorder: Disorder | None = None,
    seed: int = 0,
    start: str | datetime | None = None,
    total_rows: int | None = None,
    rows_per_batch: int | None = None,
    speed: float | None = None,
    partitions: int = 2,
) -> Generator:
    """A seeded stream with the columns ``seq, ts, arrival, key, value``.

    ``seq`` numbers the arrivals from 0, ``ts`` is the event time, ``arrival`` when the row came.
    Row n is a function of the parameters and n: the same offsets give the same rows, in any run.

    Parameters
    ----------
    rows_per_second : float
        Rows per second of event time, outside bursts and gaps.
    keys, key_skew : int, float
        Keys are 0 to keys - 1, Zipf distributed with this skew (0 is uniform).
    values : Values, optional
        Distribution of ``value``; normal with mean 10 and standard deviation 2 unless told.
    disorder : Disorder, optional
        Share late, delays, bursts, gaps, regimes; none: in order, even.
    seed : int
        Same seed, same rows.
    start : str or datetime, optional
        Event time of the first row (ISO 8601; UTC unless it says otherwise); 2024-01-01.
    total_rows : int, optional
        The stream ends there. The trigger ``availableNow`` needs an end.
    rows_per_batch : int, optional
        Most rows of a micro-batch.
    speed : float, optional
        Stream seconds per wall second. Left out, it is 1 without ``rows_per_batch``; with it the
        stream is not paced: every trigger gives that many rows.
    partitions : int
        Most Spark tasks that make rows of one batch.

    Examples
    --------
    >>> late = Disorder.of(late=0.2, delay="pareto", scale="500 ms", cap="1 min")
    >>> sensors = generator(5_000, keys=50, disorder=late, seed=7)
    >>> sensors.schema().names
    ('seq', 'ts', 'arrival', 'key', 'value')
    """
    if speed is None and rows_per_batch is None:
        speed = 1.0
    pace = Pace(speed, rows_per_batch, partitions)
    problems = pace.problems()
    if total_rows is not None and total_rows < 0:
        problems.append(f"total_rows is {total_rows}; it must be at least 0, or None for no end")
    if problems:
        raise SourceError("SOURCE_INVALID", f"generator: {'; '.join(problems)}")
    workload = Workload(
        seed=seed,
        rows_per_second=rows_per_second,
        keys=keys,
        key_skew=key_skew,
        values=values or Values(),
        start=START if start is None else _instant(start),
        disorder=disorder or Disorder(),
    )
    return Generator(workload, pace, total_rows)


def _instant(value: str | datetime) -> int:
    try:
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(value)
    except ValueError as error:
        raise SourceError(
            "SOURCE_INVALID",
            f"generator: start is {value!r}, not an instant",
            'write it like "2024-01-01T12:00:00Z"',
        ) from error
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return round((aware - EPOCH).total_seconds() * SECOND)


class GeneratorSource(DataSource):
    """The Python data source behind `generator`; it runs in processes of its own."""

    @classmethod
    def name(cls) -> str:
        return "slackwater_generator"

    def schema(self) -> str:
        return ddl(SCHEMA)

    def streamReader(self, schema: StructType) -> GeneratorReader:
        described = json.loads(self.options["generator"])
        total = described["pace"].pop("total_rows")
        return GeneratorReader(
            Workload.from_json(described["workload"]), Pace(**described["pace"]), total
        )


class GeneratorReader(PacedReader):
    """Rows of a workload by number."""

    def __init__(self, workload: Workload, pace: Pace, total: int | None) -> None:
        super().__init__(pace, total)
        self._workload = workload

    def clock(self, row: int) -> int:
        return arrival(self._workload, row)

    def due(self, until: int) -> int:
        return arrived(self._workload, until)

    def batches(self, first: int, last: int) -> Iterator[pa.RecordBatch]:
        for start in range(first, last, _ROWS_PER_ARROW_BATCH):
            part = rows(self._workload, start, min(start + _ROWS_PER_ARROW_BATCH, last))
            columns = [
                pa.array(column, type=field.type)
                for column, field in zip(part, _ARROW, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(columns, schema=_ARROW)
