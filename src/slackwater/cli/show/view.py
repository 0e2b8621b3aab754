"""Views of a pipeline that runs here: a live picture, plain lines, or JSON lines."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Literal, Protocol

from rich.console import Console
from rich.live import Live
from rich.panel import Panel
from rich.text import Text

from slackwater.cli.answers import AnswerBook
from slackwater.cli.show.format import show_time
from slackwater.cli.show.newest import newest_answers
from slackwater.cli.show.screen import Beside, screen
from slackwater.events.tail import Tail
from slackwater.history.follow import Follower
from slackwater.history.table import Key

DECISIONS = 4  # newest ones in the picture: answers come first here

Form = Literal["screen", "json", "silent"]


@dataclass(frozen=True, slots=True)
class Shown:
    """What is shown: a run by its own events, the answers it gave, its title and time limit."""

    run: Follower
    answers: AnswerBook
    title: str
    limit: float | None = None

    def picture(self, seconds: float) -> Panel:
        """The run after so many seconds."""
        queries = self.answers.queries
        newest = tuple(
            newest_answers(name, list(query.newest), query.hidden)
            for name, query in queries.items()
            if query.newest
        )
        revised = {name: query.kinds["revision"] for name, query in queries.items()}
        beside = Beside(seconds, self.limit, revised, newest)
        title = Text(self.title, style="bold")
        return screen(self.run, time.time(), DECISIONS, title=title, beside=beside)


class View(Protocol):
    """Shows a run while it goes on."""

    def show(self, seconds: float) -> None:
        """Called often, also when nothing is new; ``seconds`` since the first batch."""
        ...


class NoView:
    """Shows nothing."""

    def show(self, seconds: float) -> None:
        """Nothing to do."""


class JsonView:
    """One JSON line per batch, as the log has it."""

    def __init__(self, console: Console, tail: Tail) -> None:
        self._console = console
        self._tail = tail
        self._is_begun = False

    def show(self, seconds: float) -> None:  # noqa: ARG002 - the view's signature
        while events := self._tail.poll():
            for event in events:
                self._is_begun |= event["event"] == "start"
                if self._is_begun and event["event"] == "batch":
                    self._console.out(json.dumps(event), highlight=False)


class PlainView:
    """A line every other second, for logs and pipes."""

    def __init__(self, console: Console, run: Follower, every: float = 2.0) -> None:
        self._console = console
        self._run = run
        self._every = every
        self._next = 0.0
        self._shown: int | None = None

    def show(self, seconds: float) -> None:
        history = self._run.history
        if history.newest == self._shown or time.monotonic() < self._next:
            return
        self._shown, self._next = history.newest, time.monotonic() + self._every
        table = history.table
        late, answers = (
            sum(table.total(Key("query", name, what)) for name in history.queries)
            for what in ("late", "emitted")
        )
        clocks = [table.last(Key("stream", name, "clock")) for name in history.streams]
        clock = max((int(clock) for clock in clocks if clock is not None), default=None)
        self._console.print(
            f"{seconds:6.1f} s  batch {history.newest}  "
            f"rows {table.total(Key('run', '', 'rows')):,.0f}  clock {show_time(clock)}  "
            f"late {late:,.0f}  answers {answers:,.0f}  "
            f"{table.last(Key('run', '', 'slowest_ms')) or 0:,.0f} ms",
            highlight=False,
            soft_wrap=True,
        )


class LiveView:
    """A picture that is drawn again a few times a second."""

    def __init__(self, live: Live, shown: Shown) -> None:
        self._live = live
        self._shown = shown

    def show(self, seconds: float) -> None:
        self._live.update(self._shown.picture(seconds), refresh=True)


@contextmanager
def open_view(form: Form, console: Console, shown: Shown) -> Iterator[View]:
    """The view asked for; the screen is a live picture only if it is a terminal."""
    if form == "silent":
        yield NoView()
    elif form == "json":
        with closing(Tail(shown.run.path, from_now=True)) as tail:
            yield JsonView(console, tail)
    elif not console.is_terminal:
        yield PlainView(console, shown.run)
    else:
        with Live(console=console, auto_refresh=False, vertical_overflow="crop") as live:
            yield LiveView(live, shown)
