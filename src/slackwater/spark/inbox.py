"""Prods from outside: small files in the checkpoint folder, taken in by the next batch.

A program, another process or a stream of prods puts them there. The decision of a batch names the
prods it took, before it is applied; its manifest says what became of them; then their files go. So
a prod is answered in exactly one batch, also if the process dies in between.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from slackwater.control.asking import Request
from slackwater.errors import SlackwaterError, StorageError
from slackwater.spark.checkpoint import write_atomically
from slackwater.spark.disk import sync


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a prod: rows given, or why there are none."""

    prod: str
    query: str
    rows: int
    reason: str | None


@dataclass(frozen=True, slots=True)
class Inbox:
    """The folder of prods that wait."""

    folder: Path

    def put(self, request: Request) -> str:
        """Leave a prod for the next batch; give its id."""
        self.folder.mkdir(parents=True, exist_ok=True)
        value = {name: v for name, v in asdict(request).items() if name != "id"}
        write_atomically(self.folder / f"{request.id}.json", json.dumps(value).encode())
        return request.id

    def waiting(self) -> tuple[Request, ...]:
        """The prods that wait, oldest first; files that are none are set aside as ``.bad``."""
        if not self.folder.exists():
            return ()
        files = sorted(self.folder.glob("[!.]*.json"), key=lambda file: file.stat().st_mtime_ns)
        found = []
        for file in files:
            try:
                found.append(Request(file.stem, **json.loads(file.read_bytes())))
            except (ValueError, TypeError):
                file.rename(file.with_suffix(".bad"))
        return tuple(found)

    def remove(self, ids: Iterable[str]) -> None:
        """Take prods out, for good: once a later batch is done they must not come back."""
        found = [file for name in ids if (file := self.folder / f"{name}.json").exists()]
        try:
            for file in found:
                file.unlink()
            if found:
                sync(self.folder)
        except OSError as error:
            raise StorageError.of(error, self.folder, "committed batches are safe") from error

    def has(self, name: str) -> bool:
        return (self.folder / f"{name}.json").exists()


def new_id() -> str:
    return f"prod-{uuid.uuid4().hex[:12]}"


def check_query(name: str | None, known: Iterable[str]) -> str:
    """The query that is meant; the only one if none was named."""
    names = list(known)
    if name is None and len(names) == 1:
        return names[0]
    if name in names and name is not None:
        return name
    text = "which query is meant?" if name is None else f"there is no query {name!r}"
    raise SlackwaterError("QUERY_UNKNOWN", text, f"there are: {', '.join(names) or 'none'}")
