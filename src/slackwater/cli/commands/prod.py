"""``slackwater prod``: ask a running pipeline for an estimate among its results."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from slackwater.cli.options import CheckpointFolder, Json, QueryName, Where
from slackwater.cli.show.format import NOTHING
from slackwater.events.log import read
from slackwater.events.place import find_log
from slackwater.execute.estimates.ask import prod as leave_prod


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
