"""One run of a pipeline under a view, from starting Spark to the summary."""

from __future__ import annotations

from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.panel import Panel

from slackwater.cli.answers import AnswerBook
from slackwater.cli.drive import Watch, drive, interruptible
from slackwater.cli.feed import Feed, place_of, watched
from slackwater.cli.show.view import Form, Shown, open_view
from slackwater.history.follow import Follower
from slackwater.history.summary import summarize
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


@dataclass(frozen=True, slots=True)
class Performed:
    """What became of a run: its summary as a JSON value, and the last picture of it."""

    summary: dict[str, Any]
    picture: Panel


def perform(run: Run, console: Console, form: Form) -> Performed:
    """Run it and show it as its own events tell it."""
    with _patience(console, form):
        session = quiet_session(run.log)
    feed = Feed()
    asked = pipeline(*(watched(q, run.folder, feed, collect=run.collect) for q in run.queries))
    shown = Shown(Follower(run.folder, from_now=True), AnswerBook(asked.plan), run.title, run.limit)
    # The handler for Ctrl-C comes after the session, which installs one of its own.
    with closing(shown.run), interruptible() as stop, open_view(form, console, shown) as view:
        watch = Watch(shown.run, feed, shown.answers, view)
        handle = asked.launch(str(run.folder), run.options, session)
        drive(handle, watch, stop, limit=run.limit, log=run.log)
    if shown.run.error is not None:
        raise shown.run.error
    history = shown.run.history
    summary = summarize(history, watch.seconds, shown.answers.answered(history))
    return Performed({**asdict(summary), **places_of(run)}, shown.picture(watch.seconds))


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
