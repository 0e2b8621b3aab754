"""Which files a recording is made of, in the order of their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path

from slackwater.errors import SourceError

_READERS = {
    ".parquet": "read_parquet",
    ".pq": "read_parquet",
    ".csv": "read_csv",
    ".tsv": "read_csv",
    ".json": "read_json",
    ".jsonl": "read_json",
    ".ndjson": "read_json",
}
_PACKED = (".gz", ".zst")


@dataclass(frozen=True, slots=True)
class Files:
    """Data files of one format; ``reader`` is the DuckDB function that reads them."""

    paths: tuple[str, ...]
    reader: str

    @property
    def relation(self) -> str:
        """The files as an SQL table, rows in file order."""
        return self.relation_of(self.paths)

    def relation_of(self, paths: Sequence[str]) -> str:
        listed = ", ".join("'" + path.replace("'", "''") + "'" for path in paths)
        more = ", union_by_name = true" if len(self.paths) > 1 else ""
        return f"{self.reader}([{listed}]{more})"


def find_files(patterns: Sequence[str]) -> Files:
    """The files that paths, folders and globs name; each once, by name."""
    found = sorted({path for pattern in patterns for path in _expand(pattern)})
    readers = {_reader(path): path for path in reversed(found)}
    if len(readers) > 1:
        one, other = list(readers.values())[:2]
        raise SourceError(
            "FORMATS_DIFFER",
            f"{other} and {one} have different formats",
            "give files of one format",
        )
    empty = [path for path in found if not Path(path).stat().st_size]
    if empty:
        raise SourceError("SOURCE_EMPTY", f"{empty[0]} is empty", "leave it out")
    return Files(tuple(found), next(iter(readers)))


def _expand(pattern: str) -> list[str]:
    path = Path(pattern)
    if path.is_file():
        return [pattern]
    if path.is_dir():
        inside = [str(file) for file in path.iterdir() if file.is_file() and _known(file.name)]
        return inside or _refuse(f"the folder {pattern} has no data files")
    if has_magic(pattern):
        names = glob(pattern, recursive=True)  # noqa: PTH207 - patterns may be absolute
        matched = [name for name in names if Path(name).is_file()]
        return matched or _refuse(f"no file matches {pattern}")
    return _refuse(f"there is no file {pattern}")


def _refuse(what: str) -> list[str]:
    raise SourceError("FILE_NOT_FOUND", what, "check the path; globs such as 'day-*.csv' work too")


def _known(name: str) -> bool:
    return _suffix(name) in _READERS and not name.startswith((".", "_"))


def _suffix(name: str) -> str:
    path = Path(name.lower())
    return Path(path.stem).suffix if path.suffix in _PACKED else path.suffix


def _reader(path: str) -> str:
    reader = _READERS.get(_suffix(path))
    if reader is None:
        raise SourceError(
            "FORMAT_UNKNOWN",
            f"the format of {path} cannot be told from its name",
            f"known endings: {', '.join(_READERS)}",
        )
    return reader
