"""Follow an event log: what was added since the last look, across segments."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from slackwater.events.segments import full_files, number_of

_BLOCK = 1 << 20


def parsed(line: bytes) -> dict[str, Any]:
    """One line as an event; of the kind ``damaged`` if it is none."""
    try:
        value = orjson.loads(line)
    except ValueError:
        value = _with_odd_numbers(line)
    if isinstance(value, dict) and isinstance(value.get("event"), str):
        return value
    return {"event": "damaged", "text": line[:80].decode("utf-8", "replace")}


def _with_odd_numbers(line: bytes) -> object:
    """Python writes infinite numbers in its own way, which JSON does not know."""
    try:
        return json.loads(line, parse_constant=lambda _: None)
    except ValueError:
        return None


class Tail:
    """Reads a log from its oldest segment on and remembers where it was.

    The log may grow, be set aside and lose its oldest segments meanwhile. With ``newest_only`` it
    begins at the segment before the one being written, with ``from_now`` at the end of that.
    """

    def __init__(self, path: Path, *, newest_only: bool = False, from_now: bool = False) -> None:
        self.path = path
        self._file: BinaryIO | None = None
        self._number = 0  # of the full segment being read; 0 for the one being written
        older = full_files(path) if from_now else full_files(path)[:-1] if newest_only else []
        self._behind = max(map(number_of, older), default=0)  # newest full segment that was read
        self._rest = b""
        self.is_at_end = False
        if from_now and path.exists():
            self._file = path.open("rb")
            self._file.seek(_after_last_line(self._file))  # half a line is cut off by the writer

    def poll(self) -> list[dict[str, Any]]:
        """The next events, at most about a megabyte; none if there is nothing new."""
        while True:
            if self._file is None and not self._open_next():
                self.is_at_end = True
                return []
            moved = self._was_renamed()  # before reading: nothing is added after that
            lines = self._lines()
            if events := [parsed(line) for line in lines if line]:
                self.is_at_end = False
                return events
            if not lines and not moved:
                self.is_at_end = True
                return []
            if not lines:
                self._behind = self._number or self._own_number()
                self.close()

    def _lines(self) -> list[bytes]:
        """Complete lines of the next block; what follows the last line end waits."""
        assert self._file is not None
        if self._number == 0:
            self._follow_cut()
        lines: list[bytes] = []
        while not lines:
            block = self._file.read(_BLOCK)
            if not block:
                return []
            *lines, self._rest = (self._rest + block).split(b"\n")
        return lines

    def _follow_cut(self) -> None:
        """A crash leaves half a line, which the next writer cuts off."""
        assert self._file is not None
        size = os.fstat(self._file.fileno()).st_size
        if size < self._file.tell():
            self._file.seek(max(0, min(size, self._file.tell() - len(self._rest))))
            self._rest = b""

    def _was_renamed(self) -> bool:
        if self._number:
            return True
        assert self._file is not None
        return not _is_same(self.path, self._file)

    def _own_number(self) -> int:
        """The number under which the file being read was set aside; as before if it is gone."""
        assert self._file is not None
        same = (p for p in full_files(self.path) if _is_same(p, self._file))
        return next(map(number_of, same), self._behind)

    def _open_next(self) -> bool:
        """Open the segment after the last one read: a full one, else the one being written."""
        for segment in [*self._unread(), self.path]:
            try:
                self._file = segment.open("rb")
            except FileNotFoundError:
                continue  # forgotten, or set aside, since it was listed
            self._number = 0 if segment == self.path else number_of(segment)
            if self._number or not self._overtaken():
                return True
            self.close()
            return self._open_next()
        return False

    def _unread(self) -> list[Path]:
        return [p for p in full_files(self.path) if number_of(p) > self._behind]

    def _overtaken(self) -> bool:
        """Whether a segment was set aside between listing the full ones and opening the newest."""
        file = self._file
        assert file is not None
        return any(not _is_same(p, file) for p in self._unread())

    def close(self) -> None:
        """Let go of the file; the place is remembered by segment."""
        if self._file is not None:
            self._file.close()
        self._file, self._rest = None, b""


def _after_last_line(file: BinaryIO) -> int:
    """Where the next line begins, or has begun."""
    at = file.seek(0, os.SEEK_END)
    while at > 0:
        size = min(_BLOCK, at)
        at -= size
        file.seek(at)
        found = file.read(size).rfind(b"\n")
        if found >= 0:
            return at + found + 1
    return 0


def _is_same(path: Path, file: BinaryIO) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False
