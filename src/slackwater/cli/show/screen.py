"""One picture of a run for the terminal, from its events; who runs it adds its newest answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from rich import box
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table as Grid
from rich.text import Text

from slackwater.cli.show.format import NOTHING, show_time
from slackwater.cli.show.grid import count, grid, name_of, whole
from slackwater.cli.show.queries import query_tables
from slackwater.history.entry import Entry
from slackwater.history.follow import Follower
from slackwater.history.history import History
from slackwater.history.open_window import oldest_open
from slackwater.history.table import AT, Key
from slackwater.units import SECOND

_RECENT = 20  # batches over which rates are taken
_QUIET = 20.0  # seconds without a batch
_BAR = 24
_VERBS = {
    "observe": "cyan", "decide": "magenta", "execute": "green", "deliver": "blue",
    "commit": "yellow",
    "apply": "green", "record": "yellow",  # in logs of earlier versions
}  # fmt: skip
_COLOURS = {
    "error": "red", "damaged": "red", "notice": "yellow", "slack": "cyan", "prod": "cyan",
    "replan": "cyan", "migration": "cyan",
    "tier": "blue", "change": "blue", "query_added": "blue", "query_removed": "blue",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Beside:
    """What whoever runs a pipeline knows besides its events.

    ``seconds`` since the first batch, ``limit`` after which it is stopped, how many answers were
    ``revised`` by query, and the newest ``answers``.
    """

    seconds: float
    limit: float | None = None
    revised: Mapping[str, int] = field(default_factory=dict)
    answers: tuple[RenderableType, ...] = ()


def screen(
    run: Follower, now: float, decisions: int, *, title: Text, beside: Beside | None = None
) -> Panel:
    """All that is known now; ``now`` in seconds."""
    history = run.history
    parts: list[RenderableType] = [Group(_head(run, now), *_clock(beside))]
    if history.newest is None:
        parts.append(Text("no batch yet: waiting for the first one", style="dim"))
    else:
        parts += [_streams(history), *query_tables(history, beside.revised if beside else None)]
        parts += [_verbs(history), *(beside.answers if beside else ()), _open(history)]
    if decisions and (entries := history.happened(decisions)):
        parts.append(_log(entries))
    spaced = [part for each in parts for part in (each, "")][:-1]
    return Panel(Group(*spaced), title=title, border_style="blue", box=box.ROUNDED)


def _head(run: Follower, now: float) -> Text:
    history = run.history
    at = history.table.last(AT)
    tier = history.words.word(history.table.last(Key("run", "", "tier"))) or NOTHING
    words = Text.assemble(
        _status(history, now), ("   batch ", "dim"), (f"{whole(history.newest)}", "bold"),
        ("   tier ", "dim"), (tier, "bold"),
        ("   newest ", "dim"), show_time(None if at is None else int(at)),
    )  # fmt: skip
    if run.progress is not None:
        words.append(f"   reading older events: {run.progress:.0%}", style="yellow")
    if history.damaged:
        words.append(f"   {history.damaged} damaged lines left out", style="red")
    return words


def _clock(beside: Beside | None) -> Iterator[RenderableType]:
    """How long it has been running, and of how much."""
    if beside is None:
        return
    words = Text.assemble(("for ", "dim"), (f"{beside.seconds:,.0f} s", "bold"))
    line = Grid.grid(padding=(0, 2))
    if beside.limit is None:
        line.add_row(words)
    else:
        done = min(beside.seconds, beside.limit)
        bar = ProgressBar(total=beside.limit, completed=done, width=_BAR)
        line.add_row(words, bar, Text(f"of {beside.limit:,.0f} s", style="dim"))
    yield line


def _status(history: History, now: float) -> tuple[str, str]:
    at = history.table.last(AT)
    if history.ended is not None:
        return history.ended, "bold red" if history.ended == "failed" else "bold"
    if at is None:
        return "waiting", "yellow"
    age = now - at / SECOND
    return ("live", "bold green") if age < _QUIET else (f"quiet for {age:,.0f} s", "yellow")


def _streams(history: History) -> Grid:
    made = grid("stream", "rows", "rows/s", "event-time clock", "no time", "too far ahead")
    table = history.table
    for name in history.streams:
        clock = table.last(Key("stream", name, "clock"))
        made.add_row(
            name_of(name),
            count(table.total(Key("stream", name, "rows"))),
            whole(_rate(history, Key("stream", name, "rows"))),
            show_time(None if clock is None else int(clock)),
            count(table.total(Key("stream", name, "null_time"))),
            count(table.total(Key("stream", name, "far_future"))),
        )
    return made


def _verbs(history: History) -> Group:
    """Where the time of the newest batch went, and what state is kept."""
    spent = {
        key.owner: history.table.last(key) or 0.0
        for key in history.table.keys
        if key.group == "verb"
    }
    total = sum(spent.values())
    bar, words = Text(), Text()
    for verb in [*(v for v in _VERBS if v in spent), *(v for v in spent if v not in _VERBS)]:
        share = spent[verb] / total if total else 0.0
        colour = _VERBS.get(verb, "white")
        bar.append("━" * round(share * _BAR), style=colour)
        words.append(f"{verb} ", style=colour)
        words.append(f"{spent[verb]:,.0f} ms  ")
    rows, runs = (history.table.last(Key("state", "", field)) for field in ("rows", "runs"))
    held = Text.assemble(
        ("batch ", "dim"), f"{total:,.0f} ms   ",
        ("state ", "dim"), f"{whole(rows)} rows in {whole(runs)} runs   ", bar,
    )  # fmt: skip
    return Group(words, held)


def _open(history: History) -> Group:
    """Why is this window still open?"""
    lines = [Text("why is the oldest window still open?", style="dim")]
    for name in history.queries:
        found = oldest_open(history, name)
        if found is None:
            lines.append(Text.assemble((f"{name}  ", "bold"), ("no window is open", "dim")))
            continue
        text = f"{found.text}, {found.reason}"
        lines.append(Text.assemble((f"{name}  ", "bold"), text))
    return Group(*lines)


def _log(entries: list[Entry]) -> Grid:
    made = Grid.grid(padding=(0, 2))
    for entry in reversed(entries):
        what = Text.assemble((entry.title, "bold"), f"  {entry.text}")
        if entry.query:
            what = Text.assemble((f"{entry.query}  ", "dim"), what)
        when = show_time(int(entry.at))[11:]
        kind = Text(entry.kind, style=_COLOURS.get(entry.kind, "bold"))
        made.add_row(Text(when, style="dim"), kind, what)
    return made


def _rate(history: History, key: Key) -> float | None:
    """Per second of wall time, over the newest batches."""
    at = history.table.column(AT)[-_RECENT:]
    if len(at) < 2 or at[-1] <= at[0]:
        return None
    return float(np.nansum(history.table.column(key)[-len(at) + 1 :]) / (at[-1] - at[0]) * SECOND)
