"""Recordings as Parquet in arrival order: converted and sorted once, into a cache folder.

Replay reads rows by number, which text files cannot give and unsorted files must not. The copy is
a function of the files, so that offsets keep their meaning when it has to be made again.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.json as pa_json
import pyarrow.parquet as pq

from slackwater.errors import SourceError, StorageError
from slackwater.execute.arrival_sort import sort_by_arrival
from slackwater.query.schema import Schema
from slackwater.spark.sources.folder import refuse_unreadable
from slackwater.spark.sources.infer import csv_options, parse_instants
from slackwater.units import fingerprint

ROWS_PER_GROUP = 100_000


def default_cache() -> Path:
    """``$XDG_CACHE_HOME/slackwater/recordings``; on a cluster give a folder all nodes see."""
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(home) / "slackwater" / "recordings"


def to_parquet(
    files: Sequence[Path], file_format: str, options: Mapping[str, str], schema: Schema, cache: Path
) -> list[Path]:
    """Text files as Parquet, one for one, rows in the same order."""

    def write(target: Path) -> None:
        for number, path in enumerate(files):
            _convert(path, target / f"{number:06d}.parquet", file_format, options, schema)

    key = ["to_parquet", 1, _stamps(files), file_format, dict(options), schema.to_json()]
    return _cached(cache / fingerprint(key), write)


def sort(files: Sequence[Path], arrival: str, cache: Path) -> list[Path]:
    """All rows sorted by arrival; rows that arrived together keep their order."""

    def write(target: Path) -> None:
        sort_by_arrival(files, arrival, target / "000000.parquet", ROWS_PER_GROUP)

    return _cached(cache / fingerprint(["sort", 1, _stamps(files), arrival]), write)


def _cached(folder: Path, write: Callable[[Path], None]) -> list[Path]:
    if not folder.exists():
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            building = Path(tempfile.mkdtemp(prefix=f"{folder.name}.", dir=folder.parent))
        except OSError as error:
            raise _unwritable(folder, error) from error
        try:
            write(building)
            building.rename(folder)
        except OSError as error:
            if not folder.exists():  # else another process has made the same copy
                raise _unwritable(folder, error) from error
        finally:
            shutil.rmtree(building, ignore_errors=True)
    return sorted(folder.glob("*.parquet"))


def _unwritable(folder: Path, error: Exception) -> StorageError:
    return StorageError(
        "CACHE_FAILED",
        f"the copy of the recording could not be written to {folder.parent}: {error}",
        "give another folder with cache=, or make room",
    )


def _convert(
    path: Path, target: Path, file_format: str, options: Mapping[str, str], schema: Schema
) -> None:
    csv = file_format == "csv"
    tables = _csv_tables(path, options, schema) if csv else _json_tables(path, schema)
    writer: pq.ParquetWriter | None = None
    try:
        for table in tables:
            writer = writer or pq.ParquetWriter(target, table.schema)
            writer.write_table(table, row_group_size=ROWS_PER_GROUP)
    except pa.ArrowInvalid as error:
        refuse_unreadable(path, error)
    finally:
        if writer is not None:
            writer.close()


def _csv_tables(path: Path, options: Mapping[str, str], schema: Schema) -> Iterator[pa.Table]:
    read, parse, nulls = csv_options(options)
    if read.autogenerate_column_names:
        read.autogenerate_column_names, read.column_names = False, list(schema.names)
    convert = pa_csv.ConvertOptions(
        null_values=nulls, strings_can_be_null=True, column_types=_text_schema(schema)
    )
    with pa_csv.open_csv(path, read, parse, convert) as stream:
        for batch in stream:
            yield _with_instants(pa.Table.from_batches([batch]), schema)


def _json_tables(path: Path, schema: Schema) -> Iterator[pa.Table]:
    parse = pa_json.ParseOptions(explicit_schema=_text_schema(schema))
    yield _with_instants(pa_json.read_json(str(path), parse_options=parse), schema)


_TEXT = {
    "boolean": pa.bool_(),
    "bigint": pa.int64(),
    "double": pa.float64(),
    "string": pa.string(),
    "date": pa.date32(),
    "timestamp": pa.string(),  # parsed afterwards: Arrow must be told if there is a zone
}


def _text_schema(schema: Schema) -> pa.Schema:
    nested = [c.name for c in schema.columns if c.type not in _TEXT]
    if nested:
        raise SourceError(
            "SOURCE_TYPE",
            f"nested columns cannot be replayed from text: {', '.join(nested)}",
            "convert the recording to Parquet",
        )
    return pa.schema([(c.name, _TEXT[c.type]) for c in schema.columns])


def _with_instants(table: pa.Table, schema: Schema) -> pa.Table:
    for position, column in enumerate(schema.columns):
        if column.type == "timestamp":
            parsed = parse_instants(table.column(column.name))
            table = table.set_column(position, column.name, parsed)
    return table


def _stamps(files: Sequence[Path]) -> list[list[object]]:
    return [[str(path), path.stat().st_size, path.stat().st_mtime_ns] for path in files]
