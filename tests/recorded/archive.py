"""A folder with a checkpoint as one archive, which can be unpacked anywhere.

Spark's list of files, the meaning of a checkpoint and the owner of a sink tell where things lie.
An archive tells it in words instead; unpacking puts the new place there.
"""

from __future__ import annotations

import json
import shutil
import tarfile
from pathlib import Path

from slackwater.runs.checkpoint import OLDER
from slackwater.runs.offsets import with_checksum

PLACE = "/somewhere/recorded"


def folder_of(version: int) -> Path:
    """Where checkpoints of a format are."""
    return Path(__file__).parent / f"format{version}"


RECORDED = {version: folder_of(version) for version in OLDER}


def pack(folder: Path, archive: Path) -> None:
    """Write an archive of a folder, which is left without a place."""
    _rewrite(folder, str(folder), PLACE)
    (folder / "checkpoint" / "lock").unlink(missing_ok=True)
    archive.parent.mkdir(exist_ok=True)
    with tarfile.open(archive, "w:gz", compresslevel=9) as tar:
        tar.add(folder, ".", filter=_nobody)


def _nobody(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


def unpack(archive: Path, folder: Path) -> dict[str, list[str]]:
    """Bring a folder back as it was, files of later batches included; give what is expected."""
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    _rewrite(folder, PLACE, str(folder))
    expected: dict[str, list[str]] = json.loads((folder / "expected.json").read_text())
    return expected


def arrive(folder: Path) -> None:
    """The files that were not there yet when the checkpoint was made come now."""
    for path in sorted((folder / "later").rglob("*.parquet")):
        shutil.move(path, folder / path.relative_to(folder / "later"))


def _rewrite(folder: Path, old: str, new: str) -> None:
    """Put another place into the texts that tell one; Spark's checksums of these hold no more."""
    spark = folder / "checkpoint" / "spark" / "sources"
    named = [folder / "checkpoint" / "slackwater.json", *folder.rglob("_slackwater.json")]
    for path in [*named, *spark.glob("*/[0-9]*")]:
        text = path.read_text(encoding="utf-8")
        if old in text:
            for stale in with_checksum(path):
                stale.unlink()
            path.write_text(text.replace(old, new), encoding="utf-8")
