"""Sinks for people and programs: memory, console, callback."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pyarrow as pa
from rich.console import Console
from rich.table import Table

from slackwater.spark.sinks.base import Results


@dataclass(slots=True)
class MemorySink:
    """Keeps results in the driver; for tests, notebooks and small answers."""

    batches: dict[int, pa.Table] = field(default_factory=dict)

    def open(self, query: str) -> None:
        """Memory is always writable."""

    def write(self, batch: int, results: Results) -> int:
        table = results.arrow()
        self.batches[batch] = table
        return int(table.num_rows)

    def rollback(self, batch: int) -> None:
        self.batches = {n: table for n, table in self.batches.items() if n <= batch}

    def table(self) -> pa.Table | None:
        """All results so far in one table, ``None`` if there is none."""
        tables = [self.batches[batch] for batch in sorted(self.batches)]
        return pa.concat_tables(tables) if tables else None


@dataclass(frozen=True, slots=True)
class ConsoleSink:
    """Prints the first rows of each batch."""

    rows: int = 20
    console: Console = field(default_factory=Console)
    names: list[str] = field(default_factory=list)

    def open(self, query: str) -> None:
        self.names.append(query)

    def write(self, batch: int, results: Results) -> int:
        data = results.arrow()
        name = self.names[-1] if self.names else ""
        shown = Table(title=f"{name} batch {batch}: {data.num_rows} rows", title_justify="left")
        for column in data.column_names:
            shown.add_column(column)
        for row in data.slice(0, self.rows).to_pylist():
            shown.add_row(*(str(value) for value in row.values()))
        self.console.print(shown)
        return int(data.num_rows)

    def rollback(self, batch: int) -> None:
        """What was printed stays printed."""


@dataclass(frozen=True, slots=True)
class CallbackSink:
    """Calls a function with the batch id and an Arrow table.

    After a failure the function may see a batch id again, with the same rows; store the id with
    the rows in one transaction to have them exactly once. After ``slackwater repair`` an id later
    than the batch gone back to may come with other rows: forget those before you start again.
    """

    function: Callable[[int, pa.Table], object]

    def open(self, query: str) -> None:
        """Nothing to check."""

    def write(self, batch: int, results: Results) -> int:
        table = results.arrow()
        self.function(batch, table)
        return int(table.num_rows)

    def rollback(self, batch: int) -> None:
        """The function decides what to do with ids it has seen."""
