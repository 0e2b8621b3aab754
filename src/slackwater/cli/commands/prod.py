"""``slackwater prod``: ask a running pipeline for an estimate among its results."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.console import Console

from slackwater.cli.options import CheckpointFolder, Json, QueryName, Where
from slackwater.cli.reply import Wait, reply
from slackwater.cli.show.format import NOTHING
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
    wait: Wait = 30.0,
    json_: Json = False,
) -> None:
    """Ask a running pipeline for an estimate among its results, in its next batch."""
    name = leave_prod(checkpoint, query, where, aggressiveness=aggressiveness, automatic=automatic)
    found = reply(find_log(checkpoint), "prod", "prod", name, wait)
    told = found or {"prod": name, "rows": None, "reason": None if wait <= 0 else "no answer yet"}
    if json_:
        typer.echo(json.dumps(told))
        return
    rows = NOTHING if told["rows"] is None else f"{told['rows']:,} estimates"
    Console().print(f"{name}: {rows}" + (f" ({told['reason']})" if told["reason"] else ""))
