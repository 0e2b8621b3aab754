"""The log of a run whose first query joins and changes its plan, without one.

Batches 0 and 1 have no tree yet, then one is chosen; it changes by itself in batch 10, and by hand
in batch 20, side by side until batch 26.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from slackwater.events.log import EventLog
from tests.events.story import SECOND, WALL, batch, tell

LIMIT = 30_000
FLAT, LEFT, RIGHT = "(a b c)", "((a b) c)", "(a (b c))"


def joining(number: int) -> dict[str, Any]:
    """A batch; the one that changes the tree takes a tenth of a second longer."""
    told = batch(number)
    if number == 10:
        told["ms"]["execute"] += 100.0
    told["queries"]["fixed"] |= {
        "held": 1_000 * number,
        "controllers": {"adapt": adapt(number), "join_plan": join_plan(number)},
    }
    return told


def join_plan(number: int) -> dict[str, Any]:
    if number < 2:
        return {"tree": None}
    tree = FLAT if number < 10 else LEFT if number < 20 else RIGHT
    return {"tree": tree, **({"beside": LEFT, "since": 20} if 20 <= number < 26 else {})}


def adapt(number: int) -> dict[str, Any]:
    if number < 3:
        return {"predicted_s": None}
    is_compared = number == 10
    return {
        "predicted_s": 0.012,
        "measured_s": 0.01 if number > 3 else None,
        "memory": 20_000.0,
        "memory_limit": LIMIT,
        "runner_up": FLAT if is_compared else None,
        "runner_up_s": 0.02 if is_compared else None,
        "reason": "surprise" if is_compared else None,
    }


def tell_batch(log: EventLog, number: int) -> None:
    """A batch and what the loop tells after it."""
    log.write("batch", **joining(number))
    at = WALL + number * SECOND // 2 + 1
    moved = {"batch": number, "query": "fixed", "at": at}
    if number == 10:
        log.write("migration", tree=LEFT, was=FLAT, how="moving", since=10, batches=0, **moved)
    if number in (20, 26):
        length = None if number == 20 else 6
        told = {"tree": RIGHT, "was": LEFT, "how": "parallel", "since": 20, "batches": length}
        log.write("migration", **told, **moved)
    if number == 20:
        log.write("replan", request="replan-1", tree=RIGHT, reason=None, **moved)


def tell_joins(folder: Path, batches: int) -> EventLog:
    """Write the log of a run that still goes on."""
    log = tell(folder, 0)
    for number in range(batches):
        tell_batch(log, number)
    return log


def joined(folder: Path, batches: int) -> Path:
    """Write the log of such a run; the folder."""
    tell_joins(folder, batches).close()
    return folder


def events(batches: int) -> list[dict[str, Any]]:
    """The same as values."""

    class Kept:
        def __init__(self) -> None:
            self.all: list[dict[str, Any]] = []

        def write(self, event: str, **fields: Any) -> None:
            self.all.append({"event": event, **fields})

    kept = Kept()
    for number in range(batches):
        tell_batch(kept, number)  # type: ignore[arg-type]
    return kept.all
