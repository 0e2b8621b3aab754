"""Views of a running pipeline: a live picture, plain lines, or JSON lines."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal, Protocol

from rich import box
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from slackwater.cli.format import (
    NOTHING,
    say_estimates,
    show_seconds,
    show_time,
    show_value,
)
from slackwater.cli.tally import QueryTally, Tally
from slackwater.units import show_duration

_HIDDEN = (
    *("window_start", "window_end", "event_time", "kind", "revision"),
    *("coverage", "boundary", "emitted_at"),
)
_VERBS = {"observe": "cyan", "decide": "magenta", "apply": "green", "record": "yellow"}
_BAR = 24


Form = Literal["screen", "json", "silent"]


class View(Protocol):
    """Shows a tally while it grows."""

    def show(self, tally: Tally, seconds: float) -> None:
        """Called often, also when nothing is new; ``seconds`` since the first batch."""
        ...


class NoView:
    """Shows nothing."""

    def show(self, tally: Tally, seconds: float) -> None:
        """Nothing to do."""


class JsonView:
    """One JSON line per batch report."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._shown = 0

    def show(self, tally: Tally, seconds: float) -> None:  # noqa: ARG002 - the view's signature
        if tally.batches > self._shown:
            self._shown = tally.batches
            line = json.dumps({"event": "batch", **(tally.last or {})})
            self._console.out(line, highlight=False)


class PlainView:
    """A line every other second, for logs and pipes."""

    def __init__(self, console: Console, every: float = 2.0) -> None:
        self._console = console
        self._every = every
        self._next = 0.0
        self._shown = 0

    def show(self, tally: Tally, seconds: float) -> None:
        if tally.batches == self._shown or time.monotonic() < self._next:
            return
        self._shown, self._next = tally.batches, time.monotonic() + self._every
        late = sum(query.late for query in tally.queries.values())
        answers = sum(query.emitted for query in tally.queries.values())
        clock = max((s.clock for s in tally.streams.values() if s.clock is not None), default=None)
        self._console.print(
            f"{seconds:6.1f} s  batch {_newest(tally)}  rows {tally.rows:,}  "
            f"clock {show_time(clock)}  late {late:,}  answers {answers:,}  "
            f"{tally.totals[-1]:,.0f} ms",
            highlight=False,
            soft_wrap=True,
        )


class LiveView:
    """A picture that is drawn again a few times a second."""

    def __init__(self, live: Live, title: str, limit: float | None) -> None:
        self._live = live
        self._title = title
        self._limit = limit

    def show(self, tally: Tally, seconds: float) -> None:
        self._live.update(frame(tally, self._title, seconds, self._limit), refresh=True)


@contextmanager
def open_view(form: Form, console: Console, title: str, limit: float | None) -> Iterator[View]:
    """The view asked for; the screen is a live picture only if it is a terminal."""
    if form == "silent":
        yield NoView()
    elif form == "json":
        yield JsonView(console)
    elif not console.is_terminal:
        yield PlainView(console)
    else:
        with Live(console=console, auto_refresh=False, vertical_overflow="crop") as live:
            yield LiveView(live, title, limit)


def frame(tally: Tally, title: str, seconds: float, limit: float | None = None) -> Panel:
    """One picture of a pipeline."""
    parts: list[RenderableType] = [_head(tally, seconds, limit), "", _streams(tally, seconds), ""]
    parts += [_queries(tally), *_estimates(tally), "", _verbs(tally)]
    for name, query in tally.queries.items():
        if query.newest:
            parts += ["", _newest_answers(name, query)]
    return Panel(Group(*parts), title=f"[bold]{title}[/]", border_style="blue", box=box.ROUNDED)


def _newest(tally: Tally) -> int | str:
    return tally.last["batch"] if tally.last else NOTHING


def _head(tally: Tally, seconds: float, limit: float | None) -> RenderableType:
    tier = tally.last["tier"] if tally.last else NOTHING
    grid = Table.grid(padding=(0, 2))
    words = Text.assemble(
        ("batch ", "dim"), (str(_newest(tally)), "bold"), ("   tier ", "dim"), (tier, "bold"),
        ("   for ", "dim"), (f"{seconds:,.0f} s", "bold"),
    )  # fmt: skip
    if limit is None:
        grid.add_row(words)
        return grid
    bar = ProgressBar(total=limit, completed=min(seconds, limit), width=_BAR)
    grid.add_row(words, bar, Text(f"of {limit:,.0f} s", style="dim"))
    return grid


def _table(*columns: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=0, show_edge=False, header_style="dim", expand=True)
    for number, column in enumerate(columns):
        table.add_column(column, justify="left" if number == 0 else "right", no_wrap=True)
    return table


def _streams(tally: Tally, seconds: float) -> Table:
    table = _table("stream", "rows", "rows/s", "event-time clock", "no time", "too far ahead")
    for name, stream in tally.streams.items():
        rate = stream.rows / seconds if seconds >= 1 else 0
        table.add_row(
            Text(name, style="bold"),
            f"{stream.rows:,}",
            f"{rate:,.0f}",
            show_time(stream.clock),
            f"{stream.null_time:,}",
            f"{stream.far_future:,}",
        )
    return table


def _queries(tally: Tally) -> Table:
    table = _table(
        "query", "slack", "watermark", "lag", "late", "dropped", "aside", "answers", "revised"
    )
    for name, query in tally.queries.items():
        table.add_row(
            Text(name, style="bold"),
            f"{show_duration(query.slack)} {query.plan.late}",
            "end" if query.is_ended else show_time(query.watermark)[11:] or NOTHING,
            _lag(tally, query),
            Text(f"{query.late:,}", style="yellow" if query.late else ""),
            Text(f"{query.dropped:,}", style="red" if query.dropped else ""),
            f"{query.aside:,}",
            Text(f"{query.emitted:,}", style="green" if query.emitted else ""),
            f"{query.kinds['revision']:,}",
        )
    return table


def _estimates(tally: Tally) -> list[Text]:
    """A line for each query that gives estimates."""
    return [
        Text.assemble(
            ("estimates of ", "dim"), (f"{name}  ", "bold"), say_estimates(told.summary())
        )
        for name, query in tally.queries.items()
        if (told := query.estimates) is not None
    ]


def _lag(tally: Tally, query: QueryTally) -> str:
    """How far the watermark is behind the clock."""
    clock = tally.clock_of(query)
    if clock is None or query.watermark is None or query.is_ended:
        return NOTHING
    return show_seconds(clock - query.watermark)


def _verbs(tally: Tally) -> Group:
    """Where the time of the newest batch went."""
    spent: dict[str, float] = tally.last["ms"] if tally.last else {}
    state: dict[str, Any] = tally.last["state"] if tally.last else {"runs": 0, "rows": 0}
    total = sum(spent.values())
    bar, words = Text(), Text()
    for verb, colour in _VERBS.items():
        share = spent.get(verb, 0.0) / total if total else 0.0
        bar.append("━" * round(share * _BAR), style=colour)
        words.append(f"{verb} ", style=colour)
        words.append(f"{spent.get(verb, 0.0):,.0f} ms  ")
    held = Text.assemble(
        ("batch ", "dim"), f"{total:,.0f} ms   ",
        ("state ", "dim"), f"{state['rows']:,} rows in {state['runs']} runs   ", bar,
    )  # fmt: skip
    return Group(words, held)


def _when(row: dict[str, Any]) -> str:
    """The window of an answer, or the event time of a join's result."""
    if "event_time" in row:
        return show_value(row["event_time"])
    return f"{show_value(row['window_start'])} – {show_value(row['window_end'])}"


def _newest_answers(name: str, query: QueryTally) -> Table:
    rows = list(query.newest)
    extra = query.plan.estimable.names if query.plan.estimates and query.plan.estimable else ()
    columns = [column for column in rows[-1] if column not in (*_HIDDEN, *extra)]
    table = _table(f"newest of {name}", "kind", *columns)
    for row in rows:
        kind = row["kind"] if not row["revision"] else f"{row['kind']} {row['revision']}"
        table.add_row(
            _when(row),
            Text(kind, style="green" if row["kind"] == "final" else "yellow"),
            *(show_value(row[column]) for column in columns),
        )
    return table
