"""Where the event log of a checkpoint is, and whether it is one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from slackwater.errors import CheckpointError
from slackwater.events.segments import full_files
from slackwater.events.tail import parsed

LOG = "events.jsonl"
MEANING = "slackwater.json"
_HINT = "give the folder that was given to the pipeline as its checkpoint"


def find_log(checkpoint: Path) -> Path:
    """The event log of a checkpoint folder; it need not have any events yet.

    Raises
    ------
    CheckpointError
        There is no such folder, it is no checkpoint, or the log is not one of ours.
    """
    folder = checkpoint.parent if checkpoint.name == LOG else checkpoint
    if not folder.is_dir():
        raise CheckpointError("CHECKPOINT_MISSING", f"there is no folder {folder}", _HINT)
    path = folder / LOG
    files = [file for file in [*full_files(path), path] if file.exists()]
    if not files and not (folder / MEANING).exists():
        raise CheckpointError("CHECKPOINT_MISSING", f"there is no {LOG} in {folder}", _HINT)
    if files and not (folder / MEANING).exists():
        _require_events(files[0])
    return path


def _require_events(path: Path) -> None:
    """The first line of a file that nothing vouches for must be an event."""
    try:
        with path.open("rb") as file:
            line = file.readline(1 << 20)
    except OSError as error:
        text = f"cannot read {path}: {error.strerror}"
        raise CheckpointError("EVENTS_UNREADABLE", text, "mend its permissions") from error
    if line.endswith(b"\n") and parsed(line.rstrip())["event"] == "damaged":
        raise CheckpointError("EVENTS_FOREIGN", f"{path} is not an event log of slackwater", _HINT)


def meaning(folder: Path) -> dict[str, Any]:
    """The plan as the checkpoint remembers it, for logs without one; empty if it does not."""
    try:
        value = json.loads((folder / MEANING).read_text(encoding="utf-8"))["meaning"]
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return value if isinstance(value, dict) else {}
