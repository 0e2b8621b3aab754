"""A disk that forgets what was not flushed: every state that a loss of power may leave behind.

While a pipeline runs, each flush and each change of a name is a *moment*. At a moment the disk
surely has the bytes of files that were flushed since they were written, and the names of folders
that were flushed since they changed. Everything else may be there, or not, or in part: a name by
itself, bytes by themselves. Only a name that was changed within its folder is the old one or the
new one, as every file system with a journal has it. The rest is harsher than any real one.
"""

from __future__ import annotations

import json
import os
import random
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from slackwater.execute.spread.task import Performed, Site, Work, perform
from slackwater.runs.checkpoint import Checkpoint
from slackwater.runs.manifest import Manifest
from slackwater.spark.crew import SparkCrew

Names = dict[int, dict[str, int]]  # by folder: what its names stand for
Bytes = dict[int, bytes]


@dataclass(frozen=True)
class Moment:
    """The disk as programs see it, and what of it is safe."""

    label: str
    committed: int
    top: int
    folders: set[int]
    names: Names
    bytes: Bytes
    safe_names: Names
    safe_bytes: Bytes


class Disk:
    """Watches a folder; files are known by their inodes, which stay open so that none is reused."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.top = root.stat().st_ino
        self.moments: list[Moment] = []
        self.committed = -1
        self._safe_names: Names = {self.top: {}}
        self._safe_bytes: Bytes = {}
        self._open: dict[int, int] = {}
        self._folders: set[int] = set()
        self._known: dict[int, tuple[tuple[int, int], bytes]] = {}
        self._lock = threading.Lock()

    @contextmanager
    def watching(self) -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            flush, commit = os.fsync, Checkpoint.commit

            def fsync(handle: int) -> None:
                path = Path(f"/proc/self/fd/{handle}").readlink()
                if not path.is_relative_to(self.root):
                    flush(handle)
                    return
                with self._lock:
                    self._look(f"before flush of {path.relative_to(self.root)}")
                    self._keep(path)

            def committing(checkpoint: Checkpoint, manifest: Manifest) -> None:
                commit(checkpoint, manifest)
                self.committed = manifest.batch

            def performing(crew: SparkCrew, site: Site, works: Sequence[Work]) -> list[Performed]:
                return self._performing(crew, site, works)

            def watched(change: Callable[..., Any], name: str) -> Callable[..., Any]:
                def with_moment(path: Path, *arguments: Any, **options: Any) -> Any:
                    if Path(path).is_relative_to(self.root):
                        with self._lock:
                            self._look(f"before {name} of {Path(path).relative_to(self.root)}")
                    return change(path, *arguments, **options)

                return with_moment

            patch.setattr(os, "fsync", fsync)
            patch.setattr(SparkCrew, "perform", performing)
            patch.setattr(Checkpoint, "commit", committing)
            for name in ("replace", "rename", "unlink"):
                patch.setattr(Path, name, watched(getattr(Path, name), name))
            yield
        self._look("at the end")
        for handle in self._open.values():
            os.close(handle)

    def _performing(self, crew: SparkCrew, site: Site, works: Sequence[Work]) -> list[Performed]:
        """Tasks flush what they write in processes of their own; here they note it."""
        with tempfile.TemporaryDirectory() as notes:
            found = crew._each(site, _noting(self.root, Path(notes)), works)
            noted = sorted(json.loads(note.read_text()) for note in Path(notes).iterdir())
        with self._lock:
            for _, path, inode, entries, size in noted:
                self._look(f"before a task's flush of {Path(path).relative_to(self.root)}")
                if entries is not None:
                    self._safe_names[inode] = entries
                else:
                    with suppress(FileNotFoundError):
                        self._safe_bytes[inode] = Path(path).read_bytes()[:size]
        return found

    def _keep(self, path: Path) -> None:
        inode = path.stat().st_ino
        if path.is_dir():
            self._safe_names[inode] = {e.name: e.inode() for e in os.scandir(path)}
        else:
            self._safe_bytes[inode] = path.read_bytes()

    def _look(self, label: str) -> None:
        names: Names = {}
        contents: Bytes = {}
        self._look_at(self.root, names, contents)
        self.moments.append(
            Moment(
                label,
                self.committed,
                self.top,
                self._folders,
                names,
                contents,
                dict(self._safe_names),
                dict(self._safe_bytes),
            )
        )

    def _look_at(self, folder: Path, names: Names, contents: Bytes) -> None:
        self._folders.add(folder.stat().st_ino)
        inside = names.setdefault(folder.stat().st_ino, {})
        for entry in sorted(os.scandir(folder), key=lambda e: e.name):
            with suppress(FileNotFoundError):  # Spark works while we look
                path = Path(entry.path)
                inode = entry.inode()
                if inode not in self._open:
                    self._open[inode] = os.open(path, os.O_RDONLY)
                inside[entry.name] = inode
                if entry.is_dir():
                    self._look_at(path, names, contents)
                else:
                    contents[inode] = self._read(path, inode)

    def _read(self, path: Path, inode: int) -> bytes:
        found = path.stat()
        version = (found.st_mtime_ns, found.st_size)
        if self._known.get(inode, (None,))[0] != version:
            self._known[inode] = (version, path.read_bytes())
        return self._known[inode][1]


def _noting(root: Path, notes: Path) -> Callable[[Site, Work, str], Performed]:
    """A task that notes what it flushes, and when."""

    def noting(site: Site, work: Work, attempt: str) -> Performed:
        flush = os.fsync

        def fsync(handle: int) -> None:
            path = Path(f"/proc/self/fd/{handle}").readlink()
            if not path.is_relative_to(root):
                flush(handle)
                return
            entries = {e.name: e.inode() for e in os.scandir(path)} if path.is_dir() else None
            found = path.stat()
            note = [time.time_ns(), str(path), found.st_ino, entries, found.st_size]
            (notes / uuid.uuid4().hex).write_text(json.dumps(note))

        os.fsync = fsync
        try:
            return perform(site, work, attempt)
        finally:
            os.fsync = flush

    return noting


def without_flushes(moment: Moment, place: str) -> Moment:
    """The same moment, had nothing below ``place`` been flushed."""
    unsafe: set[int] = set()

    def visit(inode: int, path: str) -> None:
        inside = place in path.split("/")
        if inside:
            unsafe.add(inode)
        entries = {*moment.names.get(inode, {}).items(), *moment.safe_names.get(inode, {}).items()}
        for name, child in entries:
            visit(child, f"{path}/{name}")

    visit(moment.top, "")
    return replace(
        moment,
        safe_names={n: names for n, names in moment.safe_names.items() if n not in unsafe},
        safe_bytes={n: data for n, data in moment.safe_bytes.items() if n not in unsafe},
    )


class Loss:
    """One way the power may be lost at a moment; ``mood`` is the share that is forgotten."""

    def __init__(self, moment: Moment, draw: random.Random) -> None:
        self.moment = moment
        self.draw = draw
        self.mood = draw.choice([0.0, 0.1, 0.5, 0.9, 1.0])

    def leave(self, target: Path) -> None:
        """Write what is left to a folder."""
        self._leave(self.moment.top, target)

    def _leave(self, top: int, target: Path) -> None:
        target.mkdir()
        now, safe = self.moment.names.get(top, {}), self.moment.safe_names.get(top, {})
        forgotten = self._renamed(now, safe)
        for name in sorted({*now, *safe}):
            moved = now.get(name, safe.get(name))
            forgets = forgotten[moved] if moved in forgotten else self._forgets()
            inode = (safe if forgets else now).get(name)
            if inode is None:
                continue
            if inode in self.moment.folders:
                self._leave(inode, target / name)
            else:
                (target / name).write_bytes(self._content(inode))

    def _renamed(self, now: dict[str, int], safe: dict[str, int]) -> dict[int | None, bool]:
        """Of what got another name in its folder: whether that is forgotten."""
        names = {inode: name for name, inode in now.items()}
        moved = [n for name, n in safe.items() if n in names and names[n] != name]
        return {inode: self._forgets() for inode in moved}

    def _content(self, inode: int) -> bytes:
        safe = self.moment.safe_bytes.get(inode, b"")
        now = self.moment.bytes.get(inode, safe)
        if now == safe or not self._forgets():
            return now
        return self.draw.choice([safe, now[: self.draw.randint(0, len(now))]])

    def _forgets(self) -> bool:
        return self.draw.random() < self.mood
