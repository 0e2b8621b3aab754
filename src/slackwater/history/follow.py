"""Follow a run: its history, kept up to date from the log alone.

Of a long log the newest part is read first, so that there is something to look at while the rest
is read; ``history`` is then replaced by the whole one.
"""

from __future__ import annotations

from itertools import dropwhile
from pathlib import Path
from threading import Lock

from slackwater.errors import CheckpointError, SlackwaterError
from slackwater.events.place import LOG, find_log, meaning
from slackwater.events.segments import full_files
from slackwater.events.tail import Tail
from slackwater.history.history import History, Json

LONG = 12 << 20  # bytes above which the newest part comes first
_SWAP = 1 << 20  # added to the epoch when the history is replaced


class Follower:
    """One run and what is known of it. Safe to read from other threads under ``lock``.

    Parameters
    ----------
    checkpoint
        The folder of the run.
    long
        Bytes of log above which the newest part is read first.
    from_now
        Leave out what was told until now, and begin with the next start: for who starts the run.
        The checkpoint need not be there yet.
    """

    def __init__(self, checkpoint: Path, *, long: int = LONG, from_now: bool = False) -> None:
        self.path = checkpoint / LOG if from_now else find_log(checkpoint)
        self.lock = Lock()
        self.error: SlackwaterError | None = None
        self._whole = self._fresh()
        self._preview: History | None = None
        self._tail = Tail(self.path, from_now=from_now)
        self._is_begun = not from_now
        self._swaps = 0
        self._size = self._bytes()
        self._read = 0
        if self._size > long and not from_now:
            self._read_newest()

    @property
    def name(self) -> str:
        return self.path.parent.absolute().name

    @property
    def history(self) -> History:
        return self._whole if self._preview is None else self._preview

    @property
    def epoch(self) -> int:
        """Changes when numbers given out before are no longer right."""
        return self._swaps * _SWAP + self.history.epoch

    @property
    def progress(self) -> float | None:
        """Share of the log that was read; ``None`` once it is all."""
        return None if self._preview is None else min(1.0, self._read / max(1, self._size))

    def look(self) -> bool:
        """Read on, at most about a megabyte; whether there was anything."""
        if self.error is not None:
            return False
        try:
            events = self._begun(self._tail.poll())
        except OSError as error:
            text = f"cannot read {self.path}: {error.strerror or error}"
            self.error = CheckpointError("EVENTS_UNREADABLE", text, "mend the folder, then reload")
            return False
        with self.lock:
            try:
                self._whole.add(events)
            except SlackwaterError as error:  # a log of a later version
                self.error = error
            self._read += 1 << 20
            if self._preview is not None and not events:
                self._preview = None
                self._swaps += 1
        return bool(events)

    def _begun(self, events: list[Json]) -> list[Json]:
        """Events from the start on; a batch may be told again before it."""
        if not self._is_begun:
            events = list(dropwhile(lambda event: event["event"] != "start", events))
            self._is_begun = bool(events)
        return events

    def look_through(self) -> History:
        """Read all there is; raise what stands against it."""
        while self.look():
            pass
        if self.error is not None:
            raise self.error
        return self.history

    def _fresh(self) -> History:
        history = History()
        history.use_plan(meaning(self.path.parent))
        return history

    def _bytes(self) -> int:
        files = [*full_files(self.path), self.path]
        return sum(file.stat().st_size for file in files if file.exists())

    def _read_newest(self) -> None:
        tail, preview = Tail(self.path, newest_only=True), self._fresh()
        try:
            while events := tail.poll():
                preview.add(events)
            self._preview = preview if preview.newest is not None else None
        except SlackwaterError as error:
            self.error = error
        finally:
            tail.close()

    def close(self) -> None:
        self._tail.close()


def newest_history(checkpoint: Path) -> History:
    """What the newest part of a log tells: all of it, unless it is long."""
    run = Follower(checkpoint)
    try:
        return run.look_through() if run.progress is None else run.history
    finally:
        run.close()
