"""Parquet files, one folder ``batch=N`` per micro-batch; it appears whole or not at all."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from slackwater.errors import SinkError
from slackwater.spark.checkpoint import storage_error
from slackwater.spark.disk import make_folder, sync, sync_tree
from slackwater.spark.parquet import write_parquet
from slackwater.spark.sinks.base import Results

LABELS = {"window_start", "window_end", "kind", "revision", "coverage", "emitted_at"}


@dataclass(frozen=True, slots=True)
class ParquetSink:
    """Writes results under ``path``; read them back with any Parquet reader."""

    path: str

    @property
    def folder(self) -> Path:
        return Path(self.path).absolute()

    def open(self, query: str) -> None:
        try:
            make_folder(self.folder)
            probe = self.folder / "_batch=probe"  # if it stays behind, rollback removes it
            probe.mkdir(exist_ok=True)
            probe.rmdir()
        except OSError as error:
            raise SinkError(
                "SINK_NOT_WRITABLE",
                f"query {query!r}: cannot write to {self.folder}: {error.strerror}",
                "choose another folder or give this process the right to write there",
            ) from error

    def write(self, batch: int, results: Results) -> int:
        whole = self.folder / f"batch={batch}"
        beside = self.folder / f"_batch={batch}"
        shutil.rmtree(beside, ignore_errors=True)
        try:
            rows = _write_to(beside, results)
            shutil.rmtree(whole, ignore_errors=True)
            if rows:
                sync_tree(beside)
                beside.rename(whole)
            else:
                shutil.rmtree(beside, ignore_errors=True)
            sync(self.folder)
        except OSError as error:
            shutil.rmtree(beside, ignore_errors=True)
            raise storage_error(error, whole) from error
        return rows

    def rollback(self, batch: int) -> None:
        for found in [*self.folder.glob("batch=*"), *self.folder.glob("_batch=*")]:
            if found.name.startswith("_") or int(found.name.removeprefix("batch=")) > batch:
                shutil.rmtree(found, ignore_errors=True)
        try:
            sync(self.folder)
        except OSError as error:
            raise storage_error(error, self.folder) from error


def _repeating(schema: pa.Schema) -> list[str]:
    """Columns worth a dictionary: texts and labels; one of times or measures is only slower."""
    return [f.name for f in schema if f.name in LABELS or pa.types.is_string(f.type)]


def _write_to(folder: Path, results: Results) -> int:
    if results.is_distributed:
        repeating = None if results.schema is None else _repeating(results.schema)
        write_parquet(results.dataframe(), folder, repeating=repeating, checked=False)
        return sum(pq.read_metadata(file).num_rows for file in folder.glob("*.parquet"))
    table = results.arrow()
    folder.mkdir(parents=True)
    file = folder / "part-0.parquet"
    pq.write_table(table, file, compression="snappy", use_dictionary=_repeating(table.schema))
    return int(table.num_rows)
