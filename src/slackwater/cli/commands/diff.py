"""``slackwater diff``: what a pipeline file would change of a checkpoint, before it does."""

from __future__ import annotations

import json

import typer
from rich.console import Console
from rich.text import Text

from slackwater.cli.options import CheckpointFolder, Json, PipelineFile
from slackwater.runs.forecast import Coming, Forecast
from slackwater.spark.document import load
from slackwater.units import show_instant

REFUSED = 1


def diff(checkpoint: CheckpointFolder, document: PipelineFile, json_: Json = False) -> None:
    """Show what starting a pipeline file over a checkpoint would do to the queries there.

    Which stay with their state, which are new and from when on they are whole, which go. Nothing is
    changed. The exit code is 1 if the change cannot be made.
    """
    console = Console()
    read = load(document, console=Console(stderr=True) if json_ else console)
    found = read.pipeline.forecast(checkpoint)
    if json_:
        typer.echo(json.dumps(found.to_json()))
    else:
        _tell(found, console)
    if not found.is_possible:
        raise typer.Exit(REFUSED)


def _tell(found: Forecast, console: Console) -> None:
    lines = [Text("no batch yet" if found.batch < 0 else f"as of batch {found.batch}")]
    lines += [Text.assemble(("kept     ", "green"), name) for name in found.kept]
    lines += [
        Text.assemble(("new      ", "cyan"), f"{one.query}: {_whole(one)}") for one in found.added
    ]
    lines += [
        Text.assemble(("dropped  ", "yellow"), f"{name}: what it answered stays")
        for name in found.dropped
    ]
    for refusal in found.refused:
        lines.append(Text.assemble(("refused  ", "red"), f"{refusal.part}: {refusal.reason}"))
        lines.append(Text(f"         hint: {refusal.hint}"))
    if found.freed and found.is_possible:
        lines.append(Text(f"{found.freed:,} rows of state would go"))
    if not found.is_change:
        lines.append(Text("nothing changes"))
    for line in lines:
        console.print(line, soft_wrap=True)


def _whole(one: Coming) -> str:
    start = "starts from state that is kept" if one.shares else "starts empty"
    if one.whole_after is None:
        return f"{start}; all of its answers are whole"
    return f"{start}; gives what ends after {show_instant(one.whole_after)}, which is whole"
