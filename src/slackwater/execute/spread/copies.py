"""Copies of shared files on the machine that works on them: mapped, they are as fast as memory.

A folder on a local disk is mapped as it is. Where driver and executors share one over the network,
each machine keeps a copy of what its tasks have opened; the shared file is the truth, and whoever
has no copy makes one.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PATIENCE = 10.0  # seconds; a file that another machine wrote may not show at once
OFTEN = 200  # files opened between two looks for copies that nobody needs
REMOTE = ("nfs", "cifs", "smb", "fuse", "9p", "ceph", "lustre", "glusterfs", "beegfs", "gpfs")

_opened = 0


@dataclass(frozen=True, slots=True)
class Copies:
    """The copies of a pipeline's files on this machine; none if ``folder`` is ``None``."""

    shared: Path
    folder: Path | None

    @classmethod
    def of(cls, shared: Path, token: str) -> Copies:
        place = Path(tempfile.gettempdir()) / f"slackwater-{token}"
        return cls(shared, place if is_remote(shared) else None)

    def path(self, name: str, size: int) -> Path:
        """Where to open a file of the pipeline, of so many bytes."""
        if self.folder is None:
            return self.shared / name
        mine = self.folder / name
        if not mine.exists():
            _copy(self.wait_for(name, size), mine)
        self._tidy()
        return mine

    def wait_for(self, name: str, size: int) -> Path:
        """A shared file, which a network may not show at once, or not all of it; if it never does,
        who opens it says so.
        """
        path, until = self.shared / name, time.monotonic() + PATIENCE
        while self.folder is not None and not _shows(path, size) and time.monotonic() < until:
            time.sleep(0.1)
        return path

    def _tidy(self) -> None:
        """Now and then: copies of files that are gone go, too."""
        global _opened  # noqa: PLW0603 - of this process, whatever it works on
        _opened += 1
        if self.folder is None or _opened % OFTEN:
            return
        for path in self.folder.glob("*/*"):
            if not (self.shared / path.relative_to(self.folder)).exists():
                path.unlink(missing_ok=True)


def _shows(path: Path, size: int) -> bool:
    return path.exists() and path.stat().st_size >= size


def _copy(shared: Path, mine: Path) -> None:
    """Tasks of one machine may copy the same file at the same time: each shows a whole one."""
    mine.parent.mkdir(parents=True, exist_ok=True)
    part = mine.with_name(f"{mine.name}.{os.getpid()}")
    shutil.copyfile(shared, part)
    part.rename(mine)


@cache
def is_remote(folder: Path) -> bool:
    """Whether a folder lies on another machine, as far as this one tells."""
    kinds = _mounts()
    place = folder.resolve()
    for above in (place, *place.parents):
        if (kind := kinds.get(str(above))) is not None:
            return kind.startswith(REMOTE)
    return False


def _mounts() -> dict[str, str]:
    """The type of what is mounted where; nothing on machines that do not tell."""
    try:
        lines = Path("/proc/mounts").read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    fields = [line.split() for line in lines]
    return {_plain(part[1]): part[2] for part in fields if len(part) > 2}


def _plain(name: str) -> str:
    return name.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\")
