"""Spark's own record of progress (offsets, commits, files read), and how to turn it back.

On restart Spark looks at the newest entry of ``offsets/``. If ``commits/`` has no such entry the
batch is run again with exactly those offsets; else Spark plans the next one. A file source also
writes down which files each of its offsets stands for, and takes no file twice.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def entries_after(folder: Path, batch: int) -> list[Path]:
    """The entries to remove so that Spark goes on as if it had been killed in ``batch + 1``.

    The offsets of ``batch + 1`` stay, so that it is read again as it was. Checksums beside an
    entry (``.12.crc``) are named with it.
    """
    found = _numbered(folder / "commits", above=batch)
    found += _numbered(folder / "offsets", above=batch + 1)
    for number, offset in enumerate(_offsets(folder, batch + 1)):
        if isinstance(offset, dict) and isinstance(offset.get("logOffset"), int):
            found += _numbered(folder / "sources" / str(number), above=offset["logOffset"])
    return found


def _offsets(folder: Path, batch: int) -> list[Any]:
    """The offset of each source in a batch; nothing if it cannot be told which is whose.

    Without it the lists of files stay as they are: then the files of several batches come in one.
    """
    path = folder / "offsets" / str(batch)
    try:
        version, _, *lines = path.read_text(encoding="utf-8").splitlines()
        offsets = [json.loads(line) if line != "-" else None for line in lines]
    except (OSError, ValueError):
        return []
    sources = [p for p in (folder / "sources").glob("[0-9]*") if p.is_dir()]
    known = version == "v1" and len(sources) <= len(offsets)
    return offsets if known else []


def _numbered(folder: Path, *, above: int) -> list[Path]:
    """Log entries (``12``, ``9.compact``) with a higher number, newest first, and checksums."""
    found = []
    for path in folder.glob("[0-9]*"):
        number = path.name.removesuffix(".compact")
        if number.isdigit() and int(number) > above:
            found.append((int(number), path))
    paths = [path for _, path in sorted(found, reverse=True)]
    return [p for path in paths for p in (path, path.with_name(f".{path.name}.crc")) if p.exists()]
