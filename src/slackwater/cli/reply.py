"""What a running pipeline says to a request that was left for it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from slackwater.events.log import read

PAUSE = 0.2

Wait = Annotated[
    float, typer.Option("--wait", help="Seconds to wait for the answer; 0 for not at all.")
]


def reply(log: Path, kind: str, field: str, name: str, wait: float) -> dict[str, Any] | None:
    """The event of a kind that has this name in a field; ``None`` if none comes in time."""
    until = time.monotonic() + wait
    while wait > 0:
        for event in read(log):
            if event["event"] == kind and event.get(field) == name:
                return event
        if time.monotonic() > until:
            break
        time.sleep(PAUSE)
    return None
