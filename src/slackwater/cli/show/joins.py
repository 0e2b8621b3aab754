"""Joins of a run: a line of a table for each, and all that is known of their plans as lines."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table as Grid
from rich.text import Text

from slackwater.cli.show.format import NOTHING
from slackwater.cli.show.grid import grid, name_of
from slackwater.history.controllers import Value
from slackwater.history.history import History
from slackwater.history.join_standing import (
    WRITTEN,
    JoinStanding,
    join_lines,
    megabytes,
    standing_of,
)
from slackwater.history.migration import brief
from slackwater.history.plan import QueryShape
from slackwater.history.ranks import rank_lines, ranks_of
from slackwater.history.table import Key

_NEAR = 0.9  # of a limit


def join_table(history: History) -> Grid:
    """Of queries that join: the plan in force, its cost, its memory, and how it is changing."""
    made = grid("join", "plan", "predicted", "measured", "off by", "memory", "limit", "change")
    made.columns[1].justify = made.columns[7].justify = "left"
    made.columns[1].no_wrap = made.columns[7].no_wrap = False
    for column in made.columns[1:]:
        column.header = Text(f"  {column.header}")
    for name in history.joins:
        standing = standing_of(history, name)
        if standing is not None:
            made.add_row(name_of(name), *_cells(standing, history.newest or 0))
    return made


def _cells(standing: JoinStanding, newest: int) -> tuple[Text, ...]:
    error = NOTHING if standing.error is None else f"{100 * standing.error:+.0f} %"
    cells = (
        Text(standing.tree or WRITTEN),
        _time(standing.predicted_s),
        _time(standing.measured_s),
        Text(error),
        _memory(standing),
        Text(NOTHING if standing.limit is None else megabytes(standing.limit)),
        _change(standing, newest),
    )
    return tuple(Text("  ").append_text(cell) for cell in cells)


def _time(seconds: float | None) -> Text:
    return Text(NOTHING if seconds is None else brief(seconds))


def _memory(standing: JoinStanding) -> Text:
    """Bytes held; yellow near the limit, red above it."""
    if standing.held is None:
        return Text(NOTHING)
    share = 0.0 if standing.limit is None else standing.held / standing.limit
    style = "bold red" if share > 1 else "yellow" if share > _NEAR else ""
    return Text(megabytes(standing.held), style=style)


def _change(standing: JoinStanding, newest: int) -> Text:
    """A change that is under way, else how long ago the last one was."""
    if not standing.migrations:
        return Text("none yet", style="dim")
    one = standing.migrations[-1]
    if one.is_running:
        since = f" since batch {one.batch}, {newest - one.batch + 1} batches"
        return Text.assemble((f"beside {one.was or WRITTEN}", "bold cyan"), since)
    ended = one.batch + (one.batches or 0)
    return Text(f"{one.how}, {one.length}; {newest - ended} batches ago", style="dim")


def run_lines(history: History) -> Iterator[str]:
    """A run as its log tells it: of each query what it promises, its join, its controllers."""
    for name in history.queries:
        shape = history.plan.queries.get(name) or QueryShape(name)
        late = f", late rows: {shape.late}" if shape.late else ""
        yield f"query {name} ({shape.contract}{late})"
        if (standing := standing_of(history, name)) is not None:
            yield from (f"  {line}" for line in join_lines(standing, history.newest))
        yield from (f"  {line}" for line in _ranked(history, name))
        for controller, labels in history.explained.get(name, {}).items():
            said = ", ".join(f"{label} {_said(value)}" for label, value in labels.items())
            yield f"  {controller}: {said}"


def _ranked(history: History, name: str) -> Iterator[str]:
    standings = ranks_of(history.table, name, history.explained.get(name, {}))
    yield from rank_lines(standings, history.table.last(Key("backlog", name, "complete")))


def _said(value: Value) -> str:
    if value is None:
        return "unknown"
    return value if isinstance(value, str) else f"{value:,.6g}"
