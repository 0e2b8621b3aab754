"""``slackwater events``: what happened in a checkpoint, for people."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from slackwater.cli.options import CheckpointFolder, Json
from slackwater.cli.show.format import show_time
from slackwater.events.log import read
from slackwater.events.place import find_log
from slackwater.events.tail import Tail
from slackwater.history.entry import entry_of

_COLOURS = {
    "error": "red",
    "damaged": "red",
    "notice": "yellow",
    "repair": "yellow",
    "tier": "cyan",
    "start": "bold",
}


def events(
    checkpoint: CheckpointFolder,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Wait for more, until Ctrl-C.")
    ] = False,
    json_: Json = False,
) -> None:
    """Print the events of a checkpoint, oldest first."""
    path = find_log(checkpoint)
    console = Console()
    for event in _following(path) if follow else read(path):
        if json_:
            typer.echo(json.dumps(event))
        else:
            console.print(describe(event), soft_wrap=True)


def _following(path: Path) -> Iterator[dict[str, Any]]:
    tail = Tail(path)
    while True:
        for event in tail.poll():
            if event["event"] != "segment":
                yield event
        if tail.is_at_end:
            time.sleep(0.5)


def describe(event: dict[str, Any]) -> Text:
    """One event as a line."""
    kind = event["event"]
    if kind == "batch":
        return Text(_batch(event))
    entry = entry_of(event, 0.0)
    when = show_time(int(entry.at)) if entry.at else ""
    batch = "" if entry.batch is None else f"batch {entry.batch}"
    title = "" if entry.title == kind else entry.title
    words = "  ".join(word for word in (when, batch, title, entry.text) if word)
    return Text.assemble((kind, _COLOURS.get(kind, "")), f"  {words}")


def _batch(event: dict[str, Any]) -> str:
    """A batch in brief; what an older or damaged log does not say counts as nothing."""
    rows = sum(stream.get("rows", 0) for stream in event.get("streams", {}).values())
    spent = sum(event.get("ms", {}).values())
    queries = "; ".join(
        f"{name} {told.get('emitted', 0):,} answers, {told.get('late', 0):,} late, "
        f"{told.get('aside', 0):,} aside"
        for name, told in event.get("queries", {}).items()
    )
    state = event.get("state", {}).get("rows", 0)
    return (
        f"batch {event.get('batch')}  {show_time(event.get('at'))}  {event.get('tier')}  "
        f"rows {rows:,}  {spent:,.0f} ms  state {state:,} rows  {queries}"
    )
