"""Results that tasks have written: files that get their names, merged only for an order."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from slackwater.plan.sql.windows import Writer
from slackwater.runs.files import storage_error


@dataclass(frozen=True, slots=True)
class Part:
    """A file of results, and how many rows it has."""

    path: str
    rows: int


def write_part(table: pa.Table, path: Path) -> Part:
    """Write rows as a file of their own."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, path, compression="snappy", use_dictionary=False)
    except OSError as error:
        path.unlink(missing_ok=True)
        raise storage_error(error, path) from error
    return Part(str(path), table.num_rows)


@dataclass(frozen=True, slots=True)
class PartResults:
    """Results of all tasks; ``order`` are the columns by which they are sorted, as each file is."""

    parts: tuple[Part, ...]
    schema: pa.Schema
    order: tuple[str, ...]

    @property
    def is_local(self) -> bool:
        return False

    @property
    def rows(self) -> int:
        return sum(part.rows for part in self.parts)

    def arrow(self) -> pa.Table:
        tables = [pq.ParquetFile(part.path).read() for part in self.parts]
        found = pa.concat_tables(tables).cast(self.schema)
        return found.sort_by([(name, "ascending") for name in self.order]) if self.order else found

    def write_parquet(self, folder: Path, _dictionaries: Collection[str] | None) -> int:
        folder.mkdir(parents=True)
        if self.order and len(self.parts) > 1:
            self._merge(folder / "part-0.parquet")
            return self.rows
        for number, part in enumerate(self.parts):
            Path(part.path).rename(folder / f"part-{number}.parquet")
        return self.rows

    def _merge(self, file: Path) -> None:
        """One file in order; what does not fit into memory goes to the disk meanwhile."""
        writer = Writer()
        files = ", ".join(writer.text(part.path) for part in self.parts)
        text = f"SELECT * FROM read_parquet([{files}]) ORDER BY {writer.names(*self.order)}"
        with duckdb.connect(":memory:") as duck:
            duck.execute("SET TimeZone = 'UTC'")
            duck.execute(f"COPY ({text}) TO {writer.text(str(file))} (FORMAT parquet)")
