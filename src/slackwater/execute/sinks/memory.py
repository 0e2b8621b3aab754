"""Sinks for people and programs: memory, console, callback."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pyarrow as pa
from rich.console import Console
from rich.table import Table

from slackwater.execute.sinks.sink import Results, Target


@dataclass(slots=True)
class MemorySink:
    """Keeps results in the driver; for tests, notebooks and small answers."""

    batches: dict[int, pa.Table] = field(default_factory=dict)

    def open(self, target: Target) -> None:
        """Memory is always writable."""

    def prepare(self, batch: int, results: Results) -> int:
        table = results.arrow()
        self.batches[batch] = table
        return int(table.num_rows)

    def commit(self, batch: int) -> None:
        """It is shown already."""

    def recover(self, last: int) -> None:
        self.batches = {n: table for n, table in self.batches.items() if n <= last}

    def table(self) -> pa.Table | None:
        """All results so far in one table, ``None`` if there is none."""
        tables = [self.batches[batch] for batch in sorted(self.batches)]
        return pa.concat_tables(tables) if tables else None


@dataclass(slots=True)
class ConsoleSink:
    """Prints the first rows of each batch, once it is done."""

    rows: int = 20
    console: Console = field(default_factory=Console)
    name: str = ""
    waiting: dict[int, pa.Table] = field(default_factory=dict)

    def open(self, target: Target) -> None:
        self.name = target.query

    def prepare(self, batch: int, results: Results) -> int:
        self.waiting = {batch: results.arrow()}
        return int(self.waiting[batch].num_rows)

    def commit(self, batch: int) -> None:
        data = self.waiting.pop(batch, None)
        if data is None:
            return
        title = f"{self.name} batch {batch}: {data.num_rows} rows"
        shown = Table(title=title, title_justify="left")
        for column in data.column_names:
            shown.add_column(column)
        for row in data.slice(0, self.rows).to_pylist():
            shown.add_row(*(str(value) for value in row.values()))
        self.console.print(shown)

    def recover(self, last: int) -> None:
        """What was printed stays printed."""


@dataclass(frozen=True, slots=True)
class CallbackSink:
    """Calls a function with the batch id and an Arrow table.

    After a failure the function may see a batch id again, with the same rows; store the id with
    the rows in one transaction to have them exactly once. After ``slackwater repair`` an id later
    than the batch gone back to may come with other rows: forget those before you start again.
    """

    function: Callable[[int, pa.Table], object]

    def open(self, target: Target) -> None:
        """Nothing to check."""

    def prepare(self, batch: int, results: Results) -> int:
        table = results.arrow()
        self.function(batch, table)
        return int(table.num_rows)

    def commit(self, batch: int) -> None:
        """The function had the rows before, so that none is lost between manifest and commit."""

    def recover(self, last: int) -> None:
        """The function decides what to do with ids it has seen."""
