"""Where a checkpoint is at home: in its folder, or in a store of which the folder is a copy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Protocol

from slackwater.errors import CheckpointError

IDENTITY = "slackwater.json"
COPY = "writer"  # a file that only copies have: which writer of the checkpoint made it
Groups = Mapping[str, Iterable[Path]]  # by the beginning of their names: all files that are so


class Home(Protocol):
    """What makes the files of a checkpoint folder outlive it."""

    @property
    def folder(self) -> Path:
        """Where its files are worked on."""
        ...

    @property
    def address(self) -> str:
        """What people call the checkpoint."""
        ...

    @property
    def epochs(self) -> tuple[int, int]:
        """Which writer of the checkpoint this one is, and which one committed the newest batch."""
        ...

    def takes_logs(self) -> bool:
        """Whether the event log should be kept again with the next batch."""
        ...

    def identity(self) -> bytes | None:
        """What ``slackwater.json`` says, before the folder is there."""
        ...

    def fetch(self) -> None:
        """Let the folder be as the checkpoint is."""
        ...

    def take(self, groups: Groups) -> str | None:
        """From here on nobody else may write; whom that was taken from, if it was running."""
        ...

    def begun(self, groups: Groups) -> None:
        """Begin to keep what was decided."""
        ...

    def settled(self) -> None:
        """Wait until that is kept."""
        ...

    def done(self, groups: Groups) -> None:
        """Keep what a batch left behind: with this it is committed."""
        ...

    def close(self, *, logs: Iterable[Path] = ()) -> None:
        """Give the checkpoint up."""
        ...


class Folder:
    """The folder itself: whatever is written there was flushed by whoever wrote it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.address = str(folder)
        self.epochs = (0, 0)

    def takes_logs(self) -> bool:
        return False

    def identity(self) -> bytes | None:
        try:
            return (self.folder / IDENTITY).read_bytes()
        except OSError:
            return None  # opening it tells what is wrong

    def fetch(self) -> None:
        if (self.folder / COPY).exists():
            raise CheckpointError(
                "CHECKPOINT_COPY",
                f"{self.folder} is a copy of a checkpoint that lies in an object store",
                "give the address in the store; what is changed here does not count",
            )

    def take(self, _groups: Groups) -> str | None:
        return None

    def begun(self, groups: Groups) -> None:
        """It is written."""

    def settled(self) -> None:
        """It is written."""

    def done(self, groups: Groups) -> None:
        """The manifest is written."""

    def close(self, *, logs: Iterable[Path] = ()) -> None:
        """The lock is the folder's."""
