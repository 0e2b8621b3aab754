"""The heartbeat's place among the sources that Spark counts: the last one, for good.

Spark goes on from its offsets only if there are as many sources as before. A heartbeat that was
there once therefore stays, and one that is wanted later is added to the offsets.
"""

from __future__ import annotations

import json
from pathlib import Path

from slackwater.runs.files import write_atomically
from slackwater.runs.offsets import UNBEATEN
from slackwater.units import DAY


def beat_period(log: Path, wanted: int | None, *, ends: bool) -> int | None:
    """How often the heartbeat ticks, ``None`` if there is none; ``ends``: an available-now run.

    ``log`` is Spark's own folder of a checkpoint. A run that ends gets no ticks in any case.
    """
    newest = _newest(log)
    if not newest:
        return wanted
    if _has_beat(newest[-1]):
        return DAY if wanted is None else wanted
    if wanted is None or ends:
        return None
    for path in newest:
        if not _has_beat(path):  # a start that broke off may have come so far
            _add_beat(path)
    return wanted


def _newest(log: Path) -> list[Path]:
    """The offsets that Spark reads when it starts: of the newest batch and the one before."""
    found = [path for path in (log / "offsets").glob("[0-9]*") if path.name.isdigit()]
    return sorted(found, key=lambda path: int(path.name))[-2:]


def _has_beat(offsets: Path) -> bool:
    try:
        last = json.loads(offsets.read_text(encoding="utf-8").splitlines()[-1])
    except (OSError, ValueError, IndexError):
        return False  # Spark tells what is wrong with it
    return isinstance(last, dict) and last.keys() == UNBEATEN.keys()


def _add_beat(offsets: Path) -> None:
    """A heartbeat that gave nothing so far; the checksum beside the file holds no more."""
    text = offsets.read_text(encoding="utf-8").rstrip("\n")
    offsets.with_name(f".{offsets.name}.crc").unlink(missing_ok=True)
    write_atomically(offsets, f"{text}\n{json.dumps(UNBEATEN)}".encode())
