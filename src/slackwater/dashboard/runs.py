"""The runs that are shown, and the one thread that reads their logs for all viewers."""

from __future__ import annotations

import gc
from pathlib import Path
from threading import Event, Thread
from typing import Any

from slackwater.errors import SlackwaterError
from slackwater.history.follow import Follower

Json = dict[str, Any]
GLANCE = 0.3  # seconds between two looks at the logs
POINTS = 1_000  # of a chart


class Runs:
    """Followers by number, and their thread."""

    def __init__(self, checkpoints: list[Path]) -> None:
        self.all = [Follower(checkpoint) for checkpoint in checkpoints]
        self._stop = Event()
        self._thread = Thread(target=self._follow, name="events", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(timeout=5)
        for run in self.all:
            run.close()

    def _follow(self) -> None:
        """Read on; without the collector, which finds nothing in a log but looks for it."""
        gc.disable()
        while not self._stop.is_set():
            read = [run.look() for run in self.all]
            if not any(read):
                gc.enable()
                self._stop.wait(GLANCE)

    def find(self, number: str) -> Follower:
        """The run of this number."""
        if number in map(str, range(len(self.all))):
            return self.all[int(number)]
        known = f"0 to {len(self.all) - 1}"
        raise SlackwaterError("RUN_UNKNOWN", f"there is no run {number!r}", f"runs here: {known}")


def describe(run: Follower, number: int) -> Json:
    """What a run is and how it stands."""
    with run.lock:
        history = run.history
        return {
            "id": str(number),
            "name": run.name,
            "epoch": run.epoch,
            "newest": history.newest,
            "ended": history.ended,
            "damaged": history.damaged,
            "progress": run.progress,
            "error": None if run.error is None else str(run.error),
            "plan": history.plan.to_json(),
        }


def numbers(
    run: Follower, points: int = POINTS, low: float | None = None, high: float | None = None
) -> Json:
    """The columns of a run over a span of wall time (microseconds)."""
    with run.lock:
        history = run.history
        return {
            "epoch": run.epoch,
            "newest": history.newest,
            "words": history.words.all,
            "numbers": history.numbers(points, low, high),
            "samples": history.converged(low, high),
            "explained": history.explained,
            "joins": history.joined_after(),
        }


def log(run: Follower, newest: int, until: float | None = None, since: float | None = None) -> Json:
    """What happened and was decided, oldest first."""
    with run.lock:
        first = float("-inf") if since is None else since
        entries = run.history.happened(newest, until, first)
        return {"entries": [entry.to_json() for entry in entries]}
