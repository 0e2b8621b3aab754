"""``slackwater run``: a pipeline from a TOML document."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Annotated

import typer
from rich.console import Console

from slackwater.cli.options import Json, PipelineFile, TierChoice
from slackwater.cli.perform import Run, perform
from slackwater.cli.show.summary import print_summary
from slackwater.errors import Problem, QueryError
from slackwater.spark.document import Document, load
from slackwater.spark.live import AVAILABLE_NOW
from slackwater.spark.pipeline import Options


def run(
    document: PipelineFile,
    *,
    checkpoint: Annotated[
        str | None,
        typer.Option(help="Folder or s3:// address for state; wins over the document."),
    ] = None,
    trigger: Annotated[
        str | None,
        typer.Option(help=f'Time between batches such as "2 s", or "{AVAILABLE_NOW}".'),
    ] = None,
    seconds: Annotated[float | None, typer.Option(min=0.1, help="Stop after so long.")] = None,
    tier: Annotated[TierChoice | None, typer.Option(help="Where state lives.")] = None,
    flush: Annotated[
        bool, typer.Option("--flush", help="Process what is there, then close every window.")
    ] = False,
    json_: Json = False,
) -> None:
    """Run a pipeline under a live view; Ctrl-C stops it after the batch at hand.

    With --json: a line per batch, then a line with the summary.
    """
    console = Console()
    read = load(document, console=Console(stderr=True) if json_ else console)
    options = _overridden(read.options, trigger, tier, flush=flush)
    folder = _checkpoint(read, checkpoint)
    title = f"slackwater {document.name}"
    asked = Run(read.pipeline.queries, folder, options, title, seconds)
    summary = perform(asked, console, "json" if json_ else "screen").summary
    if json_:
        typer.echo(json.dumps({"event": "summary", **summary}))
    else:
        print_summary(console, summary)


def _overridden(
    options: Options, trigger: str | None, tier: TierChoice | None, *, flush: bool
) -> Options:
    """What the command line says wins over the document."""
    if trigger is not None:
        options = replace(options, trigger=trigger)
    if tier is not None:
        options = replace(options, tier=tier.value)
    if flush:
        options = replace(options, flush=True, trigger=options.trigger or AVAILABLE_NOW)
    if found := options.problems():
        raise QueryError(found)
    return options


def _checkpoint(document: Document, given: str | None) -> str:
    found = given if given is not None else document.checkpoint
    if found is not None:
        return found
    hint = "give --checkpoint FOLDER, or checkpoint under [pipeline]"
    raise QueryError(
        [Problem("KEY_MISSING", "pipeline.checkpoint", "no folder for state and events", hint)]
    )
