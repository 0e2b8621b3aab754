"""Recorded rows, played again in the order and at the pace they once arrived."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from slackwater.errors import SourceError
from slackwater.query.schema import Schema
from slackwater.runs.paths import local_path
from slackwater.spark.sources import folder as folders
from slackwater.spark.sources import normalize
from slackwater.spark.sources.base import ddl
from slackwater.spark.sources.infer import infer
from slackwater.spark.sources.paced import Pace, PacedReader
from slackwater.spark.sources.row_index import Group, RowIndex, build_index, by_first_arrival
from slackwater.units import fingerprint

_INSTANTS = ("timestamp", "timestamp_ntz")
_ORDERS = (*_INSTANTS, "tinyint", "smallint", "int", "bigint")


@dataclass(frozen=True, slots=True)
class Recording:
    """The source made by `recording`."""

    path: str
    format: str
    time: str
    arrival: str | None
    columns: Schema
    index: RowIndex
    content: str
    pace: Pace

    def schema(self) -> Schema:
        return self.columns

    def open(self, spark: SparkSession) -> DataFrame:
        spark.dataSource.register(RecordingSource)
        wire = {"ddl": ddl(self.columns), "index": asdict(self.index), "pace": asdict(self.pace)}
        stream = spark.readStream.format(RecordingSource.name())
        return stream.option("recording", json.dumps(wire)).load()

    def describe(self) -> dict[str, Any]:
        return {
            "kind": "recording",
            "path": self.path,
            "format": self.format,
            "time": self.time,
            "arrival": self.arrival,
            "schema": self.columns.to_json(),
            "rows": self.index.rows,
            "content": self.content,
            "pace": asdict(self.pace),
        }


def recording(
    path: str | Path,
    *,
    time: str,
    arrival: str | None = None,
    speed: float | None = 1.0,
    format: str = "parquet",  # noqa: A002 - Spark's word for it
    rows_per_batch: int | None = None,
    sort: bool = False,
    glob: str | None = None,
    options: Mapping[str, str] | None = None,
    cache: str | Path | None = None,
    partitions: int = 2,
) -> Recording:
    """Replay recorded rows in arrival order, at the pace they came.

    Parameters
    ----------
    path : str or Path
        Folder of Parquet, CSV or JSON-lines files. Text is converted to Parquet once; times in it
        that have no zone are in UTC.
    time : str
        The event-time column.
    arrival : str, optional
        Column that orders the rows: an instant, which also paces them, or a sequence number. Left
        out, rows come in file order (by name).
    speed : float, optional
        Recorded seconds per wall second; ``None`` as fast as possible. Without an instant of
        arrival the pace is that of the stream's clock, the largest event time so far.
    format : str
        ``parquet``, ``csv`` or ``json``.
    rows_per_batch : int, optional
        Most rows of a micro-batch; 10 000 where nothing else bounds it (``speed=None``, or the
        trigger ``availableNow``, under which a recording is not paced).
    sort : bool
        Sort by arrival, once, into the cache folder, if the files are not sorted.
    glob, options
        Which file names to take; options of the format (``sep``, ``header``, ``nullValue``).
    cache : str or Path, optional
        Folder for converted and sorted copies; ``~/.cache/slackwater/recordings``.
    partitions : int
        Most Spark tasks that read one batch.

    Raises
    ------
    SourceError
        Missing, empty or unreadable folder, missing or wrong columns, rows not sorted by arrival.
    """
    folders.check_format(format)
    folder = local_path(path)
    folders.check_folder(folder)
    given = dict(options or {})
    found = sorted(folders.data_files(folder, glob, given))
    if not found:
        raise SourceError(
            "SOURCE_EMPTY", f"the folder {folder} has no data files", "give another path or glob"
        )
    pace = Pace(speed, rows_per_batch, partitions)
    schema = infer(found, format, given, by_spark=False)
    _refuse_wrong(schema, time, arrival, sort=sort, problems=pace.problems())
    copies = local_path(cache) if cache is not None else normalize.default_cache()
    parquet = (
        found if format == "parquet" else normalize.to_parquet(found, format, given, schema, copies)
    )
    ordered = _ordered(parquet, arrival, copies if sort else None)
    clock = arrival if arrival and schema.type_of(arrival) in _INSTANTS else time
    return Recording(
        path=str(folder),
        format=format,
        time=time,
        arrival=arrival,
        columns=schema,
        index=build_index(ordered, clock),
        content=fingerprint([[file.name, file.stat().st_size] for file in found]),
        pace=pace,
    )


def _ordered(files: list[Path], arrival: str | None, copies: Path | None) -> list[Path]:
    if arrival is None:
        return files
    try:
        return by_first_arrival(files, arrival)
    except SourceError as error:
        if copies is None or error.condition != "RECORDING_UNSORTED":
            raise
    return normalize.sort(files, arrival, copies)


def _refuse_wrong(
    schema: Schema, time: str, arrival: str | None, *, sort: bool, problems: list[str]
) -> None:
    columns = ", ".join(f"{c.name} {c.type}" for c in schema.columns)
    for role, name, allowed in (("time", time, _INSTANTS), ("arrival", arrival, _ORDERS)):
        kind = None if name is None else schema.type_of(name)
        if name is not None and kind is None:
            problems.append(f"{role} is {name!r}, but the columns are {columns}")
        elif kind is not None and kind not in allowed:
            problems.append(f"{role} {name!r} is {kind}; it must be one of {', '.join(allowed)}")
    if sort and arrival is None:
        problems.append("sort=True needs an arrival column to sort by")
    if problems:
        raise SourceError("SOURCE_INVALID", f"recording: {'; '.join(problems)}")


class RecordingSource(DataSource):
    """The Python data source behind `recording`; it runs in processes of its own."""

    @classmethod
    def name(cls) -> str:
        return "slackwater_recording"

    def schema(self) -> str:
        return str(json.loads(self.options["recording"])["ddl"])

    def streamReader(self, schema: StructType) -> RecordingReader:
        wire = json.loads(self.options["recording"])
        groups = tuple(Group(**group) for group in wire["index"]["groups"])
        index = RowIndex(wire["index"]["clock"], groups)
        return RecordingReader(index, Pace(**wire["pace"]), to_arrow_schema(schema, timezone="UTC"))


class RecordingReader(PacedReader):
    """Rows of a recording by number."""

    def __init__(self, index: RowIndex, pace: Pace, arrow: pa.Schema) -> None:
        super().__init__(pace, index.rows)
        self._index = index
        self._arrow = arrow

    def clock(self, row: int) -> int:
        return self._index.clock_at(row)

    def due(self, until: int) -> int:
        return self._index.due(until)

    def batches(self, first: int, last: int) -> Iterator[pa.RecordBatch]:
        for group, start, end in self._index.slices(first, last):
            part = _group_table(group, self._arrow).slice(start, end - start)
            yield from part.combine_chunks().to_batches()


# Python workers live on between batches: without this every small batch would read a whole group.
@lru_cache(maxsize=2)
def _group_table(group: Group, arrow: pa.Schema) -> pa.Table:
    with pq.ParquetFile(group.path) as file:
        have = set(file.schema_arrow.names)
        table = file.read_row_group(group.number, columns=[n for n in arrow.names if n in have])
    for field in arrow:
        if field.name not in have:
            table = table.append_column(field, pa.nulls(table.num_rows, field.type))
    return table.select(arrow.names).cast(arrow, safe=False)
