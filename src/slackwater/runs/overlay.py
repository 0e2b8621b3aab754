"""What people changed of a pipeline while it ran: kept beside what it is started with.

A pipeline is started again with the same file after a crash. What was added or removed meanwhile is
written down here before it is done, so that it is not lost: queries that were added stay until they
are removed, those that were removed stay away until they are added again.

Demands wait as small files, like prods (``runs/requests.py``), and are taken between two batches.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from slackwater.codec import pack, unpack
from slackwater.errors import CheckpointError, StorageError
from slackwater.runs.files import sync, write_atomically
from slackwater.runs.requests import LARGEST, new_id


@dataclass(frozen=True, slots=True)
class Written:
    """A query as it is written in a pipeline file: the text of the file, and where it lies, which
    is where relative paths begin.
    """

    text: str
    file: str


@dataclass(frozen=True, slots=True)
class Overlay:
    """Queries ``added`` to what a pipeline is started with, and ``removed`` from it."""

    added: dict[str, Written] = field(default_factory=dict)
    removed: tuple[str, ...] = ()

    def adding(self, name: str, written: Written) -> Overlay:
        left = tuple(one for one in self.removed if one != name)
        return Overlay({**self.added, name: written}, left)

    def removing(self, name: str) -> Overlay:
        left = {one: written for one, written in self.added.items() if one != name}
        return Overlay(left, tuple(dict.fromkeys([*self.removed, name])))

    def over(self, started: Iterable[str]) -> Overlay:
        """Without what these queries say themselves by now."""
        names = set(started)
        added = {name: one for name, one in self.added.items() if name not in names}
        return Overlay(added, tuple(name for name in self.removed if name in names))


@dataclass(frozen=True, slots=True)
class Demand:
    """A person's demand: add the query of this name as it is ``written``, or remove it."""

    id: str
    query: str
    written: Written | None = None


@dataclass(frozen=True, slots=True)
class Changes:
    """Where demands wait, and what became of earlier ones, in a checkpoint folder."""

    folder: Path

    @property
    def _waiting(self) -> Path:
        return self.folder / "changes"

    @property
    def _kept(self) -> Path:
        return self.folder / "live.json"

    def overlay(self) -> Overlay:
        """What was changed so far."""
        try:
            return unpack(json.loads(self._kept.read_bytes()), Overlay)
        except (FileNotFoundError, NotADirectoryError):
            return Overlay()
        except ValueError as error:
            raise CheckpointError(
                "CHECKPOINT_DAMAGED",
                f"{self._kept} does not say which queries were added or removed",
                "restore it, or remove it: the pipeline then has the queries it is started with",
            ) from error

    def keep(self, overlay: Overlay) -> None:
        if overlay != self.overlay():
            write_atomically(self._kept, json.dumps(pack(overlay)).encode())

    def add(self, query: str, written: Written) -> str:
        """Leave the demand for a query; give its id."""
        return self._put(Demand(new_id("add"), query, written))

    def remove(self, query: str) -> str:
        """Leave the demand that a query goes; give its id."""
        return self._put(Demand(new_id("remove"), query))

    def _put(self, demand: Demand) -> str:
        self._waiting.mkdir(parents=True, exist_ok=True)
        value = pack(replace(demand, id=""))
        write_atomically(self._waiting / f"{demand.id}.json", json.dumps(value).encode())
        return demand.id

    def waiting(self) -> tuple[Demand, ...]:
        """The demands that wait, oldest first; what is there and no demand is set aside."""
        return tuple(self._read())

    def _read(self) -> Iterator[Demand]:
        files = []
        for file in self._waiting.glob("[!.]*.json"):
            with suppress(OSError):
                files.append((file.lstat().st_mtime_ns, file))
        for _, file in sorted(files):
            try:
                if not file.is_file() or file.stat().st_size > LARGEST:
                    raise ValueError("no demand")
                yield replace(unpack(json.loads(file.read_bytes()), Demand), id=file.stem)
            except (ValueError, OSError):
                with suppress(OSError):
                    file.rename(file.with_suffix(".bad"))

    def done(self, demand: Demand) -> None:
        """A demand was answered."""
        try:
            (self._waiting / f"{demand.id}.json").unlink(missing_ok=True)
            sync(self._waiting)
        except OSError as error:
            raise StorageError.of(error, self._waiting, "committed batches are safe") from error
