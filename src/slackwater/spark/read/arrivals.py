"""Files that came with a batch, looked at beside the job that reads them.

Spark gives null for a column that a Parquet file does not have, passes over a file that is gone,
and tells of one with another type in many lines of Java. What became of a file is said here, from
its footer, without reading rows.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from slackwater.errors import SourceError
from slackwater.query.names import folded
from slackwater.runs.offsets import SparkLog
from slackwater.runs.paths import is_remote
from slackwater.spark.sources.files import Files
from slackwater.spark.sources.infer import types_of

FEW = 64  # files of a batch that are looked at while it is read
SHOWN = 3  # files in one message


@dataclass(frozen=True, slots=True)
class Watched:
    """A stream of local files, and the columns of it that are read."""

    stream: str
    source: Files
    columns: tuple[str, ...]

    @classmethod
    def of(cls, stream: str, source: object, columns: Iterable[str]) -> Watched | None:
        if not isinstance(source, Files) or is_remote(source.path):
            return None
        return cls(stream, source, tuple(dict.fromkeys(columns)))

    def has(self, file: Path) -> bool:
        return file.is_relative_to(self.source.path)

    def types(self, file: Path) -> dict[str, str]:
        """Columns of a file by folded name; raises :class:`SourceError` if it is none."""
        found = types_of(file, self.source.format, dict(self.source.options))
        return {folded(name): kind for name, kind in found.items()}

    def tied(self) -> list[str]:
        """Files with one modification time, as Spark reads it; where batches take all, no matter.

        Spark takes such files in the order in which the folder lists them.
        """
        if self.source.files_per_batch is None:
            return []
        found: dict[int, list[str]] = {}
        for entry in os.scandir(self.source.path):
            if entry.is_file() and not entry.name.startswith(("_", ".")):
                found.setdefault(entry.stat().st_mtime_ns // 1_000_000, []).append(entry.name)
        return sorted(name for names in found.values() if len(names) > 1 for name in names)

    def lacking(self, file: Path) -> list[str]:
        """Columns that are read and not there; JSON leaves out what is null."""
        if self.source.format != "parquet" or not file.stat().st_size:
            return []
        have = self.types(file)
        return [name for name in self.columns if folded(name) not in have]

    def differing(self, file: Path, story: str) -> list[str]:
        """How the columns of a file differ from what is expected; those that Spark names first."""
        have = self.types(file)
        wanted = {name: self.source.columns.type_of(name) for name in self.columns}
        found = {
            name: f"column {name!r} is {have[folded(name)].lstrip('!')}, expected {kind}"
            for name, kind in wanted.items()
            if folded(name) in have and have[folded(name)] != kind
        }
        if self.source.format == "csv" and list(have) != list(
            map(folded, self.source.columns.names)
        ):
            names = ", ".join(self.source.columns.names)
            return [f"its columns are {', '.join(have)}, expected {names}"]
        named = [text for name, text in found.items() if f"[{name}]" in story]
        return named or list(found.values())


@dataclass(slots=True)
class Arrivals:
    """Looks at the files of each batch; ``told`` are columns whose absence is known already."""

    log: SparkLog
    watched: tuple[Watched, ...]
    told: set[tuple[str, str]] = field(default_factory=set)
    begun: bool = False

    def notices(self, batch: int) -> list[str]:
        """What a person should know of the new files: told, and never a reason to stop."""
        if not self.watched:
            return []
        found: list[str] = []
        try:
            found += [] if self.begun else self._tied()
            self.begun = True
            for one, files in self._files(batch):
                gone = [file for file in files if not file.exists()]
                if gone:
                    text = f"{_shown(gone)} gone: nothing of it is read"
                    found.append(f"stream {one.stream!r}: {text}")
                found += self._lacking(one, [file for file in files if file not in gone])
        except (OSError, ValueError, KeyError, SourceError):
            pass  # the reader itself will stumble, or it was a look too early
        return found

    def _tied(self) -> list[str]:
        """Said once: what makes two runs over copies of a folder differ."""
        return [
            f"stream {one.stream!r}: {len(names)} files share their time with others, e.g. "
            f"{', '.join(names[:2])}: they are read in no stated order"
            for one in self.watched
            if (names := one.tied())
        ]

    def _lacking(self, one: Watched, files: Sequence[Path]) -> list[str]:
        absent: dict[str, list[Path]] = {}
        for file in files[:FEW]:
            for name in one.lacking(file):
                absent.setdefault(name, []).append(file)
        found = []
        for name, where in absent.items():
            if (one.stream, name) not in self.told:
                found.append(
                    f"stream {one.stream!r}: no column {name!r} in {_shown(where)}: null in these "
                    "rows, and in those of later files without it, which are not told again"
                )
            self.told.add((one.stream, name))
        return found

    def failure(self, error: BaseException, batch: int) -> SourceError | None:
        """The error for people, if a batch failed because of a file that is not as expected."""
        if not self.watched or not isinstance(error, PySparkException | Py4JError):
            return None
        story, wrong = str(error), []
        try:
            for one, files in self._files(batch):
                for file in files:
                    wrong += [(one, file, text) for text in _wrong(one, file, story)]
        except (OSError, ValueError, KeyError):
            return None
        return _refusal(wrong) if wrong else None

    def _files(self, batch: int) -> list[tuple[Watched, list[Path]]]:
        files = self.log.files(batch)
        return [(one, [file for file in files if one.has(file)]) for one in self.watched]


def _wrong(one: Watched, file: Path, story: str) -> list[str]:
    """What is wrong with a file that Spark speaks of."""
    if file.name not in unquote(story) or not file.exists():
        return []
    try:
        return one.differing(file, story)
    except SourceError as error:
        return [error.message.removeprefix(f"{file} ")]


def _refusal(wrong: Sequence[tuple[Watched, Path, str]]) -> SourceError:
    one, file, _ = wrong[0]
    said = "; ".join(text for _, other, text in wrong if other == file)
    return SourceError(
        "SOURCE_FILE",
        f"stream {one.stream!r}: {file} is not as the files before it: {said}",
        "nothing of this batch was committed: write the file anew in its place, or remove it (its "
        "rows are then not read), and start again",
    )


def _shown(files: Sequence[Path]) -> str:
    names = ", ".join(str(file) for file in files[:SHOWN])
    return names if len(files) <= SHOWN else f"{names} and {len(files) - SHOWN} more"
