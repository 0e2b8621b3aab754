"""``slackwater events``: what happened in a checkpoint, for people."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from slackwater.cli.format import show_time
from slackwater.cli.options import Json
from slackwater.cli.repair import CheckpointFolder
from slackwater.errors import CheckpointError
from slackwater.events.log import read

_COLOURS = {"error": "red", "notice": "yellow", "repair": "yellow", "tier": "cyan", "start": "bold"}


def events(
    checkpoint: CheckpointFolder,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Wait for more, until Ctrl-C.")
    ] = False,
    json_: Json = False,
) -> None:
    """Print the events of a checkpoint, oldest first."""
    path = checkpoint / "events.jsonl"
    if not path.exists():
        raise CheckpointError(
            "CHECKPOINT_MISSING",
            f"there is no {path}",
            "give the folder that was given to the pipeline as its checkpoint",
        )
    console = Console()
    for event in _following(path) if follow else read(path):
        if json_:
            typer.echo(json.dumps(event))
        else:
            console.print(describe(event), soft_wrap=True)


def _following(path: Path) -> Iterator[dict[str, Any]]:
    seen = 0
    while True:
        for event in islice(read(path), seen, None):
            seen += 1
            yield event
        time.sleep(0.5)


def describe(event: dict[str, Any]) -> Text:
    """One event as a line."""
    kind = event["event"]
    if kind == "batch":
        return Text(_batch(event))
    rest = {key: value for key, value in event.items() if key != "event"}
    words = "  ".join(f"{key} {value}" for key, value in rest.items())
    return Text.assemble((kind, _COLOURS.get(kind, "")), f"  {words}")


def _batch(event: dict[str, Any]) -> str:
    rows = sum(stream["rows"] for stream in event["streams"].values())
    spent = sum(event["ms"].values())
    queries = "; ".join(
        f"{name} {told['emitted']:,} answers, {told['late']:,} late, {told['aside']:,} aside"
        for name, told in event["queries"].items()
    )
    return (
        f"batch {event['batch']}  {show_time(event['at'])}  {event['tier']}  rows {rows:,}  "
        f"{spent:,.0f} ms  state {event['state']['rows']:,} rows  {queries}"
    )
