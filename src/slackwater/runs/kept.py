"""What functions with effects gave, kept until their batch is committed: they do not run twice.

A file for each part of the rows that came together, under the batch. The name tells which rows
these were, so that another part never takes it for its own.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from slackwater.runs.files import write_atomically

FOLDER = "calls"


@dataclass(slots=True)
class Kept:
    """Results by part. ``mark`` tells who reads the rows: parts of one reader have numbers."""

    folder: Path
    batch: int
    mark: str = "0"
    number: int = 0

    def place(self, link: str, inputs: pa.Table) -> Path:
        """Where results of a link over some rows are; each call is another part."""
        self.number += 1
        digest = hashlib.blake2b(_bytes(inputs), digest_size=8).hexdigest()
        name = f"{link}-{self.mark}-{self.number}-{digest}.arrow"
        return self.folder / FOLDER / str(self.batch) / name

    @staticmethod
    def read(place: Path) -> pa.Table | None:
        """Results that are known already."""
        if not place.exists():
            return None
        with pa.ipc.open_file(pa.BufferReader(place.read_bytes())) as reader:
            return reader.read_all()

    @staticmethod
    def write(place: Path, results: pa.Table) -> None:
        write_atomically(place, _bytes(results))


def _bytes(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table.combine_chunks())
    data: bytes = sink.getvalue().to_pybytes()
    return data


def forget(folder: Path, batch: int) -> None:
    """Let go of what batches before this one gave: they are committed."""
    for one in _batches(folder):
        if int(one.name) < batch:
            shutil.rmtree(one, ignore_errors=True)


def _batches(folder: Path) -> Iterable[Path]:
    root = folder / FOLDER
    return [one for one in root.iterdir() if one.name.isdigit()] if root.exists() else []
