"""Folders into which others write Parquet, JSON or CSV files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from slackwater.errors import SourceError
from slackwater.query.schema import Column, Schema
from slackwater.runs.paths import is_remote, local_path
from slackwater.spark.sources import folder as folders
from slackwater.spark.sources.base import ddl
from slackwater.spark.sources.infer import infer

# header: files written by people have one. enforceSchema=false: a file with other columns is an
# error when it comes, instead of values in the wrong columns.
_DEFAULTS = {"csv": {"header": "true", "enforceSchema": "false"}, "json": {}, "parquet": {}}


@dataclass(frozen=True, slots=True)
class Files:
    """The source made by `files`."""

    path: str
    format: str
    columns: Schema
    files_per_batch: int | None = None
    glob: str | None = None
    options: tuple[tuple[str, str], ...] = ()

    def schema(self) -> Schema:
        return self.columns

    def open(self, spark: SparkSession) -> DataFrame:
        stream = spark.readStream.format(self.format).schema(ddl(self.columns))
        for name, value in self.options:
            stream = stream.option(name, value)
        if self.files_per_batch is not None:
            stream = stream.option("maxFilesPerTrigger", self.files_per_batch)
        if self.glob is not None:
            stream = stream.option("pathGlobFilter", self.glob)
        remote = is_remote(self.path)
        return stream.load(self.path if remote else folders.as_glob(Path(self.path)))

    def describe(self) -> dict[str, Any]:
        return {
            "kind": "files",
            "path": self.path,
            "format": self.format,
            "schema": self.columns.to_json(),
            "glob": self.glob,
            "options": dict(self.options),
            "pace": {"files_per_batch": self.files_per_batch},
        }


def files(
    path: str | Path,
    format: str = "parquet",  # noqa: A002 - Spark's word for it
    *,
    schema: Schema | Mapping[str, str] | None = None,
    files_per_batch: int | None = None,
    glob: str | None = None,
    options: Mapping[str, object] | None = None,
) -> Files:
    """A stream of the files of a folder, those there now and those that come.

    Parameters
    ----------
    path : str or Path
        The folder; files are taken oldest first, names that begin with ``_`` or ``.`` left out.
    format : str
        ``parquet``, ``json`` (one object per line) or ``csv`` (with a header unless told).
    schema : Schema or mapping of column to type, optional
        Types in Spark's names. Left out, they are found in the first files: Parquet timestamps
        with a zone are ``timestamp``, without one ``timestamp_ntz``; in JSON and CSV both are
        ``timestamp``, in the session's time zone where the text names none.
    files_per_batch : int, optional
        Most files of a micro-batch.
    glob : str, optional
        Which file names to take, e.g. ``"*.parquet"``.
    options : mapping, optional
        Options of Spark's reader for the format.

    Raises
    ------
    SourceError
        The folder is missing, empty (without a schema) or unreadable, or its files disagree.
    """
    folders.check_format(format)
    if files_per_batch is not None and files_per_batch < 1:
        raise SourceError(
            "SOURCE_INVALID", f"files: files_per_batch is {files_per_batch}", "give at least 1"
        )
    given = {name: _text(value) for name, value in (options or {}).items()}
    merged = {**_DEFAULTS[format], **given}
    where = str(path) if is_remote(str(path)) else str(local_path(path))
    columns = _columns(schema) if schema is not None else None
    if not is_remote(where):
        folders.check_folder(Path(where))
        folders.check_pattern(Path(where), merged)
    return Files(
        path=where,
        format=format,
        columns=columns or _inferred(where, format, glob, merged),
        files_per_batch=files_per_batch,
        glob=glob,
        options=tuple(sorted(merged.items())),
    )


def _columns(schema: Schema | Mapping[str, str]) -> Schema:
    if isinstance(schema, Schema):
        return schema
    return Schema(tuple(Column(name, kind) for name, kind in schema.items()))


def _inferred(where: str, file_format: str, glob: str | None, options: dict[str, str]) -> Schema:
    if is_remote(where):
        raise SourceError(
            "SOURCE_SCHEMA", f"the files at {where} cannot be looked at here", "give a schema"
        )
    folder = Path(where)
    split = folders.partition_folders(folder)
    if split:
        raise SourceError(
            "SOURCE_SCHEMA",
            f"{folder} is partitioned ({split[0]}); types of partition columns are not inferred",
            "give a schema that includes the partition columns",
        )
    found = folders.data_files(folder, glob, options)
    if not found:
        raise SourceError(
            "SOURCE_EMPTY",
            f"the folder {folder} has no data files{f' that match {glob!r}' if glob else ''}",
            "give a schema to start on an empty folder",
        )
    return infer(found, file_format, options)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
