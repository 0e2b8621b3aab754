"""Where results go, in two steps: made safe before a batch is committed, shown after it.

Design note 8 tells why two.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

import pyarrow as pa
import pyarrow.parquet as pq

from slackwater.runs.checkpoint import Owner

Output = Literal["results", "late rows", "quality", "malformed"]


@runtime_checkable
class Results(Protocol):
    """The rows of one output in one batch."""

    @property
    def schema(self) -> pa.Schema | None:
        """Their columns, where that is known before they are computed."""
        ...

    @property
    def is_local(self) -> bool:
        """Whether the rows are in this process already."""
        ...

    def arrow(self) -> pa.Table:
        """The rows in this process."""
        ...

    def write_parquet(self, folder: Path, dictionaries: Collection[str] | None) -> int:
        """Write the rows as files into a new folder; give their number.

        Only the columns named get ``dictionaries``; ``None`` leaves that open.
        """
        ...


@dataclass(frozen=True, slots=True)
class TableResults:
    """Results that are an Arrow table."""

    table: pa.Table

    @property
    def schema(self) -> pa.Schema:
        return self.table.schema

    @property
    def is_local(self) -> bool:
        return True

    def arrow(self) -> pa.Table:
        return self.table

    def write_parquet(self, folder: Path, dictionaries: Collection[str] | None) -> int:
        folder.mkdir(parents=True)
        repeating = True if dictionaries is None else list(dictionaries)
        file = folder / "part-0.parquet"
        pq.write_table(self.table, file, compression="snappy", use_dictionary=repeating)
        return int(self.table.num_rows)


@dataclass(frozen=True, slots=True)
class Target:
    """What a sink is opened for: which output of which query, and what its rows look like.

    ``keys`` are the columns that tell answers apart; of several rows with the same keys the one
    with the largest ``revision`` counts, and a final or revision before any estimate. ``order``
    names the columns by which rows come sorted, over all batches. The ``schema`` of late rows is
    not known before the first of them, nor that of quality tables. ``owner`` says whose answers
    they are, so that a sink can refuse a place that has those of others.
    """

    query: str
    output: Output = "results"
    schema: pa.Schema | None = None
    keys: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    owner: Owner | None = None


@runtime_checkable
class Sink(Protocol):
    """What a sink must do, in two phases around the manifest of a batch.

    1. ``prepare`` stores the rows of a batch so that a loss of power does not take them, if
       possible where nobody looks yet. It may come again with the same batch id after a failure,
       with the same rows: the second call replaces the first, or is skipped.
    2. The manifest of the batch is written: from here on the batch is done.
    3. ``commit`` shows what was prepared. It may be repeated, also after a restart.

    A sink that cannot hold rows back shows them in ``prepare`` and stores the batch id with them
    in one transaction, so that it can skip ids it has; its ``commit`` does nothing. The end of a
    stream (``flush``) has an id of its own: once it is decided it is finished before anything
    else, and no other rows come under that id.

    ``recover(last)`` is called once, when the pipeline starts: what was prepared for batch
    ``last`` is committed; whatever there is of later batches is of one that was not finished (it
    comes again with the same rows), or, after ``slackwater repair``, of batches that were gone
    back from, and goes. Only after a repair an id can come again with *other* rows: a sink that
    skips ids has to forget the later ones here, rows and ids, or must not be used with a repaired
    checkpoint.
    """

    def open(self, target: Target) -> None:
        """Check that rows can be written; raise ``SinkError`` if not."""
        ...

    def prepare(self, batch: int, results: Results) -> int:
        """Store the rows of a batch; give their number."""
        ...

    def commit(self, batch: int) -> None:
        """Show what was prepared for a batch; nothing if nothing was."""
        ...

    def recover(self, last: int) -> None:
        """Finish batch ``last``, forget all later ones."""
        ...


@runtime_checkable
class Closeable(Protocol):
    """A sink that holds something while it is used, such as a connection."""

    def close(self) -> None:
        """Give it back; the sink may be opened again."""
        ...


@runtime_checkable
class Checkable(Protocol):
    """A sink that can say beforehand whether it could be opened."""

    def check(self, target: Target) -> str:
        """Connect and look, change nothing; say what was found, or raise ``SinkError``."""
        ...
