"""What is new, as server-sent events: one connection per viewer for all its runs."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

import orjson

from slackwater.dashboard.runs import Runs
from slackwater.history.follow import Follower

Json = dict[str, Any]
GLANCE = 0.4  # seconds
SILENCE = 15.0  # seconds after which a sign of life is sent
_CURSOR = re.compile(r"(?:-?[0-9]{1,18}\.){2}-?[0-9]{1,18}")
_BURST = 500  # points at once; who is behind by more gets them thinned


@dataclass(slots=True)
class Cursor:
    """What a viewer has of a run: numbers of this epoch up to this batch."""

    number: int
    epoch: int
    batch: int
    state: tuple[object, ...] = ()


def cursors(since: list[str], runs: Runs) -> list[Cursor]:
    """Cursors from ``run.epoch.batch``; what does not fit is left out."""
    found = []
    for text in since:
        if _CURSOR.fullmatch(text):
            number, epoch, batch = map(int, text.split("."))
            if 0 <= number < len(runs.all):
                found.append(Cursor(number, epoch, batch))
    return found


async def stream(runs: Runs, viewers: list[Cursor]) -> AsyncIterator[bytes]:
    """Messages for one viewer, until it goes away."""
    silent = 0.0
    yield b"retry: 2000\n\n"
    while True:
        messages = [m for cursor in viewers for m in news(runs.all[cursor.number], cursor)]
        for message in messages:
            yield b"data: " + orjson.dumps(message) + b"\n\n"
        silent = 0.0 if messages else silent + GLANCE
        if silent >= SILENCE:
            silent = 0.0
            yield b": still here\n\n"
        await asyncio.sleep(GLANCE)


def news(run: Follower, cursor: Cursor) -> list[Json]:
    """What a viewer does not have yet; moves its cursor."""
    with run.lock:
        found = [*_numbers(run, cursor), *_state(run, cursor)]
    return [{"run": str(cursor.number), **message} for message in found]


def _numbers(run: Follower, cursor: Cursor) -> Iterator[Json]:
    history = run.history
    newest = -1 if history.newest is None else history.newest
    if run.epoch != cursor.epoch:
        yield {"kind": "reset"}
    elif newest > cursor.batch:
        fresh = history.numbers_after(cursor.batch, _BURST)
        samples = history.converged_after(cursor.batch)
        yield {
            "kind": "numbers",
            "words": history.words.all,
            "numbers": fresh,
            "samples": samples,
            "explained": history.explained,
            "joins": history.joined_after(cursor.batch),
        }
    cursor.epoch, cursor.batch = run.epoch, newest


def _state(run: Follower, cursor: Cursor) -> Iterator[Json]:
    history = run.history
    error = None if run.error is None else str(run.error)
    state = (history.told, history.ended, run.progress, history.damaged, error)
    if state != cursor.state:
        cursor.state = state
        names = ("told", "ended", "progress", "damaged", "error")
        yield {"kind": "state", **dict(zip(names, state, strict=True))}
