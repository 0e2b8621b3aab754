"""``slackwater estimate``: what the open windows of a pipeline would say now."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa
import typer
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from slackwater.cli.options import CheckpointFolder, Json, QueryName, Where
from slackwater.cli.show.format import show_share, show_value
from slackwater.errors import QueryError, SlackwaterError
from slackwater.execute.estimates.ask import read_estimates

MOST_SECONDS = 1_000_000
_BESIDE = ("kind", "revision", "boundary", "emitted_at", "prod")


def estimate(
    checkpoint: CheckpointFolder,
    query: QueryName = None,
    where: Where = None,
    *,
    rows: Annotated[int, typer.Option("--rows", help="Show this many rows at most.")] = 20,
    every: Annotated[
        float | None, typer.Option("--every", help="Ask again every so many seconds.")
    ] = None,
    json_: Json = False,
) -> None:
    """Say what the open windows of a pipeline would answer now.

    Read from the checkpoint folder: the pipeline may be running or not, and notices nothing.
    """
    if every is not None and not 0 < every < MOST_SECONDS:
        text = f"--every is {every:g}, it must be above 0 and below {MOST_SECONDS:,}"
        raise SlackwaterError("OPTION_INVALID", text)
    if rows < 0:
        raise SlackwaterError("OPTION_INVALID", f"--rows is {rows}, it must not be negative")
    if json_ or every is None:
        _tell(read_estimates(checkpoint, query, where), rows, as_json=json_)
    if every is None:
        return
    with Live(auto_refresh=False) as live:
        while True:
            if json_:
                time.sleep(every)
                _tell(read_estimates(checkpoint, query, where), rows, as_json=True)
            else:
                live.update(_refreshed(checkpoint, query, where, rows), refresh=True)
                time.sleep(every)


def _refreshed(checkpoint: Path, query: str | None, where: str | None, rows: int) -> Table | Text:
    """A fresh estimate; between two windows there may be none, which is no reason to end."""
    try:
        return as_table(read_estimates(checkpoint, query, where), rows)
    except QueryError as error:
        if error.problems[0].condition != "NOTHING_OPEN":
            raise
        return Text(str(error.problems[0]))


def _tell(found: pa.Table, rows: int, *, as_json: bool) -> None:
    if not as_json:
        Console().print(as_table(found, rows))
        return
    for row in found.to_pylist():
        typer.echo(json.dumps(row, default=str))


def as_table(found: pa.Table, rows: int) -> Table:
    """Estimates for people: newest window first, values with scaled ones and bands beside them."""
    order = [("window_end", "descending")]
    shown = found.sort_by(order).slice(0, rows)
    more = found.num_rows - shown.num_rows
    beside = {name for name in found.column_names if _is_beside(name, found.column_names)}
    names = [name for name in found.column_names if name not in beside]
    table = Table(
        title=f"{found.num_rows:,} estimates" + (f", {more:,} not shown" if more > 0 else ""),
        title_justify="left",
    )
    for name in names:
        table.add_column(name, justify="left" if name.startswith("window") else "right")
    for row in shown.to_pylist():
        table.add_row(*(_cell(name, row) for name in names))
    return table


def _is_beside(name: str, names: list[str]) -> bool:
    """Whether a column is shown inside another one, or not at all."""
    stem, _, end = name.rpartition("_")
    return name in _BESIDE or (end in ("scaled", "low", "high") and stem in names)


def _cell(name: str, row: dict[str, Any]) -> str:
    if name == "coverage":
        return show_share(row[name])
    text = show_value(row[name])
    scaled, low = row.get(f"{name}_scaled"), row.get(f"{name}_low")
    if scaled is not None:
        text += f" → {show_value(scaled)}"
    if low is not None:
        text += f" ({show_value(low)} … {show_value(row[f'{name}_high'])})"
    return text
