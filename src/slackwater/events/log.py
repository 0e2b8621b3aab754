"""What happened, one JSON object per line; the log survives crashes and can be followed live.

The kinds of events and their fields are listed in :mod:`slackwater.events.schema`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from slackwater.errors import StorageError
from slackwater.events.schema import VERSION
from slackwater.events.segments import (
    FULL,
    KEPT,
    forget_old,
    full_files,
    lines_backwards,
    next_name,
)
from slackwater.events.tail import Tail, parsed


def wall() -> int:
    """Now, in microseconds."""
    return time.time_ns() // 1000


class EventLog:
    """Appends events to a file; each has ``event`` (its kind), ``at`` and usually ``batch``.

    Parameters
    ----------
    path
        The file; full ones are renamed, see :mod:`slackwater.events.segments`.
    full, kept
        Bytes after which a segment is full, and how many full ones stay.
    now
        The wall clock, microseconds.
    """

    def __init__(
        self, path: Path, *, full: int = FULL, kept: int = KEPT, now: Callable[[], int] = wall
    ) -> None:
        self.path = path
        self._full = full
        self._kept = kept
        self._now = now
        self._start: dict[str, Any] | None = None
        _drop_torn_line(path)
        self._file = path.open("ab", buffering=0)
        self._size = path.stat().st_size

    @property
    def is_closed(self) -> bool:
        return self._file.closed

    def write(self, event: str, **fields: Any) -> None:
        """Append one event; a full segment is set aside before."""
        told = {"event": event, **fields}
        told.setdefault("at", self._now())
        if event == "start":
            self._start = told
        line = _line(told)
        try:
            if self._size and self._size + len(line) > self._full:
                self._begin_segment()
            self._append(line)
        except OSError as error:
            _drop_torn_line(self.path)
            raise StorageError.of(error, self.path, "committed batches are safe") from error

    def _append(self, data: bytes) -> None:
        self._size += len(data)
        while data:
            data = data[self._file.write(data) :]

    def _begin_segment(self) -> None:
        """Set the full file aside; the next one begins with what the run is about."""
        name = next_name(self.path)
        self.path.rename(name)
        fresh = self.path.open("ab", buffering=0)
        self._file.close()
        self._file, self._size = fresh, 0
        header = {"event": "segment", "at": self._now(), "schema": VERSION, "after": name.name}
        self._append(_line({**header, "start": self._start}))
        forget_old(self.path, self._kept)

    def close(self) -> None:
        self._file.close()


def _line(event: dict[str, Any]) -> bytes:
    return json.dumps(event, separators=(",", ":")).encode() + b"\n"


def read(path: Path) -> Iterator[dict[str, Any]]:
    """The events of a log, oldest first; an unfinished last line is left out.

    A line that cannot be read comes as an event of the kind ``damaged``.
    """
    tail = Tail(path)
    try:
        while events := tail.poll():
            yield from (event for event in events if event["event"] != "segment")
    finally:
        tail.close()


def last_batch(path: Path) -> int | None:
    """The newest batch that was told of; after a repair, the batch gone back to."""
    for segment in [path, *reversed(full_files(path))]:
        for line in lines_backwards(segment) if segment.exists() else ():
            event = parsed(line)
            if event["event"] in ("batch", "repair"):
                return int(event["batch"])
    return None


def _drop_torn_line(path: Path) -> None:
    """A crash can leave half a line at the end: cut it off."""
    if not path.exists() or path.stat().st_size == 0:
        return
    with path.open("rb+") as file:
        data = file.read()
        if not data.endswith(b"\n"):
            file.truncate(data.rfind(b"\n") + 1)
