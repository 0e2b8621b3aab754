"""Where rows of a batch wait as files, safe but unseen, until a table takes them."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from slackwater.execute.sinks.sink import Results
from slackwater.runs.files import make_folder, storage_error, sync, sync_tree

_BATCH = re.compile(r"batch=(\d+)")


@dataclass(frozen=True, slots=True)
class Staging:
    """A folder with one folder for each batch that waits."""

    folder: Path

    def store(self, batch: int, results: Results) -> int:
        """Keep the rows of a batch, instead of those it had; give their number."""
        place = self._place(batch)
        shutil.rmtree(place, ignore_errors=True)
        try:
            make_folder(self.folder)
            rows = results.write_parquet(place, None)
            if rows:
                sync_tree(place)
            else:
                shutil.rmtree(place, ignore_errors=True)
            sync(self.folder)
        except OSError as error:
            shutil.rmtree(place, ignore_errors=True)
            raise storage_error(error, place) from error
        return rows

    def table(self, batch: int) -> pa.Table | None:
        """The rows of a batch, ``None`` if none wait."""
        files = sorted(self._place(batch).glob("*.parquet"))
        tables = [pq.ParquetFile(file).read() for file in files]
        return pa.concat_tables(tables) if tables else None

    def batches(self) -> Iterator[int]:
        """The batches that wait."""
        for found in self.folder.glob("batch=*"):
            if (name := _BATCH.fullmatch(found.name)) is not None:
                yield int(name[1])

    def remove(self, batch: int) -> None:
        """A batch does not wait any more."""
        shutil.rmtree(self._place(batch), ignore_errors=True)

    def _place(self, batch: int) -> Path:
        return self.folder / f"batch={batch}"
