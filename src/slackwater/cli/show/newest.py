"""The newest answers of a query as a table."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from rich.table import Table as Grid
from rich.text import Text

from slackwater.cli.show.format import show_value
from slackwater.cli.show.grid import grid

_HIDDEN = (
    *("window_start", "window_end", "event_time", "kind", "revision"),
    *("coverage", "boundary", "emitted_at"),
)


def newest_answers(name: str, rows: Sequence[dict[str, Any]], hidden: Collection[str]) -> Grid:
    """Some answers of a query, oldest first, without the columns that only estimates have."""
    columns = [column for column in rows[-1] if column not in (*_HIDDEN, *hidden)]
    made = grid(f"newest of {name}", "kind", *columns)
    for row in rows:
        kind = row["kind"] if not row["revision"] else f"{row['kind']} {row['revision']}"
        made.add_row(
            _when(row),
            Text(kind, style="green" if row["kind"] == "final" else "yellow"),
            *(show_value(row[column]) for column in columns),
        )
    return made


def _when(row: dict[str, Any]) -> str:
    """The window of an answer, or the event time of a join's result."""
    if "event_time" in row:
        return show_value(row["event_time"])
    return f"{show_value(row['window_start'])} – {show_value(row['window_end'])}"
