"""What happened, one JSON object per line; the log survives crashes and can be followed live."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from slackwater.errors import StorageError


class EventLog:
    """Appends events to a file; each has ``event`` (its kind) and usually ``batch``."""

    def __init__(self, path: Path) -> None:
        self.path = path
        _drop_torn_line(path)
        self._file = path.open("ab", buffering=0)

    def write(self, event: str, **fields: Any) -> None:
        line = json.dumps({"event": event, **fields}, separators=(",", ":")) + "\n"
        try:
            self._append(line.encode())
        except OSError as error:
            _drop_torn_line(self.path)
            raise StorageError.of(error, self.path, "committed batches are safe") from error

    def _append(self, data: bytes) -> None:
        while data:
            data = data[self._file.write(data) :]

    def close(self) -> None:
        self._file.close()


def read(path: Path) -> Iterator[dict[str, Any]]:
    """The events of a log, oldest first; an unfinished last line is left out."""
    if not path.exists():
        return
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line.endswith("\n"):
                yield json.loads(line)


def last_batch(path: Path) -> int | None:
    """The newest batch that has a ``batch`` event."""
    batches = [event["batch"] for event in read(path) if event["event"] == "batch"]
    return max(batches, default=None)


def _drop_torn_line(path: Path) -> None:
    """A crash can leave half a line at the end: cut it off."""
    if not path.exists() or path.stat().st_size == 0:
        return
    with path.open("rb+") as file:
        data = file.read()
        if not data.endswith(b"\n"):
            file.truncate(data.rfind(b"\n") + 1)
