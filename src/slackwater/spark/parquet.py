"""Folders of Parquet files that executors write."""

from __future__ import annotations

import shutil
from pathlib import Path

from pyspark.sql import DataFrame

from slackwater.spark.checkpoint import storage_error


def write_parquet(
    frame: DataFrame, folder: Path, apart: str | None = None, *, plain: bool = False
) -> None:
    """Write a folder that nobody looks at until it is whole: nothing to be renamed at the end.

    Rows that differ in the column ``apart`` go to folders of their own. ``plain``: no dictionaries,
    which cost more than they save where values hardly repeat.
    """
    _make_room(folder)
    writer = frame.write.mode("append")
    if apart is not None:
        writer = writer.partitionBy(apart)
    writer = writer.option("mapreduce.fileoutputcommitter.algorithm.version", "2")
    writer = writer.option("mapreduce.fileoutputcommitter.marksuccessfuljobs", "false")
    if plain:
        writer = writer.option("parquet.enable.dictionary", "false")
    writer.parquet(uri(folder))


def _make_room(folder: Path) -> None:
    """An empty folder with those that Spark writes in; Hadoop starts a process to make each one."""
    try:
        if folder.exists():
            shutil.rmtree(folder)
        (folder / "_temporary" / "0" / "_temporary").mkdir(parents=True)
    except OSError as error:
        raise storage_error(error, folder) from error


def uri(path: Path) -> str:
    """A path as Hadoop reads it: nothing is escaped."""
    return f"file://{path}"
