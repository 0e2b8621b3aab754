"""Parquet files, one folder ``batch=N`` per micro-batch; it appears whole or not at all."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from slackwater.errors import SinkError
from slackwater.spark.checkpoint import Owner, storage_error, write_atomically
from slackwater.spark.disk import make_folder, sync, sync_tree
from slackwater.spark.parquet import write_parquet
from slackwater.spark.sinks.base import Results
from slackwater.spark.sources.folder import is_remote, local_path

OWNER = "_slackwater.json"
_BATCH = re.compile(r"_?batch=(\d+|probe)")
LABELS = {"window_start", "window_end", "kind", "revision", "coverage", "emitted_at"}


@dataclass(frozen=True, slots=True)
class ParquetSink:
    """Writes results under ``path``; read them back with any Parquet reader.

    A relative path starts at the folder in which the process is when the sink is made.
    """

    path: str

    def __post_init__(self) -> None:
        if is_remote(self.path):
            raise SinkError(
                "SINK_REMOTE",
                f"parquet: {self.path} is not a folder of this machine",
                "give a local or mounted folder, or a sink of your own",
            )
        object.__setattr__(self, "path", str(local_path(self.path)))

    @property
    def folder(self) -> Path:
        return Path(self.path)

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

    def claim(self, owner: Owner) -> None:
        """Take the folder for an output, for good; refuse one with answers of others."""
        if self.folder.is_relative_to(owner.folder):
            return  # inside the checkpoint, which is nobody else's
        mine = {"checkpoint": owner.id, "folder": owner.folder, "output": owner.output}
        path = self.folder / OWNER
        known = _read(path)
        if known is None:
            found = [] if owner.adopts else _answers(self.folder)
            if found:
                text = f"{found[0].name}, which this checkpoint did not write"
                raise _occupied(owner, self.folder, text)
            write_atomically(path, json.dumps(mine).encode())
        elif any(known.get(key) != mine[key] for key in ("checkpoint", "output")):
            text = f"{known.get('output')} of the checkpoint in {known.get('folder')}"
            raise _occupied(owner, self.folder, text)

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
        for found in self.folder.glob("*batch=*"):
            name = _BATCH.fullmatch(found.name)
            if name and (found.name.startswith("_") or int(name[1]) > batch):
                shutil.rmtree(found, ignore_errors=True)
        try:
            sync(self.folder)
        except OSError as error:
            raise storage_error(error, self.folder) from error


def _read(path: Path) -> dict[str, object] | None:
    """Whose the folder is; ``None`` if that was not written down."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _answers(folder: Path) -> list[Path]:
    """What somebody left in a folder that readers would take for results."""
    found = (*folder.glob("batch=*"), *folder.glob("[!_.]*.parquet"))
    return sorted(found)


def _occupied(owner: Owner, folder: Path, text: str) -> SinkError:
    return SinkError(
        "SINK_OCCUPIED",
        f"{owner.output}: {folder} has {text}",
        "choose another folder, or move away what is there (a new checkpoint deletes nothing)",
    )


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
