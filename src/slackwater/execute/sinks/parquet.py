"""Parquet files, one folder ``batch=N`` per micro-batch; it appears whole or not at all."""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from slackwater.errors import SinkError
from slackwater.execute.sinks.sink import Results, Target
from slackwater.runs.checkpoint import Owner
from slackwater.runs.files import make_folder, storage_error, sync, sync_tree, write_atomically
from slackwater.runs.paths import is_remote, local_path

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
                "give a local or mounted folder, an address with s3://, gs:// or az://, or "
                "a sink of your own",
            )
        object.__setattr__(self, "path", str(local_path(self.path)))

    @property
    def folder(self) -> Path:
        return Path(self.path)

    def open(self, target: Target) -> None:
        try:
            make_folder(self.folder)
            probe = self.folder / "_batch=probe"  # if it stays behind, it goes with the next start
            probe.mkdir(exist_ok=True)
            probe.rmdir()
        except OSError as error:
            raise SinkError(
                "SINK_NOT_WRITABLE",
                f"query {target.query!r}: cannot write to {self.folder}: {error.strerror}",
                "choose another folder or give this process the right to write there",
            ) from error
        if target.owner is not None:
            self._claim(target.owner)

    def check(self, target: Target) -> str:
        """Whether files can be written there; nothing is made."""
        there = next(path for path in (self.folder, *self.folder.parents) if path.exists())
        if not (there.is_dir() and os.access(there, os.W_OK)):
            raise SinkError(
                "SINK_NOT_WRITABLE",
                f"query {target.query!r}: cannot write to {self.folder}",
                "choose another folder or give this process the right to write there",
            )
        return f"folder {self.folder} {'is there' if there == self.folder else 'will be made'}"

    def _claim(self, owner: Owner) -> None:
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
                raise occupied(owner, self.folder, text)
            write_atomically(path, json.dumps(mine).encode())
        elif any(known.get(key) != mine[key] for key in ("checkpoint", "output")):
            text = f"{known.get('output')} of the checkpoint in {known.get('folder')}"
            raise occupied(owner, self.folder, text)

    def prepare(self, batch: int, results: Results) -> int:
        beside = self.folder / f"_batch={batch}"
        shutil.rmtree(beside, ignore_errors=True)
        try:
            rows = results.write_parquet(beside, repeating(results))
            if rows:
                sync_tree(beside)
            else:
                shutil.rmtree(beside, ignore_errors=True)
            sync(self.folder)
        except OSError as error:
            shutil.rmtree(beside, ignore_errors=True)
            raise storage_error(error, self.folder / f"batch={batch}") from error
        return rows

    def commit(self, batch: int) -> None:
        beside, whole = self.folder / f"_batch={batch}", self.folder / f"batch={batch}"
        try:
            if beside.exists():
                shutil.rmtree(whole, ignore_errors=True)
                beside.rename(whole)  # not flushed: if it is lost, the next start does it again
        except OSError as error:
            raise storage_error(error, whole) from error

    def recover(self, last: int) -> None:
        for found in self.folder.glob("*batch=*"):
            name = _BATCH.fullmatch(found.name)
            if name is None:
                continue
            number = None if name[1] == "probe" else int(name[1])
            if number is None or number > last:
                shutil.rmtree(found, ignore_errors=True)
            elif found.name.startswith("_"):
                self.commit(number)
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


def occupied(owner: Owner, folder: Path | str, text: str) -> SinkError:
    return SinkError(
        "SINK_OCCUPIED",
        f"{owner.output}: {folder} has {text}",
        "choose another folder, or move away what is there (a new checkpoint deletes nothing)",
    )


def repeating(results: Results) -> list[str] | None:
    """Columns worth a dictionary: texts and labels; one of times or measures is only slower."""
    schema: pa.Schema | None = results.schema
    if schema is None:
        return None
    return [f.name for f in schema if f.name in LABELS or pa.types.is_string(f.type)]
