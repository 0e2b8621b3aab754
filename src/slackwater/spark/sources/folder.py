"""The files of a folder, in the order they are read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import NoReturn

from slackwater.errors import SourceError

FORMATS = ("parquet", "json", "csv")


def as_glob(path: Path) -> str:
    """A local path as Spark's readers take it: they read patterns, so what is none is escaped.

    >>> print(as_glob(Path("/data/a*b")).count(chr(92)))
    1
    """
    return "file://" + re.sub(r"([][{}*?\\])", r"\\\1", str(path))


def check_pattern(folder: Path, options: Mapping[str, str]) -> None:
    """Refuse a folder that Spark takes for a pattern: it would read each file several times.

    That is so with an escaped path too, unless folders below are read as well.
    """
    odd = sorted(set(str(folder)) & set("[]{}*?\\"))
    if odd and options.get("recursiveFileLookup", "false").lower() != "true":
        raise SourceError(
            "SOURCE_PATH",
            f"{folder} has {' '.join(odd)} in it, which Spark reads as a pattern of file names",
            "rename the folder, or give a link to it (ln -s) whose path has none of them",
        )


def check_format(name: str) -> None:
    """Refuse a format that no reader knows."""
    if name not in FORMATS:
        raise SourceError(
            "SOURCE_FORMAT",
            f"format is {name!r}",
            f"use one of {', '.join(FORMATS)}, or pass a streaming DataFrame instead",
        )


def check_folder(folder: Path) -> None:
    """Refuse a folder that is missing, not a folder, or not readable."""
    if not folder.exists():
        raise SourceError(
            "SOURCE_MISSING",
            f"the folder {folder} does not exist",
            "create it (it may be empty if a schema is given) or correct the path",
        )
    if not folder.is_dir():
        raise SourceError(
            "SOURCE_MISSING", f"{folder} is a file, not a folder", f"give {folder.parent}"
        )
    try:
        next(folder.iterdir(), None)
    except OSError as error:
        refuse_unreadable(folder, error)


def data_files(folder: Path, glob: str | None, options: Mapping[str, str]) -> list[Path]:
    """The data files of a folder, oldest first, as Spark's file source takes them.

    Names that begin with ``_`` or ``.`` are not data.
    """
    deep = options.get("recursiveFileLookup", "false").lower() == "true"
    found = [
        path
        for path in (folder.rglob("*") if deep else folder.iterdir())
        if path.is_file() and not path.name.startswith(("_", ".")) and path.stat().st_size > 0
    ]
    wanted = [path for path in found if glob is None or fnmatch(path.name, glob)]
    return sorted(wanted, key=lambda path: (path.stat().st_mtime_ns, path.as_posix()))


def partition_folders(folder: Path) -> list[str]:
    """Folders named ``column=value``, which Spark turns into columns."""
    return sorted(path.name for path in folder.iterdir() if path.is_dir() and "=" in path.name)


def refuse_unreadable(path: Path, error: Exception) -> NoReturn:
    """Raise the error for a file or folder that cannot be read as what it should be."""
    raise SourceError(
        "SOURCE_UNREADABLE",
        f"{path} cannot be read: {error}",
        "check the format and the permissions, or keep the file out with glob=",
    ) from error
