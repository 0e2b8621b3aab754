"""Rows that wait for an expensive query: which places of a run are meant, and how they are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from slackwater.control.orders import Piece


def read_part(file: Path, first: int, end: int, columns: Sequence[str]) -> pa.Table:
    """Rows of a file by their places; row groups without any are not read."""
    opened = pq.ParquetFile(file)
    sizes = [opened.metadata.row_group(n).num_rows for n in range(opened.num_row_groups)]
    ends = list(accumulate(sizes))
    begins = [e - size for e, size in zip(ends, sizes, strict=True)]
    groups = [n for n, e in enumerate(ends) if begins[n] < end and e > first]
    table = opened.read_row_groups(groups, columns=list(columns))
    return table.slice(first - begins[groups[0]], end - first)


def places_of(pieces: Sequence[Piece]) -> Iterator[tuple[int, int, int]]:
    """Batch, first place and end of pieces; those that touch each other as one."""
    batch, first, end = -1, 0, 0
    for piece in sorted(pieces, key=lambda p: (p.batch, p.start)):
        if (piece.batch, piece.start) != (batch, end):
            if end > first:
                yield batch, first, end
            batch, first = piece.batch, piece.start
        end = piece.start + piece.rows
    yield batch, first, end
