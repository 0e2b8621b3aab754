"""Spark's own record of progress (offsets, commits, files read), and how to turn it back.

On restart Spark looks at the newest entry of ``offsets/``. If ``commits/`` has no such entry the
batch is run again with exactly those offsets; else Spark plans the next one. A file source also
writes down which files each of its offsets stands for, and takes no file twice.

Spark flushes nothing of it to disk. :meth:`SparkLog.flush` does, before anything of ours is
written about a batch.
"""

from __future__ import annotations

import json
import os
import re
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from slackwater.runs.files import sync_all
from slackwater.units import fingerprint

UNBEATEN = {"tick": 0}  # a heartbeat before its first tick: a batch run again must begin the same
VERSION = re.compile(r"v\d+(\n|$)")  # the first line of every entry


class SparkLog:
    """The folder in which Spark keeps its record of one stream."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._flushed: set[str] = set()

    @property
    def is_there(self) -> bool:
        return self.folder.is_dir()

    def batches(self, kind: str) -> list[int]:
        """The numbers of all entries of ``offsets`` or ``commits``, oldest first."""
        return sorted(number for number, _ in _entries(self.folder / kind))

    def newest(self, kind: str) -> int:
        return max(self.batches(kind), default=-1)

    def offsets(self, batch: int) -> str | None:
        """Spark's offsets of a batch as it wrote them, ``None`` if missing or damaged."""
        text = sound_text(self.folder / "offsets" / str(batch))
        return None if text is None or _positions(text) is None else text

    def flush(self, batch: int) -> str | None:
        """Make what Spark wrote about a batch outlive a loss of power; give its mark.

        ``None`` if no stream of Spark's gives the batches.
        """
        if not self.is_there:
            return None
        found = set(self._written(batch))
        fresh = [Path(path) for path in found - self._flushed]
        folders = {folder for path in fresh for folder in self._above(path)}
        sync_all(fresh)
        sync_all(sorted(folders))
        self._flushed = found
        return self.mark(batch)

    def positions(self, batch: int) -> list[Any]:
        """The position of each source after a batch, as Spark wrote it; none if that is unknown."""
        return _positions(self.offsets(batch) or "") or []

    def mark(self, batch: int) -> str | None:
        """What tells the offsets of a batch from any others; ``None`` if there are none."""
        text = self.offsets(batch)
        return None if text is None else _mark(text)

    def _written(self, batch: int) -> Iterator[str]:
        """The files that Spark needs to give this batch again, and its successor."""
        offsets = [self.folder / "offsets" / str(number) for number in (batch - 1, batch)]
        for path in [self.folder / "metadata", *offsets]:
            yield from map(str, with_checksum(path))
        for source in (self.folder / "sources").glob("[0-9]*"):
            found = os.scandir(source)  # thousands, where batches are quick
            yield from (entry.path for entry in found if ".tmp" not in entry.name)

    def needed(self, batch: int, kept: int) -> list[Path]:
        """The files from which Spark can go on after this batch, or after one of those ``kept``
        before it, on another machine; checksums beside them are not among them.
        """
        found = [path for path in (self.folder / "metadata",) if path.exists()]
        for kind in ("offsets", "commits"):
            entries = _entries(self.folder / kind)
            found += [path for number, path in entries if batch - kept - 1 <= number <= batch]
        oldest = self._logged(self.offsets(max(batch - kept, 0)) or "")
        for source in sorted((self.folder / "sources").glob("[0-9]*")):
            entries, upto = _entries(source), oldest.get(int(source.name), -1)
            compact = [n for n, path in entries if path.suffix == ".compact" and n <= upto]
            found += [path for number, path in entries if number >= max(compact, default=0)]
        return found

    def _above(self, path: Path) -> list[Path]:
        """The folders up to the one of the checkpoint."""
        upto = len(self.folder.parent.parts)
        return [folder for folder in path.parents if len(folder.parts) >= upto]

    def lacks(self, batch: int, mark: str | None) -> str | None:
        """Why Spark cannot go on after this batch as it was answered; ``None`` if it can.

        ``mark`` is what the manifest says of its offsets, ``None`` where it says nothing.
        """
        text = self.offsets(batch)
        if text is None:
            return f"Spark's offsets of batch {batch} are missing or damaged"
        if mark is not None and mark != _mark(text):
            return f"Spark's offsets of batch {batch} are not those it was answered with"
        for source, upto in self._logged(text).items():
            if not self._has_files(source, upto):
                return f"Spark's list of the files of batch {batch} is incomplete"
        return None

    def _logged(self, text: str) -> dict[int, int]:
        """By number of a file source: the newest entry of its list of files."""
        return {
            number: position["logOffset"]
            for number, position in enumerate(_positions(text) or [])
            if isinstance(position, dict) and isinstance(position.get("logOffset"), int)
        }

    def files(self, batch: int) -> list[Path]:
        """The local files that a batch is read from, in the order of Spark's lists."""
        return [file for files in self.lists(batch).values() for file in files or ()]

    def lists(self, batch: int) -> dict[int, list[Path] | None]:
        """The same by number of their source; ``None`` where some are not local or not known."""
        earlier, now = self.offsets(batch - 1), self._logged(self.offsets(batch) or "")
        if earlier is None and batch > 0:
            return dict.fromkeys(now)
        before = self._logged(earlier or "")
        return {
            source: self._between(source, before.get(source, -1), upto)
            for source, upto in now.items()
        }

    def _between(self, source: int, after: int, upto: int) -> list[Path] | None:
        folder, found = self.folder / "sources" / str(source), list[Path]()
        for number in range(after + 1, upto + 1):
            names = (str(number), f"{number}.compact")
            texts = (sound_text(folder / name) for name in names)
            files = _files_of(next((text for text in texts if text), ""), number)
            if files is None:
                return None
            found += files
        return found

    def _has_files(self, source: int, upto: int) -> bool:
        """Whether a list of files is whole up to an entry; a compact one stands for all before."""
        entries = dict(_entries(self.folder / "sources" / str(source)))
        compact = [n for n, path in entries.items() if path.suffix == ".compact" and n <= upto]
        wanted = range(max(compact, default=0), upto + 1)
        return all(n in entries and sound_text(entries[n]) is not None for n in wanted)

    def unusable_after(self, batch: int, *, begun: bool) -> list[Path]:
        """Entries of work that never began, and of which a loss of power may have left a part.

        That is: unreadable commits, offsets after ``batch`` that cannot be followed, and lists of
        files that no offsets stand for, from the first one on that is not surely whole. ``begun``:
        something of ours was written about the batch after ``batch``, so its offsets are flushed.
        """
        commits = [path for _, path in _entries(self.folder / "commits")]
        found = [p for c in commits if not _is_commit(c) for p in with_checksum(c)]
        path = self.folder / "offsets" / str(batch + 1)
        if path.exists() and (begun or (is_proven(path) and not self.lacks(batch + 1, None))):
            return found + self._broken_files(batch + 1)
        return found + with_checksum(path) + self._broken_files(batch, again=not begun)

    def _broken_files(self, batch: int, *, again: bool = False) -> list[Path]:
        """Lists of files behind the offsets of a batch that may be in parts.

        ``again``: all of them, so that the files are looked for again and come as they came, not
        together with the next ones. A compact one, too: those it stands for are there, Spark
        removes none that is younger than the compact one before.
        """
        text = self.offsets(batch) or self.offsets(batch - 1) or ""
        positions, known = _positions(text) or [], self._logged(text)
        found: list[Path] = []
        for folder in (self.folder / "sources").glob("[0-9]*"):
            number = int(folder.name)
            begun = number < len(positions) and positions[number] is not None
            if begun and number not in known:
                continue  # no list of files
            entries, whole = dict(_entries(folder)), known.get(number, -1)
            keep = not again or number not in known
            while keep and whole + 1 in entries and is_proven(entries[whole + 1]):
                whole += 1
            found += _numbered(folder, above=whole)
        return found

    def _files_after(self, batch: int) -> list[Path]:
        """Lists of files that no batch up to this one stands for."""
        newest = next((t for n in reversed(self.batches("offsets")) if (t := self.offsets(n))), "")
        known = self._logged(self.offsets(batch) or "")
        return [
            path
            for source in self._logged(newest)
            for path in _numbered(
                self.folder / "sources" / str(source), above=known.get(source, -1)
            )
        ]

    def entries_after(self, batch: int) -> list[Path]:
        """The entries to remove so that Spark goes on as if it had been killed in ``batch + 1``.

        The offsets of ``batch + 1`` stay if they can be followed, so that it is read again as it
        was. Checksums beside an entry (``.12.crc``) are named with it.
        """
        found = _numbered(self.folder / "commits", above=batch)
        if self.lacks(batch + 1, None) is None:
            found += _numbered(self.folder / "offsets", above=batch + 1)
            return found + self._files_after(batch + 1)
        return found + _numbered(self.folder / "offsets", above=batch) + self._files_after(batch)


def is_whole(path: Path) -> bool:
    """Whether an entry is all that was written, as far as it and its checksum tell."""
    return bool(_bytes(path)) and (not _checksum(path).exists() or is_proven(path))


def is_proven(path: Path) -> bool:
    """Whether an entry agrees with the checksum beside it; without one nothing is proven."""
    data, sums = _bytes(path), _bytes(_checksum(path))
    if not data or sums[:4] != b"crc\0" or len(sums) < 8:
        return False
    [size] = struct.unpack(">I", sums[4:8])
    parts = [data[at : at + size] for at in range(0, len(data), max(size, 1))]
    return sums[8:] == b"".join(struct.pack(">I", zlib.crc32(part)) for part in parts)


def _is_commit(path: Path) -> bool:
    """Whether Spark can read a commit: one object after the version, whichever that is."""
    lines = (sound_text(path) or "").split("\n")
    try:
        return isinstance(json.loads(lines[1]), dict)
    except (ValueError, IndexError):
        return False


def _checksum(path: Path) -> Path:
    return path.with_name(f".{path.name}.crc")


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def sound_text(path: Path) -> str | None:
    """The text of an entry, ``None`` if it is missing or only a part of what was written."""
    try:
        text = path.read_text(encoding="utf-8") if is_whole(path) else ""
    except (OSError, ValueError):
        return None
    return text if VERSION.match(text) else None


def _mark(text: str) -> str:
    """A heartbeat that gave nothing yet may have been added: it makes no difference."""
    lines, positions = text.split("\n"), _positions(text)
    if positions and positions[-1] == UNBEATEN:
        return fingerprint([*lines[:2], *positions[:-1]])
    return fingerprint([*lines[:2], *(positions or lines[2:])])


def _positions(text: str) -> list[Any] | None:
    """The position of each source; ``None`` if the text is not whole.

    Nothing is known of positions in a form newer than this.
    """
    version, *lines = text.split("\n")
    if version != "v1":
        return []
    try:
        json.loads(lines[0])
        return [json.loads(line) if line != "-" else None for line in lines[1:]]
    except (ValueError, IndexError):
        return None


def _files_of(text: str, entry: int) -> list[Path] | None:
    """The files of one entry, which stand last in a compact list; ``None`` if not all are local."""
    found: list[Path] = []
    for line in reversed(text.split("\n")[1:]):
        value = json.loads(line)
        if value.get("batchId") != entry:
            break
        if not value["path"].startswith("file:"):
            return None
        found.append(Path(unquote(urlsplit(value["path"]).path)))
    return found[::-1] or None


def _entries(folder: Path) -> list[tuple[int, Path]]:
    """Log entries (``12``, ``9.compact``) by number."""
    found = []
    for path in folder.glob("[0-9]*"):
        number = path.name.removesuffix(".compact")
        if number.isdigit():
            found.append((int(number), path))
    return sorted(found)


def _numbered(folder: Path, *, above: int) -> list[Path]:
    """Entries with a higher number, newest first, and their checksums."""
    found = [path for number, path in reversed(_entries(folder)) if number > above]
    return [path for one in found for path in with_checksum(one)]


def with_checksum(path: Path) -> list[Path]:
    """An entry and the checksum beside it, as far as they are there."""
    return [p for p in (path, _checksum(path)) if p.exists()]
