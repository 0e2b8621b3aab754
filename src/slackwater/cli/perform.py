"""One run of a pipeline under a view, from starting Spark to the summary."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from rich.console import Console

from slackwater.cli.drive import Watch, drive, interruptible
from slackwater.cli.feed import Feed, place_of, watched
from slackwater.cli.tally import Tally
from slackwater.cli.view import Form, open_view
from slackwater.query.stream import Query
from slackwater.runs.checkpoint import Checkpoint
from slackwater.spark.pipeline import Options, pipeline
from slackwater.spark.quiet import quiet_session


@dataclass(frozen=True, slots=True)
class Run:
    """What to run, where, how long (seconds), and how it is called on the screen.

    ``collect`` fetches answers from the executors in order to show them.
    """

    queries: tuple[Query, ...]
    folder: Path
    options: Options
    title: str
    limit: float | None = None
    collect: bool = False

    @property
    def log(self) -> Path:
        return self.folder / "spark.log"


def perform(run: Run, console: Console, form: Form) -> tuple[dict[str, Any], Tally]:
    """Run it, show it, and give the summary as a JSON value."""
    with _patience(console, form):
        session = quiet_session(run.log)
    feed = Feed()
    asked = pipeline(*(watched(q, run.folder, feed, collect=run.collect) for q in run.queries))
    tally = Tally(asked.plan)
    how = {field.name: getattr(run.options, field.name) for field in fields(run.options)}
    how["on_batch"] = feed.put
    # The handler for Ctrl-C comes after the session, which installs one of its own.
    with interruptible() as stop, open_view(form, console, run.title, run.limit) as view:
        watch = Watch(feed, tally, view)
        handle = asked.start(str(run.folder), **how, spark=session)
        drive(handle, watch, stop, limit=run.limit, log=run.log)
    return {**tally.summary(watch.seconds), **places_of(run)}, tally


def _patience(console: Console, form: Form) -> AbstractContextManager[object]:
    waiting = form == "screen" and console.is_terminal
    return console.status("starting Spark ...") if waiting else nullcontext()


def places_of(run: Run) -> dict[str, Any]:
    """Where everything lies afterwards."""
    checkpoint = Checkpoint(run.folder)
    return {
        "checkpoint": str(run.folder),
        "results": {q.name: place_of(q.sink, checkpoint.results(q.name)) for q in run.queries},
        "side": {q.name: place_of(q.side, checkpoint.side(q.name)) for q in run.queries},
        "events": str(checkpoint.events),
        "log": str(run.log),
    }
