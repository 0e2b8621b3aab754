"""Files that outlive a loss of power: flushed, written whole or not at all, sealed by a checksum.

A file is safe once its content *and* the folder that names it are flushed; a new folder once the
one above it is, too.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from slackwater.errors import CheckpointError, StorageError

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


def storage_error(error: OSError, path: Path) -> StorageError:
    """Name what went wrong with a file, and the way out."""
    safe = "the batch was not committed and nothing is half-written"
    return StorageError.of(error, path, safe)


def write_file(path: Path, data: bytes | memoryview, *, flush: bool = True) -> None:
    """Write, and flush to disk unless told not to; the file has its full content or is removed."""
    try:
        make_folder(path.parent)
        with path.open("wb") as file:
            file.write(data)
            if flush:
                file.flush()
                os.fsync(file.fileno())
    except OSError as error:
        path.unlink(missing_ok=True)
        raise storage_error(error, path) from error


def write_atomically(path: Path, data: bytes) -> None:
    """Write beside, flush, rename: readers see the old content or the new, never a part."""
    beside = path.with_name(f".{path.name}.tmp")
    write_file(beside, data)
    try:
        beside.replace(path)
        sync(path.parent)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise storage_error(error, path) from error


def seal(value: dict[str, Any]) -> bytes:
    """JSON with a checksum of itself."""
    body = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return json.dumps({"crc32": zlib.crc32(body.encode()), "body": value}, sort_keys=True).encode()


def opened(data: bytes) -> dict[str, Any] | None:
    """The JSON inside, ``None`` if a single byte is not what was written."""
    try:
        outer = json.loads(data)
        body: dict[str, Any] = outer["body"]
        text = json.dumps(body, sort_keys=True, separators=(",", ":"))
        return body if zlib.crc32(text.encode()) == outer["crc32"] else None
    except (ValueError, KeyError, TypeError):
        return None


def unseal(path: Path) -> dict[str, Any]:
    """The JSON inside of a file, or a clear error if it is not what was written."""
    body = opened(path.read_bytes())
    if body is not None:
        return body
    raise CheckpointError(
        "CHECKPOINT_DAMAGED",
        f"{path} is not what was written",
        f"run 'slackwater repair {path.parent.parent}' to go back to the newest sound batch; "
        "the batches after it are then read again from their sources",
    )
