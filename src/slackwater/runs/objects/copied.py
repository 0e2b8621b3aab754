"""A checkpoint in an object store: its folder is a working copy, the store is the truth.

Files are written to the folder as ever. Then they go to the store, each as an object with a name
that is never used again, and one more object, the head, lists them. Only the head changes, and only
from the state in which this process last saw it. So what is not in the head never happened; a
second writer notices at its next change; nothing has to be listed to be found.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from uuid import uuid4

from slackwater.errors import CheckpointError, SlackwaterError
from slackwater.runs.files import storage_error, write_file
from slackwater.runs.home import COPY, IDENTITY, Groups
from slackwater.runs.objects.bucket import Bucket, Tag, unconditional
from slackwater.runs.objects.head import HEAD, Head, Kept, Writer

SMALL = 32 << 10  # bytes of a text that the head itself has
AT_ONCE = 16  # objects on their way at the same time
LOGS_EVERY = 30.0  # seconds between two copies of the event log
LOGS = "events."

Stamp = tuple[int, int, int]


class Copied:
    """The home of a checkpoint whose folder is a copy."""

    def __init__(self, bucket: Bucket, folder: Path) -> None:
        self.address = bucket.address
        self.folder = folder
        self._bucket = bucket
        self._head = Head()
        self._tag: Tag | None = None
        self._stamps: dict[str, Stamp] = {}
        self._writer = Writer()
        self._numbers = count(1)
        self._lost: SlackwaterError | None = None
        self._owns = False
        self._logged = time.monotonic()
        self._do = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="slackwater-store")
        self._one = ThreadPoolExecutor(1, thread_name_prefix="slackwater-head")
        self._tidy = ThreadPoolExecutor(1, thread_name_prefix="slackwater-tidy")
        self._begun: Future[None] | None = None

    @property
    def epochs(self) -> tuple[int, int]:
        return self._head.writer.epoch, self._head.committed

    # at the start ----------------------------------------------------------------------------

    def identity(self) -> bytes | None:
        head, _ = self._read()
        kept = head.files.get(IDENTITY)
        return None if kept is None else self._data(kept)

    def fetch(self) -> None:
        self._head, self._tag = self._read()
        mine = self.folder / COPY
        try:
            if not mine.exists() or mine.read_text() != self._head.writer.token:
                for log in self.folder.glob(f"{LOGS}*"):  # of an earlier life on this machine
                    log.unlink()
            for path in self._strange():
                path.unlink()
            files = self._head.files
            list(self._do.map(self._restore, files, files.values()))
        except OSError as error:
            raise storage_error(error, self.folder) from error

    def take(self, groups: Groups) -> str | None:
        self._probe()
        before = self._head.writer
        self._writer = Writer.next(before)
        files = {**self._head.files, **self._sent_files(groups)}
        write_file(self.folder / COPY, self._writer.token.encode())
        self._owns = self._change(replace(self._head, writer=self._writer, files=files))
        if not self._owns:
            raise CheckpointError(
                "CHECKPOINT_IN_USE",
                f"{self.address} was changed by another pipeline while this one started",
                "let only one pipeline use a checkpoint, and start again",
            )
        self._tidy.submit(self._sweep)
        return None if before.left or not before.token else str(before)

    def _read(self) -> tuple[Head, Tag | None]:
        found = self._bucket.get(HEAD)
        if found is None:
            return Head(), None
        return Head.of(found.data, self.address), found.tag

    def _data(self, kept: Kept) -> bytes:
        if kept.key is None:
            return (kept.text or "").encode()
        found = self._bucket.get(kept.key)
        if found is None or not kept.fits(found.data):
            raise CheckpointError(
                "CHECKPOINT_DAMAGED",
                f"{self.address}/{kept.key} is {'missing' if found is None else 'another object'}",
                "restore that object, or use a new checkpoint",
            )
        return found.data

    def _restore(self, name: str, kept: Kept) -> None:
        path = self.folder / name
        there = path.is_file() and path.stat().st_size == kept.size
        if name.startswith(LOGS):
            if not path.exists():  # what was told here since the last copy stays
                write_file(path, self._data(kept), flush=False)
            return
        if not (there and kept.fits(path.read_bytes())):
            write_file(path, self._data(kept), flush=False)
        self._stamps[name] = stamp(path)

    def _strange(self) -> Iterator[Path]:
        """Files of the folder that the store does not know: they never happened."""
        known = self._head.files
        for top in ("manifest", "decision", "runs", "spark"):
            for path in (self.folder / top).rglob("*"):
                if path.is_file() and str(path.relative_to(self.folder)) not in known:
                    yield path
        if IDENTITY not in known and (self.folder / IDENTITY).exists():
            yield self.folder / IDENTITY

    def _probe(self) -> None:
        """Whether the store refuses what it must refuse."""
        key, token = f"probe-{uuid4().hex}", uuid4().hex.encode()
        try:
            tag = self._bucket.swap(key, token, None)
            again = self._bucket.swap(key, token + b"2", None)
            changed = self._bucket.swap(key, token + b"3", tag)
            stale = self._bucket.swap(key, token + b"4", tag)
        finally:
            self._bucket.remove([key])
        if tag is None or again is not None:
            raise unconditional(self.address, "it creates an object that is there")
        if not tag or changed is None or stale is not None:
            raise unconditional(self.address, "it changes an object that was changed meanwhile")

    def _sweep(self) -> None:
        """Remove what earlier writers left behind; a later one has other names for its objects."""
        mine, named = self._head.writer.epoch, self._head.keys
        with suppress(SlackwaterError):  # it stays until the next start
            for key in self._bucket.keys("data"):
                epoch = key.rpartition("@")[2].partition("-")[0]
                if epoch.isdigit() and int(epoch) < mine and key not in named:
                    self._bucket.remove([key])

    # in every batch --------------------------------------------------------------------------

    def begun(self, groups: Groups) -> None:
        self._check()
        self._begun = self._one.submit(self._publish, groups, committing=False)

    def settled(self) -> None:
        begun, self._begun = self._begun, None
        if begun is not None:
            begun.result()
        self._check()

    def done(self, groups: Groups) -> None:
        self.settled()
        self._publish(groups, committing=True)

    def _publish(self, groups: Groups, *, committing: bool) -> None:
        """Send what is new, then change the head."""
        others = tuple(groups)
        files = {n: kept for n, kept in self._head.files.items() if not n.startswith(others)}
        files |= self._sent_files(groups)
        before = self._head
        after = replace(before, files=files)
        if committing:
            after = replace(after, committed=before.writer.epoch)
        if not self._change(after):
            self._owns = False
            self._lost = self._taken()
            raise self._lost
        gone = before.keys - after.keys
        if gone:
            self._tidy.submit(self._remove, sorted(gone))

    def _sent_files(self, groups: Groups) -> dict[str, Kept]:
        paths = [path for some in groups.values() for path in some]
        names = [str(path.relative_to(self.folder)) for path in paths]
        return dict(zip(names, self._do.map(self._send, names, paths), strict=True))

    def _send(self, name: str, path: Path) -> Kept:
        """A file as the store has it, sent if it is not there as it is now."""
        now, known = stamp(path), self._head.files.get(name)
        if known is not None and self._stamps.get(name) == now:
            return known
        data = path.read_bytes()
        kept = Kept(len(data), zlib.crc32(data))
        if known is not None and known.fits(data):
            kept = known
        elif len(data) <= SMALL and not name.startswith(("runs/", LOGS)) and is_text(data):
            kept = replace(kept, text=data.decode())
        else:
            key = self._key(name)
            self._bucket.put(key, data)
            kept = replace(kept, key=key)
        self._stamps[name] = now
        return kept

    def _key(self, name: str) -> str:
        """A name that no object ever had."""
        writer = self._writer
        return f"data/{name}@{writer.epoch:06d}-{writer.token[:8]}-{next(self._numbers):06d}"

    def _change(self, head: Head) -> bool:
        """Change the head, if it is as this process last saw it."""
        head = replace(head, change=head.change + 1)
        tag = self._bucket.swap(HEAD, head.to_bytes(), self._tag)
        if tag is not None:
            self._head, self._tag = head, tag
        return tag is not None

    def _taken(self) -> CheckpointError:
        writer = self._read()[0].writer
        return CheckpointError(
            "CHECKPOINT_TAKEN",
            f"{self.address} was taken over by another pipeline: {writer}",
            "this one has stopped, and nothing is lost or doubled; let only one pipeline use a "
            "checkpoint",
        )

    def _check(self) -> None:
        if self._lost is not None:
            raise self._lost

    def _remove(self, keys: list[str]) -> None:
        with suppress(SlackwaterError):  # it goes with the next start
            list(self._do.map(lambda key: self._bucket.remove([key]), keys))

    # the event log, and the end --------------------------------------------------------------

    def takes_logs(self) -> bool:
        now = time.monotonic()
        due = now - self._logged > LOGS_EVERY
        self._logged = now if due else self._logged
        return due

    def close(self, *, logs: Iterable[Path] = ()) -> None:
        try:
            if self._owns and self._lost is None:
                with suppress(SlackwaterError):  # the log goes on from an older copy
                    self.settled()
                    self._leave(logs)
        finally:
            self._owns = False
            for pool in (self._one, self._tidy, self._do):
                pool.shutdown()

    def _leave(self, logs: Iterable[Path]) -> None:
        """The event log as it ended, and that nobody writes any more."""
        before = self._head
        files = {name: kept for name, kept in before.files.items() if not name.startswith(LOGS)}
        files |= self._sent_files({LOGS: logs})
        writer = replace(before.writer, left=True)
        if self._change(replace(before, writer=writer, files=files)):
            self._remove(sorted(before.keys - self._head.keys))


def stamp(path: Path) -> Stamp:
    found = path.stat()
    return found.st_size, found.st_mtime_ns, found.st_ino


def is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
