"""Repair a damaged checkpoint: go back to the newest batch of which everything is sound.

The batches after it are read again from their sources. Sinks forget what they have of them when the
pipeline starts (:meth:`~slackwater.execute.sinks.base.Sink.rollback`).
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from slackwater.errors import CheckpointError
from slackwater.events.log import EventLog, last_batch
from slackwater.runs.checkpoint import KEPT, Checkpoint
from slackwater.runs.files import storage_error, sync_all, write_atomically
from slackwater.runs.offsets import SparkLog
from slackwater.runs.run import verify

_UNDER_WAY = b"a repair was under way: run it again"


@dataclass(frozen=True, slots=True)
class RepairReport:
    """What was wrong with a checkpoint, and what was done about it.

    ``batch`` is the batch gone back to (-1: the very beginning), ``newest`` the newest batch found,
    ``removed`` the files (to be) removed, relative to ``folder``.
    """

    folder: str
    batch: int
    newest: int
    damage: tuple[str, ...]
    removed: tuple[str, ...]
    dry_run: bool

    @property
    def was_needed(self) -> bool:
        return bool(self.removed)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def repair(folder: str | Path, *, dry_run: bool = False) -> RepairReport:
    """Go back to the newest sound batch of a checkpoint.

    Parameters
    ----------
    folder
        The checkpoint.
    dry_run
        Only say what would be done.

    Raises
    ------
    CheckpointError
        There is no checkpoint, it is in use, of another format, or no batch in it is sound.
    """
    checkpoint = _claim(Path(folder))
    try:
        batches = checkpoint.batches()
        damage = {batch: _damage(checkpoint, batch) for batch in batches}
        target = _target(checkpoint, damage)
        removed = _to_remove(checkpoint, target, damage)
        if not dry_run and removed:
            _carry_out(checkpoint, target, removed)
        return RepairReport(
            folder=str(checkpoint.folder),
            batch=target,
            newest=max(batches, default=-1),
            damage=tuple(reason for reason in damage.values() if reason),
            removed=tuple(str(path.relative_to(checkpoint.folder)) for path in removed),
            dry_run=dry_run,
        )
    finally:
        checkpoint.close()


def _claim(folder: Path) -> Checkpoint:
    path = folder / "slackwater.json"
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        identity, meaning = value["pipeline"], value["meaning"]
    except OSError as error:
        raise CheckpointError(
            "CHECKPOINT_MISSING",
            f"{folder} is not a checkpoint: {path.name} {error.strerror or 'cannot be read'}",
            "give the folder that was given to the pipeline as its checkpoint",
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        raise CheckpointError(
            "CHECKPOINT_DAMAGED",
            f"{path} does not say which pipeline this is",
            "restore that file from a copy, or start with a new folder",
        ) from error
    return Checkpoint.open(folder, identity, meaning)


def _damage(checkpoint: Checkpoint, batch: int) -> str | None:
    """What is wrong with a batch: its manifest, a state file that it names, or Spark's record."""
    try:
        manifest = checkpoint.manifest(batch)
        for run in manifest.runs:
            verify(run, checkpoint.runs)
        if manifest.offsets is not None:  # else the batch was not given by Spark
            reason = SparkLog(checkpoint.spark).lacks(batch, manifest.offsets)
            return reason and f"batch {batch}: {reason}"
    except CheckpointError as error:
        if error.condition == "CHECKPOINT_FORMAT":
            raise
        return f"batch {batch}: {error.message}"
    except OSError as error:
        return f"batch {batch}: {error}"
    return None


def _target(checkpoint: Checkpoint, damage: dict[int, str | None]) -> int:
    sound = [batch for batch, reason in damage.items() if reason is None]
    if sound:
        return max(sound)
    begun = SparkLog(checkpoint.spark).newest("offsets")
    gone = begun < 0 and not damage and last_batch(checkpoint.events) is not None
    if min(damage, default=0) == 0 and begun <= KEPT and not gone:
        return -1  # nothing older was ever forgotten: the stream can be read from its beginning
    reasons = "; ".join(filter(None, damage.values())) or "there is no manifest"
    raise CheckpointError(
        "CHECKPOINT_BEYOND_REPAIR",
        f"no batch in {checkpoint.folder} is sound: {reasons}",
        "restore the folder from a copy, or start with a new one (sources are then read from their "
        "beginning); results already written are not touched",
    )


def _to_remove(checkpoint: Checkpoint, target: int, damage: dict[int, str | None]) -> list[Path]:
    """What has to go, in an order in which an interrupted repair can be run again."""
    broken = [batch for batch, reason in damage.items() if reason and batch < target]
    later = [batch for batch in damage if batch > target]
    found = [checkpoint.manifest_path(batch) for batch in broken]
    log = SparkLog(checkpoint.spark)
    if later or log.newest("commits") > target or log.newest("offsets") > target + 1:
        found += log.entries_after(target)
    found += _decisions(checkpoint, target)
    return found + [checkpoint.manifest_path(batch) for batch in later]


def _decisions(checkpoint: Checkpoint, target: int) -> list[Path]:
    """Decisions about batches that will be cut anew, and any that cannot be read.

    If Spark has the offsets of the batch after the target, it is run again on the same rows, and
    what was decided about it stays. So does an end that comes right after the target.
    """
    return [
        path
        for path in sorted((checkpoint.folder / "decision").glob("[0-9]*.json"))
        if int(path.stem) > target + 1
        or (int(path.stem) > target and not _is_wanted(checkpoint, path))
    ]


def _is_wanted(checkpoint: Checkpoint, path: Path) -> bool:
    """Whether what was decided can still be carried out."""
    batch, log = int(path.stem), SparkLog(checkpoint.spark)
    try:
        earlier = checkpoint.begun(batch)
    except CheckpointError:
        return False
    if earlier is None:
        return False
    if earlier.ended:
        return log.newest("offsets") < batch
    return log.lacks(batch, earlier.offsets) is None


def _carry_out(checkpoint: Checkpoint, target: int, removed: list[Path]) -> None:
    """Remove the files. The newest manifest goes last and is made unreadable first: until all is
    done, a pipeline that is started here is told to repair.
    """
    newest = removed[-1]
    try:
        if newest.parent.name == "manifest":
            write_atomically(newest, _UNDER_WAY)
        _remove([path for path in removed if path.parent.name != "manifest"])
        _remove([path for path in removed if path.parent.name == "manifest"])
    except OSError as error:
        raise storage_error(error, checkpoint.folder) from error
    log = EventLog(checkpoint.events)
    log.write("repair", batch=target, removed=[path.name for path in removed])
    log.close()


def _remove(paths: list[Path]) -> None:
    """Remove files for good: what is removed after them does not go before them."""
    for path in paths:
        path.unlink(missing_ok=True)
    sync_all({path.parent for path in paths})
