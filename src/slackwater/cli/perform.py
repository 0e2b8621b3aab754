"""One run of a pipeline under a view, from starting Spark to the summary."""

from __future__ import annotations

from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import asdict, dataclass
from functools import cached_property
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
from slackwater.runs.home import Home
from slackwater.runs.objects.located import located
from slackwater.spark.pipeline import Options, pipeline
from slackwater.spark.quiet import quiet_session


@dataclass(frozen=True)
class Run:
    """What to run, where, how long (seconds), and how it is called on the screen.

    ``collect`` fetches answers from the executors in order to show them.
    """

    queries: tuple[Query, ...]
    checkpoint: str | Path
    options: Options
    title: str
    limit: float | None = None
    collect: bool = False

    @cached_property
    def home(self) -> Home:
        return located(self.checkpoint)

    @property
    def folder(self) -> Path:
        """Where its events are, on this machine."""
        return self.home.folder

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
    feed = Feed()
    asked = pipeline(*(watched(q, run.home, feed, collect=run.collect) for q in run.queries))
    with _patience(console, form):
        session = quiet_session(run.log, kafka=asked.reads_kafka)
    shown = Shown(Follower(run.folder, from_now=True), AnswerBook(asked.plan), run.title, run.limit)
    # The handler for Ctrl-C comes after the session, which installs one of its own.
    with closing(shown.run), interruptible() as stop, open_view(form, console, shown) as view:
        watch = Watch(shown.run, feed, shown.answers, view)
        handle = asked.launch(str(run.checkpoint), run.options, session)
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
    checkpoint = Checkpoint(run.folder, run.home)
    return {
        "checkpoint": run.home.address,
        "results": {
            q.name: place_of(q.sink, checkpoint.output("results", q.name)) for q in run.queries
        },
        "side": {q.name: place_of(q.side, checkpoint.output("side", q.name)) for q in run.queries},
        "events": str(checkpoint.events),
        "log": str(run.log),
    }
