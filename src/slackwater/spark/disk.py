"""What is flushed outlives a loss of power: files, the folders that name them, whole trees.

A file is safe once its content *and* the folder that names it are flushed; a new folder once the
one above it is, too.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

AT_ONCE = 8  # flushes under way at the same time: a disk takes them together


def sync(path: Path) -> None:
    """Flush one file, or the names in one folder."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_all(paths: Iterable[Path]) -> None:
    """Flush files and folders, several at the same time."""
    wanted = list(dict.fromkeys(paths))
    if len(wanted) < 2:
        for path in wanted:
            sync(path)
        return
    with ThreadPoolExecutor(min(AT_ONCE, len(wanted)), thread_name_prefix="slackwater-disk") as do:
        list(do.map(sync, wanted))


def sync_tree(*tops: Path) -> None:
    """Flush everything in some folders, whoever wrote it; not the folders that name them."""
    sync_all(path for top in tops for path in (*sorted(top.rglob("*")), top))


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it, so that they stay."""
    made = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    sync_all(path.parent for path in made)
