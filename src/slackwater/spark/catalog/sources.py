"""What may be said of sources that read files."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from slackwater.frontends.catalog import SourceTable
from slackwater.frontends.values import (
    NUMBER,
    AnyTable,
    Count,
    Flag,
    Located,
    Text,
    TextTable,
    either,
    one_of,
)
from slackwater.spark.sources.files import Files, files
from slackwater.spark.sources.folder import FORMATS
from slackwater.spark.sources.recording import Recording, recording

MAX = "max"  # speed: as fast as possible

Format = Annotated[str, one_of(*FORMATS)]
Speed = Annotated[str | int | float, either(MAX, NUMBER)]


class FilesTable(SourceTable):
    """``[source.NAME]`` with ``kind = "files"``: files of a folder, now and to come."""

    path: Located
    """the folder"""
    format: Format | None = None
    """what the files are (`parquet`)"""
    columns: TextTable | None = Field(None, alias="schema")
    """a table of column and type (found in the first files)"""
    files_per_batch: Count | None = None
    """most files of a micro-batch"""
    glob: Text | None = None
    """which file names to take"""
    options: AnyTable | None = None
    """options of Spark's reader"""


class RecordingTable(SourceTable):
    """``[source.NAME]`` with ``kind = "recording"``: recorded rows, played again."""

    path: Located
    """the folder"""
    format: Format | None = None
    """what the files are (`parquet`)"""
    speed: Speed | None = None
    """recorded seconds per second (1)"""
    rows_per_batch: Count | None = None
    """most rows of a micro-batch"""
    sort: Flag | None = None
    """sort by arrival, once, if the files are not sorted (false)"""
    glob: Text | None = None
    """which file names to take"""
    options: TextTable | None = None
    """options of the format"""
    cache: Located | None = None
    """folder for converted and sorted copies"""
    partitions: Count | None = None
    """most Spark tasks that read one batch (2)"""


def open_files(table: FilesTable) -> Files:
    return files(**table.own())


def open_recording(table: RecordingTable) -> Recording:
    said = table.own()
    if said.get("speed") == MAX:
        said["speed"] = None
    return recording(**said, **table.said("time", "arrival"))
