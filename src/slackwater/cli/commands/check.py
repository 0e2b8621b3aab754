"""``slackwater check``: whether a pipeline file could run; nothing is started or changed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from slackwater.cli.options import Json, PipelineFile
from slackwater.execute.inspection import Finding, inspect
from slackwater.spark.document import load
from slackwater.spark.inspection import SourceFinding, inspect_sources

REFUSED = 1


def check(
    document: PipelineFile,
    *,
    checkpoint: Annotated[
        Path | None, typer.Option(help="Folder for state and events; wins over the document.")
    ] = None,
    json_: Json = False,
) -> None:
    """Check a pipeline file: its keys, its queries, and whether topics and outputs can be had.

    Connects to brokers and servers, runs and changes nothing. The exit code is 1 if one of them
    refuses.
    """
    console = Console()
    read = load(document, console=Console(stderr=True) if json_ else console)
    folder = checkpoint or (None if read.checkpoint is None else Path(read.checkpoint))
    pipeline = read.pipeline
    sources = [*inspect_sources(pipeline)]
    found = [*inspect(pipeline.plan, pipeline.queries, folder)]
    if json_:
        read_from = [{"stream": one.stream, **_said(one)} for one in sources]
        written = [{"query": one.query, "output": one.output, **_said(one)} for one in found]
        typer.echo(json.dumps({"sources": read_from, "outputs": written}))
    else:
        _tell(console, sources, found, len(pipeline.queries))
    if any(one.error for one in sources) or any(one.error for one in found):
        raise typer.Exit(REFUSED)


def _said(one: Finding | SourceFinding) -> dict[str, object]:
    """What was found out, for machines."""
    error = one.error
    refused = {} if error is None else {"condition": error.condition, "hint": error.hint}
    return {"ok": error is None, "text": one.text, **refused}


def _tell(
    console: Console, sources: Sequence[SourceFinding], found: Sequence[Finding], queries: int
) -> None:
    noun = "query is" if queries == 1 else "queries are"
    console.print(Text(f"{queries} {noun} sound"), soft_wrap=True)
    named: list[tuple[str, Finding | SourceFinding]] = [
        *((f"source {one.stream}", one) for one in sources),
        *((f"{one.query}, {one.output}", one) for one in found),
    ]
    for name, one in named:
        mark = ("ok       ", "green") if one.error is None else ("refused  ", "red")
        console.print(Text.assemble(mark, f"{name}: {one.text}"), soft_wrap=True)
        if one.error is not None and one.error.hint:
            console.print(Text(f"         hint: {one.error.hint}"), soft_wrap=True)
