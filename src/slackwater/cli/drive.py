"""Watch a pipeline run until it ends, its time is up, or somebody presses Ctrl-C."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from slackwater.cli.answers import AnswerBook
from slackwater.cli.feed import Feed
from slackwater.cli.show.view import View
from slackwater.history.follow import Follower
from slackwater.spark.failure import spark_failure
from slackwater.spark.handle import Handle

_GLANCE = 0.2  # seconds between two looks


@contextmanager
def interruptible() -> Iterator[threading.Event]:
    """Ctrl-C, or the end that a supervisor asks for, sets the event; a second one breaks off.

    Spark's own handler would cancel the batch at hand, which then has to be done again.
    """
    stop = threading.Event()

    def on_signal(*_: object) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = {one: signal.signal(one, on_signal) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


class Watch:
    """Follows a run's own log and its answers, and shows them; time counts from the first batch."""

    def __init__(self, run: Follower, feed: Feed, answers: AnswerBook, view: View) -> None:
        self._run = run
        self._feed = feed
        self._answers = answers
        self._view = view
        self._began: float | None = None
        self._ended: float | None = None

    @property
    def seconds(self) -> float:
        """Seconds since the first batch was done; before that, 0."""
        if self._began is None:
            return 0.0
        return (self._ended or time.monotonic()) - self._began

    def look(self) -> None:
        """Show what is new."""
        while self._run.look():
            pass
        if self._began is None and self._run.history.newest is not None:
            self._began = time.monotonic()
        self._answers.add(self._feed.drain(), self._run.history)
        self._view.show(self.seconds)

    def end(self) -> None:
        """The last look."""
        self.look()
        self._ended = time.monotonic()


def drive(
    handle: Handle, watch: Watch, stop: threading.Event, *, limit: float | None, log: Path
) -> None:
    """Stay until the pipeline ends or is to be stopped; raise what stopped it."""
    try:
        while not handle.await_termination(_GLANCE):
            watch.look()
            if stop.is_set() or (limit is not None and watch.seconds >= limit):
                handle.stop()
                break
    except Exception as error:
        failure = spark_failure(error, log)
        if failure is None:
            raise
        raise failure from error
    finally:
        watch.end()
