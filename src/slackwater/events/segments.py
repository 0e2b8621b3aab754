"""The files of an event log: the one being written, and older ones that were set aside.

``events.jsonl`` is written; when it is full it is renamed to ``events.00000001.jsonl``, the
next one to ``events.00000002.jsonl`` and so on. Only the newest ``KEPT`` of those stay.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

FULL = 8 << 20  # bytes of a segment
KEPT = 32  # full segments that stay: 256 MB, some 200,000 batches
_BLOCK = 64 << 10


def full_files(path: Path) -> list[Path]:
    """The full segments of a log, oldest first."""
    found = path.parent.glob(f"{path.stem}.[0-9]*{path.suffix}")
    return sorted((p for p in found if number_of(p)), key=number_of)


def number_of(segment: Path) -> int:
    """The number of a full segment; 0 for any other file."""
    _, _, number = segment.stem.rpartition(".")
    return int(number) if number.isdigit() else 0


def next_name(path: Path) -> Path:
    """What the segment being written will be called when it is full."""
    number = max(map(number_of, full_files(path)), default=0) + 1
    return path.with_name(f"{path.stem}.{number:08d}{path.suffix}")


def forget_old(path: Path, kept: int) -> None:
    """Remove all but the newest full segments."""
    for segment in full_files(path)[:-kept]:
        segment.unlink(missing_ok=True)


def lines_backwards(path: Path) -> Iterator[bytes]:
    """The complete lines of a file, newest first, reading only as much as is asked for."""
    with path.open("rb") as file:
        at = file.seek(0, os.SEEK_END)
        rest = b""
        is_first = True
        while at > 0:
            size = min(_BLOCK, at)
            at -= size
            file.seek(at)
            rest, *lines = (file.read(size) + rest).split(b"\n")
            if lines and is_first:
                lines.pop()  # nothing, or half a line that is being written
                is_first = False
            yield from reversed(lines)
        if not is_first:
            yield rest
