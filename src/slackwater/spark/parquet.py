"""Folders of Parquet files that executors write."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Sequence
from pathlib import Path

import pyarrow.parquet as pq
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from slackwater.runs.files import storage_error
from slackwater.runs.run import Run, checksum, damaged, filled
from slackwater.spark.sources.folder import as_glob

PLAIN_FILES = {
    "fs.file.impl": "org.apache.hadoop.fs.RawLocalFileSystem",
    "fs.file.impl.disable.cache": "true",
}


def write_parquet(
    frame: DataFrame,
    folder: Path,
    apart: str | None = None,
    *,
    group_bytes: int | None = None,
    repeating: Collection[str] | None = None,
    checked: bool = True,
) -> None:
    """Write a folder that nobody looks at until it is whole: nothing to be renamed at the end.

    Rows that differ in the column ``apart`` go to folders of their own. ``group_bytes`` is the
    size of row groups. ``repeating`` names the only columns that get dictionaries, which cost
    more than they save where values hardly repeat. ``checked``: Hadoop adds a file of checksums to
    each file, which starts two processes.
    """
    _make_room(folder)
    writer = frame.write.mode("append")
    if apart is not None:
        writer = writer.partitionBy(apart)
    if group_bytes is not None:
        writer = writer.option("parquet.block.size", group_bytes)
    writer = writer.option("maxRecordsPerFile", 0)  # one file for each task, whatever its size
    if not checked:
        writer = writer.options(**PLAIN_FILES)
    writer = writer.option("mapreduce.fileoutputcommitter.algorithm.version", "2")
    writer = writer.option("mapreduce.fileoutputcommitter.marksuccessfuljobs", "false")
    if repeating is not None:
        writer = writer.option("parquet.enable.dictionary", "false")
        for name in repeating:
            writer = writer.option(f"parquet.enable.dictionary#{name}", "true")
    writer.parquet(uri(folder))


def _make_room(folder: Path) -> None:
    """An empty folder with those that Spark writes in; Hadoop starts a process to make each one."""
    try:
        if folder.exists():
            shutil.rmtree(folder)
        (folder / "_temporary" / "0" / "_temporary").mkdir(parents=True)
    except OSError as error:
        raise storage_error(error, folder) from error


def described(run: Run, folder: Path, *, summed: bool = False) -> Run:
    """A run as executors wrote it; ``summed`` adds the checksums of files that have none beside."""
    files = sorted((folder / run.path).glob("*.parquet"))
    rows = sum(pq.read_metadata(file).num_rows for file in files)
    parts: dict[str, tuple[int, int | None]] = {
        file.name: (file.stat().st_size, checksum(file.read_bytes()) if summed else None)
        for file in files
    }
    return filled(run, rows, 0, 0, parts)


def read_runs(
    session: SparkSession, folder: Path, runs: Sequence[Run], schema: StructType
) -> DataFrame:
    """The rows of some runs; raises if a file is not what was written."""
    for run in runs:
        for name, (size, _) in run.parts.items():
            path = folder / run.path / name if name else folder / run.path
            if not path.exists() or path.stat().st_size != size:
                raise damaged(path, "is missing or has another size than was written")
    paths = [as_glob(folder / run.path) for run in runs]
    try:
        return session.read.schema(schema).parquet(*paths)
    except PySparkException as error:
        raise damaged(folder / runs[0].path, f"cannot be read: {error}") from error


def uri(path: Path) -> str:
    """A path as Hadoop writes to it: nothing is escaped."""
    return f"file://{path}"
