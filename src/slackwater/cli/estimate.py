"""``slackwater estimate`` and ``prod``: ask a pipeline what it would say now."""

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

from slackwater.cli.format import NOTHING, show_share, show_value
from slackwater.cli.options import Json
from slackwater.cli.repair import CheckpointFolder
from slackwater.errors import QueryError, SlackwaterError
from slackwater.events.log import read
from slackwater.events.place import find_log
from slackwater.execute.estimates.ask import prod as leave_prod
from slackwater.execute.estimates.ask import read_estimates

QueryName = Annotated[
    str | None, typer.Option("--query", "-q", help="Which query, if there are several.")
]
Where = Annotated[
    str | None,
    typer.Option("--where", "-w", help="SQL over the result's columns: groups or windows."),
]
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


def prod(
    checkpoint: CheckpointFolder,
    query: QueryName = None,
    where: Where = None,
    *,
    aggressiveness: Annotated[
        float | None,
        typer.Option(help="Prod windows this share of a slide before their end from now on."),
    ] = None,
    automatic: Annotated[
        bool, typer.Option("--automatic", help="Let the pipeline choose that again.")
    ] = False,
    wait: Annotated[
        float, typer.Option("--wait", help="Seconds to wait for the answer; 0 for not at all.")
    ] = 30.0,
    json_: Json = False,
) -> None:
    """Ask a running pipeline for an estimate among its results, in its next batch."""
    name = leave_prod(checkpoint, query, where, aggressiveness=aggressiveness, automatic=automatic)
    answer = _answer(find_log(checkpoint), name, wait) if wait > 0 else None
    told = answer or {"prod": name, "rows": None, "reason": None if wait <= 0 else "no answer yet"}
    if json_:
        typer.echo(json.dumps(told))
        return
    rows = NOTHING if told["rows"] is None else f"{told['rows']:,} estimates"
    Console().print(f"{name}: {rows}" + (f" ({told['reason']})" if told["reason"] else ""))


def _answer(log: Path, name: str, wait: float) -> dict[str, Any] | None:
    until = time.monotonic() + wait
    while True:
        for event in read(log):
            if event["event"] == "prod" and event.get("prod") == name:
                return event
        if time.monotonic() > until:
            return None
        time.sleep(0.2)
