"""Where a checkpoint is: a folder, or an address in an object store with a copy on this machine."""

from __future__ import annotations

import os
from pathlib import Path

from slackwater.errors import CheckpointError
from slackwater.runs.home import Folder, Home
from slackwater.runs.objects.address import STORES, is_store, open_bucket
from slackwater.runs.objects.copied import Copied
from slackwater.runs.paths import is_remote, local_path
from slackwater.units import fingerprint

WORK = "SLACKWATER_WORK"  # environment: where copies are kept


def located(checkpoint: str | Path) -> Home:
    """The home of a checkpoint as people write it; nothing is opened or changed."""
    path = str(checkpoint)
    if is_store(path):
        address = path.rstrip("/")
        return Copied(open_bucket(address), copy_of(address))
    if is_remote(path):
        known = ", ".join(f"{scheme}://" for scheme in STORES)
        raise CheckpointError(
            "CHECKPOINT_REMOTE",
            f"{path} is neither a folder of this machine nor in a store that is known",
            f"give a local or mounted folder that driver and executors see, or an address that "
            f"begins with {known} (no s3a, no hdfs: those are Spark's own)",
        )
    return Folder(local_path(path))


def copy_of(address: str) -> Path:
    """Where this machine has its copy of a checkpoint in a store."""
    given = os.environ.get(WORK)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    work = Path(given).expanduser() if given else cache / "slackwater" / "checkpoints"
    return work.absolute() / f"{address.rpartition('/')[2]}-{fingerprint(address)}"
