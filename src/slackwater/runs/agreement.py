"""Our record and Spark's, side by side: before a pipeline goes on they must tell one story.

Ours leads: what the newest manifest says has happened. Of batch N these are made durable, each
before the next is written:

1. Spark's offsets, and the files they stand for (Spark writes them, we flush them);
2. our decision, and whatever sinks and runs get;
3. our manifest, which has the mark of the offsets it was made with;
4. Spark's commit (not flushed: if it is lost Spark gives the batch again, and it is known).

So after any crash Spark's newest offsets are those of the newest manifest or of the batch after it,
and no commit is newer than the newest manifest. What else is found was not left by a crash.
"""

from __future__ import annotations

import json
import uuid
from pathlib import Path

from slackwater.errors import CheckpointError
from slackwater.events.log import last_batch
from slackwater.runs.checkpoint import Checkpoint
from slackwater.runs.files import storage_error, sync_all, write_atomically
from slackwater.runs.manifest import Begun
from slackwater.runs.offsets import SparkLog, is_whole, with_checksum


def agree(checkpoint: Checkpoint) -> None:
    """Refuse a checkpoint whose two records do not fit; forget what a loss of power tore."""
    manifest = checkpoint.newest()
    if manifest is not None and manifest.offsets is None:
        return  # its batch was not given by Spark
    last = -1 if manifest is None else manifest.batch
    log = SparkLog(checkpoint.spark)
    reason = _beyond(checkpoint, log, last)
    begun = checkpoint.begun(last + 1)
    unusable = log.unusable_after(last, begun=begun is not None)
    reason = reason or _unfit(begun, log, last + 1)
    if reason is None and manifest is not None:
        reason = log.lacks(last, manifest.offsets)
    if reason is not None:
        raise disagreement(checkpoint.folder, reason)
    try:
        for path in unusable:
            path.unlink(missing_ok=True)
        sync_all({path.parent for path in unusable})
        _mend_name(log)
    except OSError as error:
        raise storage_error(error, log.folder) from error


def disagreement(folder: Path, reason: str) -> CheckpointError:
    return CheckpointError(
        "CHECKPOINT_DISAGREES",
        f"Spark's record in {folder / 'spark'} and the manifests beside it do not fit: {reason}",
        f"no crash leaves this behind; if files were removed or restored, bring back the whole "
        f"folder, or run 'slackwater repair {folder}' to go back to the newest batch on which "
        "both agree",
    )


def _beyond(checkpoint: Checkpoint, log: SparkLog, last: int) -> str | None:
    """Why there must have been batches after the newest manifest."""
    committed, planned = log.newest("commits"), log.newest("offsets")
    have = f"the newest manifest is that of batch {last}" if last >= 0 else "there is no manifest"
    if committed > last:
        return f"Spark has finished batch {committed}, {have}"
    if planned > last + 1:
        return f"Spark has begun batch {planned}, {have}"
    if last < 0 and (told := last_batch(checkpoint.events)) is not None and told >= 0:
        return f"batch {told} was told of, {have}"
    return None


def _unfit(begun: Begun | None, log: SparkLog, batch: int) -> str | None:
    """Why a batch cannot be run again on the rows it was decided for."""
    if begun is None or begun.offsets is None:
        return None  # or an end, or a batch that was not given by Spark
    return log.lacks(batch, begun.offsets)


def _mend_name(log: SparkLog) -> None:
    """Spark gives every stream a name of its own, and refuses a record without it."""
    path = log.folder / "metadata"
    if log.is_there and not is_whole(path):
        for torn in with_checksum(path):
            torn.unlink()
        if log.batches("offsets"):
            write_atomically(path, json.dumps({"id": str(uuid.uuid4())}).encode())
