"""``slackwater queries``, ``add`` and ``remove``: the queries of a pipeline that runs."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich.box import HEAVY_HEAD
from rich.console import Console
from rich.table import Table

from slackwater.cli.options import CheckpointFolder, Json, PipelineFile
from slackwater.cli.reply import Wait, reply
from slackwater.errors import SlackwaterError
from slackwater.runs.checkpoint import Checkpoint
from slackwater.runs.overlay import Changes, Written
from slackwater.runs.requests import check_query
from slackwater.runs.roster import Listed, roster
from slackwater.spark.document import load
from slackwater.units import show_instant

Name = Annotated[str, typer.Argument(metavar="NAME", help="The query.")]
SomeName = Annotated[
    str | None,
    typer.Argument(metavar="[NAME]", help="The query; every one that is not there by default."),
]
REFUSED = 1


def queries(checkpoint: CheckpointFolder, json_: Json = False) -> None:
    """List the queries of a checkpoint: since when, what is whole, what they hold.

    Those that are gone come last.
    """
    found = roster(Checkpoint(checkpoint.absolute()))
    if json_:
        typer.echo(json.dumps([one.to_json() for one in found]))
        return
    table = Table(box=HEAVY_HEAD)
    for title in ("query", "", "since batch", "whole after", "watermark"):
        table.add_column(title)
    table.add_column("rows of state", justify="right")
    for one in found:
        table.add_row(*_cells(one))
    Console().print(table)


def _cells(one: Listed) -> tuple[str, ...]:
    status = f"{one.status}, added" if one.is_added else one.status
    if one.status != "running":
        return (one.query, status, "", "", "", "")
    since = "start" if one.since is None else str(one.since)
    whole = "everything" if one.whole_after is None else show_instant(one.whole_after)
    watermark = "" if one.watermark is None else show_instant(one.watermark)
    return (one.query, status, since, whole, watermark, f"{one.rows:,}")


def add(
    checkpoint: CheckpointFolder,
    document: PipelineFile,
    name: SomeName = None,
    *,
    wait: Wait = 30.0,
    json_: Json = False,
) -> None:
    """Add a query of a pipeline file to a pipeline that runs, from its next batch on.

    Sources are those of the pipeline, so the file has to say the same of them. The query stays when
    the pipeline is started again, until it is removed. The exit code is 1 if it cannot be added.
    """
    read = load(document, console=Console(stderr=True))
    folder = Checkpoint(checkpoint.absolute())
    there = {one.query for one in roster(folder) if one.status != "gone"}
    given = [query.name for query in read.pipeline.queries]
    names = [one for one in given if one not in there] if name is None else [name]
    for one in names:
        check_query(one, given)
    if not names:
        raise SlackwaterError(
            "QUERY_TAKEN",
            f"all queries of {document.name} are there: {', '.join(given)}",
            "give the new query another name",
        )
    written = Written(document.read_text(encoding="utf-8"), str(document.absolute()))
    changes = Changes(folder.folder)
    demands = [(one, changes.add(one, written)) for one in names]
    _tell([_answer(folder, one, demand, wait) for one, demand in demands], json_=json_)


def remove(
    checkpoint: CheckpointFolder, name: Name, *, wait: Wait = 30.0, json_: Json = False
) -> None:
    """Remove a query from a pipeline that runs, from its next batch on.

    What it has answered stays, its state goes unless others read it. It stays away when the
    pipeline is started again, until it is added. The exit code is 1 if it cannot be removed.
    """
    folder = Checkpoint(checkpoint.absolute())
    check_query(name, [one.query for one in roster(folder) if one.status != "gone"])
    demand = Changes(folder.folder).remove(name)
    _tell([_answer(folder, name, demand, wait)], json_=json_)


def _answer(folder: Checkpoint, name: str, demand: str, wait: float) -> dict[str, Any]:
    """What became of a demand, as far as that is known in time."""
    found = reply(folder.events, "demand", "demand", demand, wait)
    if found is not None:
        return found
    text = None if wait <= 0 else "no answer yet; the next batch takes it"
    return {"demand": demand, "query": name, "how": None, "reason": text, "waits": True}


def _tell(answers: list[dict[str, Any]], *, json_: bool) -> None:
    if json_:
        typer.echo(json.dumps(answers))
    else:
        for one in answers:
            done = None if one["how"] is None else f"done, {one['how']}"
            said = one["reason"] or done or "left for the next batch"
            Console().print(f"{one['query']}: {said}", markup=False, soft_wrap=True)
    if any(one["how"] is None and not one.get("waits") for one in answers):
        raise typer.Exit(REFUSED)
