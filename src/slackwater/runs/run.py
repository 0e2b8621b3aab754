"""Runs: immutable tables of state, named by a manifest.

The driver writes one Parquet file per state and micro-batch, each task one Arrow file.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from slackwater.errors import CheckpointError

ANY = -1  # in the place of a group: rows of any


@dataclass(frozen=True, slots=True, order=True)
class Slice:
    """Where the rows of a group lie in a file."""

    group: int
    first: int
    rows: int


@dataclass(frozen=True, slots=True)
class Run:
    """One run: where it lies, how many rows, which times it spans, how to check it.

    ``parts`` maps each file to its size and checksum (``None`` where executors wrote it).
    Rows with a pane after ``upper`` are strays that do not belong to the state. Where rows lie by
    group, ``slices`` are those of the file that are live.
    """

    state: str
    name: str
    batch: int
    rows: int
    low: int
    high: int
    parts: dict[str, tuple[int, int | None]]
    merged: int = 0
    upper: int | None = None
    slices: tuple[Slice, ...] | None = None

    @property
    def is_grouped(self) -> bool:
        """Whether its rows lie by group."""
        return self.slices is not None and all(one.group != ANY for one in self.slices)

    def ungrouped(self) -> Run:
        """The same rows, of which nobody knows the groups any more."""
        if self.slices is None:
            return self
        return replace(self, slices=tuple(replace(one, group=ANY) for one in self.slices))

    @property
    def bytes(self) -> int:
        return sum(size for size, _ in self.parts.values())

    @property
    def file_bytes(self) -> int:
        """Bytes of its file, if it is one; nothing is said of a folder."""
        return self.parts[""][0] if "" in self.parts else 0

    @property
    def path(self) -> str:
        return f"{self.state}/{self.name}"


def new_run(state: str, batch: int, tag: str) -> Run:
    """The name of a run to be written."""
    return Run(state, f"{batch:08d}-{tag}.parquet", batch, 0, 0, 0, {})


def filled(
    run: Run, rows: int, low: int, high: int, parts: dict[str, tuple[int, int | None]]
) -> Run:
    """A run that was written."""
    return replace(run, rows=rows, low=low, high=high, parts=parts)


def checksum(data: bytes | memoryview) -> int:
    return zlib.crc32(data)


def verify(run: Run, folder: Path) -> None:
    """Raise unless every file of a run has the size and content that were recorded."""
    for name, (size, crc) in run.parts.items():
        path = folder / run.path / name if name else folder / run.path
        if not path.exists():
            raise damaged(path, "is missing")
        if path.stat().st_size != size:
            raise damaged(path, f"has {path.stat().st_size} bytes, {size} were written")
        if crc is not None and checksum(path.read_bytes()) != crc:
            raise damaged(path, "does not have the content that was written")


def damaged(path: Path, reason: str) -> CheckpointError:
    root = next((p for p in path.parents if p.name == "runs"), path).parent
    return CheckpointError(
        "RUN_DAMAGED",
        f"state file {path} {reason}",
        f"run 'slackwater repair {root}' to go back to the newest sound batch; "
        "the batches after it are then read again from their sources",
    )


def total_rows(runs: Iterable[Run]) -> int:
    return sum(run.rows for run in runs)


def sizes(runs: Iterable[Run]) -> dict[str, tuple[int, int, int]]:
    """Runs, rows and bytes by state."""
    found: dict[str, tuple[int, int, int]] = {}
    for run in runs:
        count, rows, size = found.get(run.state, (0, 0, 0))
        found[run.state] = (count + 1, rows + run.rows, size + run.bytes)
    return found
