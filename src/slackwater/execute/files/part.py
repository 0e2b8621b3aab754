"""Parts of files: a large one is read by several tasks, each a part of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

SMALL = 8 << 20  # bytes; less is not worth a part of its own


@dataclass(frozen=True, slots=True)
class Part:
    """Part ``number`` of a file that is read in so many."""

    file: Path
    number: int = 0
    of: int = 1

    def span(self, whole: int) -> tuple[int, int]:
        """Where it begins and ends in something so long."""
        first, end = (whole * n // self.of for n in (self.number, self.number + 1))
        return first, end


def shared(files: Iterable[tuple[str, Path]], tasks: int) -> list[list[tuple[str, Part]]]:
    """Files shared out, so that each task has about as much to read.

    What is larger than a share is cut, if it can be; the largest part goes where least is, then
    the next.
    """
    sized = [(_size(file), name, file) for name, file in files]
    most = max(SMALL, ceil(sum(size for size, _, _ in sized) / tasks))
    parts = [
        (size // of, name, Part(file, number, of))
        for size, name, file in sized
        for of in [_parts(file, ceil(size / most))]
        for number in range(of)
    ]
    found: list[tuple[int, list[tuple[str, Part]]]] = [(0, []) for _ in range(tasks)]
    for size, name, part in sorted(parts, key=lambda one: -one[0]):
        at = min(range(tasks), key=lambda n: found[n][0])
        found[at] = (found[at][0] + size, [*found[at][1], (name, part)])
    return [mine for _, mine in found if mine]


def _parts(file: Path, wanted: int) -> int:
    """Into how many parts a file can be cut, at most as many as wanted."""
    if wanted <= 1:
        return 1
    if file.suffix.lower() in (".csv", ".json", ".jsonl", ".ndjson", ".txt", ".tsv"):
        return wanted
    try:
        return max(1, min(wanted, int(pq.read_metadata(file).num_row_groups)))
    except (OSError, pa.ArrowException):
        return 1


def _size(file: Path) -> int:
    """Of a file that is gone, nothing: whoever reads it will tell."""
    try:
        return file.stat().st_size
    except OSError:
        return 0
