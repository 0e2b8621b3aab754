"""Folders of Parquet files that executors write."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame


def write_parquet(frame: DataFrame, folder: Path, apart: str | None = None) -> None:
    """Write a folder that nobody looks at until it is whole: nothing to be renamed at the end.

    Rows that differ in the column ``apart`` go to folders of their own.
    """
    writer = frame.write.mode("overwrite")
    if apart is not None:
        writer = writer.partitionBy(apart)
    writer = writer.option("mapreduce.fileoutputcommitter.algorithm.version", "2")
    writer = writer.option("mapreduce.fileoutputcommitter.marksuccessfuljobs", "false")
    writer.parquet(uri(folder))


def uri(path: Path) -> str:
    """A path as Hadoop reads it: nothing is escaped."""
    return f"file://{path}"
