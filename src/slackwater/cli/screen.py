"""One picture of a run for the terminal."""

from __future__ import annotations

import numpy as np
from rich import box
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text

from slackwater.cli.format import NOTHING, show_number, show_share, show_time
from slackwater.history.entry import Entry, shown
from slackwater.history.follow import Follower
from slackwater.history.history import History
from slackwater.history.open_window import oldest_open
from slackwater.history.plan import QueryShape
from slackwater.history.table import AT, Array, Key
from slackwater.units import SECOND

_RECENT = 20  # batches over which rates are taken
_QUIET = 20.0  # seconds without a batch
_BARS = "▁▂▃▄▅▆▇█"
_COLOURS = {
    "error": "red", "damaged": "red", "notice": "yellow", "slack": "cyan", "prod": "cyan",
    "tier": "blue",
}  # fmt: skip


def screen(run: Follower, now: float, decisions: int) -> Panel:
    """All that is known now; ``now`` in seconds."""
    history = run.history
    parts: list[RenderableType] = [_head(run, now)]
    names = _queries(history)
    if not names:
        parts += ["", Text("no batch yet: waiting for the first one", style="dim")]
    else:
        parts += ["", _streams(history), "", _table(history, names)]
        if (estimates := _estimates(history, names)) is not None:
            parts += ["", estimates]
        parts += ["", _open(history, names)]
    if decisions and (entries := history.happened(decisions)):
        parts += ["", _log(entries)]
    title = Text.assemble(("slackwater watch", "bold"), f"  {run.name}")
    return Panel(Group(*parts), title=title, border_style="blue", box=box.ROUNDED)


def _queries(history: History) -> list[str]:
    told = {key.owner for key in history.table.keys if key.group == "query"}
    return [
        *(n for n in history.plan.queries if n in told),
        *sorted(told - {*history.plan.queries}),
    ]


def _head(run: Follower, now: float) -> Text:
    history = run.history
    at = history.table.last(AT)
    tier = history.words.word(history.table.last(Key("run", "", "tier"))) or NOTHING
    spent = history.table.last(Key("run", "", "slowest_ms"))
    words = Text.assemble(
        _status(history, now), ("   batch ", "dim"), (f"{_whole(history.newest)}", "bold"),
        ("   tier ", "dim"), (tier, "bold"), ("   batch time ", "dim"),
        (show_number(spent, "ms"), "bold"), ("   state ", "dim"),
        (f"{_whole(history.table.last(Key('state', '', 'rows')))} rows", "bold"),
        ("   newest ", "dim"), show_time(None if at is None else int(at)),
    )  # fmt: skip
    if run.progress is not None:
        words.append(f"   reading older events: {run.progress:.0%}", style="yellow")
    if history.damaged:
        words.append(f"   {history.damaged} damaged lines left out", style="red")
    return words


def _status(history: History, now: float) -> tuple[str, str]:
    at = history.table.last(AT)
    if history.ended is not None:
        return history.ended, "bold red" if history.ended == "failed" else "bold"
    if at is None:
        return "waiting", "yellow"
    age = now - at / SECOND
    return ("live", "bold green") if age < _QUIET else (f"quiet for {age:,.0f} s", "yellow")


def _grid(*columns: str) -> Grid:
    grid = Grid(box=box.SIMPLE_HEAD, padding=0, show_edge=False, header_style="dim", expand=True)
    for number, column in enumerate(columns):
        grid.add_column(column, justify="left" if number == 0 else "right", no_wrap=True)
    return grid


def _streams(history: History) -> Grid:
    grid = _grid("stream", "rows", "rows/s", "event-time clock", "no time", "too far ahead")
    table = history.table
    for name in sorted({key.owner for key in table.keys if key.group == "stream"}):
        clock = table.last(Key("stream", name, "clock"))
        grid.add_row(
            Text(name, style="bold"),
            f"{table.total(Key('stream', name, 'rows')):,.0f}",
            _whole(_rate(history, Key("stream", name, "rows"))),
            show_time(None if clock is None else int(clock)),
            f"{table.total(Key('stream', name, 'null_time')):,.0f}",
            f"{table.total(Key('stream', name, 'far_future')):,.0f}",
        )
    return grid


def _table(history: History, names: list[str]) -> Grid:
    grid = _grid(
        "query", "slack", "", "lag", "latency", "promised", "achieved", "late", "dropped", "answers"
    )
    for name in names:
        shape = history.plan.queries.get(name) or QueryShape(name)
        late = history.table.total(Key("query", name, "late"))
        dropped = history.table.total(Key("query", name, "dropped"))
        grid.add_row(
            Text(name, style="bold"),
            _time(history.table.last(Key("query", name, "slack"))),
            Text(_spark(history.table.column(Key("query", name, "slack"))), style="cyan"),
            _time(history.table.last(Key("query", name, "lag"))),
            _time(_newest(history.table.column(Key("query", name, "latency")))),
            show_share(_due(shape)),
            _achieved(history, shape),
            Text(f"{late:,.0f}", style="yellow" if late else ""),
            Text(f"{dropped:,.0f}", style="red" if dropped else ""),
            f"{history.table.total(Key('query', name, 'emitted')):,.0f}",
        )
    return grid


def _due(shape: QueryShape) -> float | None:
    """The share promised: of results within their bound, of periods with their recall."""
    if shape.promise is None:
        return None
    return shape.promise.target if shape.promise.due is None else shape.promise.due


def _achieved(history: History, shape: QueryShape) -> Text:
    measured = history.table.total(Key("query", shape.name, "measured"))
    share = history.table.last(Key("query", shape.name, "recall"))
    if measured and (share is None or (shape.promise and shape.promise.due is not None)):
        share = history.table.total(Key("query", shape.name, "within")) / measured
    due = _due(shape)
    kept = due is None or share is None or share >= due
    return Text(show_share(share), style="" if share is None else "green" if kept else "bold red")


def _estimates(history: History, names: list[str]) -> Grid | None:
    """Of queries that give estimates: how many, how accurate, how early."""
    told = {key.owner for key in history.table.keys if key.group == "estimates"}
    given = [name for name in names if name in told]
    if not given:
        return None
    grid = _grid("estimates", "given", "prods", "mistimed", "refused", "accuracy", "aggressiveness")
    grid.columns[5].no_wrap = False  # of many columns
    for name in given:
        numbers = [
            f"{history.table.total(Key('estimates', name, field)):,.0f}"
            for field in ("rows", "prods", "late", "refused")
        ]
        grid.add_row(
            Text(name, style="bold"), *numbers, _accuracy(history, name), _early(history, name)
        )
    return grid


def _accuracy(history: History, name: str) -> Text:
    """By column: of the newest estimates, and the worst so far."""
    parts = Text()
    for column, recent in _named(history, "accuracy_recent", name).items():
        worst = history.table.last(Key("accuracy_worst", name, column))
        parts.append(f"{'   ' if parts else ''}{column} ", style="dim")
        parts.append(f"{show_share(recent)} (worst {show_share(worst)})")
    return parts or Text(NOTHING)


def _early(history: History, name: str) -> Text:
    found = _named(history, "aggressiveness", name)
    parts = [(f"{source} ", f"{value:.2f}") for source, value in found.items()]
    words = [word for source, value in parts for word in ((source, "dim"), f"{value}  ")]
    return Text.assemble(*words) if words else Text(NOTHING)


def _named(history: History, group: str, owner: str) -> dict[str, float]:
    """The newest values of a group whose fields are names themselves."""
    keys = [key for key in history.table.keys if (key.group, key.owner) == (group, owner)]
    found = {key.field: history.table.last(key) for key in keys}
    return {field: value for field, value in found.items() if value is not None}


def _open(history: History, names: list[str]) -> Group:
    """Why is this window still open?"""
    lines = [Text("why is the oldest window still open?", style="dim")]
    for name in names:
        found = oldest_open(history, name)
        if found is None:
            lines.append(Text.assemble((f"{name}  ", "bold"), ("no window is open", "dim")))
            continue
        text = f"{found.text}, {found.reason}"
        lines.append(Text.assemble((f"{name}  ", "bold"), text))
    return Group(*lines)


def _log(entries: list[Entry]) -> Grid:
    grid = Grid.grid(padding=(0, 2))
    for entry in reversed(entries):
        what = Text.assemble((entry.title, "bold"), f"  {entry.text}")
        if entry.query:
            what = Text.assemble((f"{entry.query}  ", "dim"), what)
        when = show_time(int(entry.at))[11:]
        kind = Text(entry.kind, style=_COLOURS.get(entry.kind, "bold"))
        grid.add_row(Text(when, style="dim"), kind, what)
    return grid


def _rate(history: History, key: Key) -> float | None:
    """Per second of wall time, over the newest batches."""
    at = history.table.column(AT)[-_RECENT:]
    if len(at) < 2 or at[-1] <= at[0]:
        return None
    return float(np.nansum(history.table.column(key)[-len(at) + 1 :]) / (at[-1] - at[0]) * SECOND)


def _spark(values: Array, width: int = 16) -> str:
    """The newest values as small bars; nothing if they do not move."""
    known = values[~np.isnan(values)][-width:]
    if len(known) == 0 or known.max() == known.min():
        return ""
    return "".join(_BARS[int(value / known.max() * (len(_BARS) - 1))] for value in known)


def _newest(values: Array) -> float | None:
    known = values[~np.isnan(values)]
    return float(known[-1]) if len(known) else None


def _time(micros: float | None) -> str:
    return NOTHING if micros is None else shown(micros)


def _whole(value: float | None) -> str:
    return NOTHING if value is None else f"{value:,.0f}"
