"""``slackwater replan``: let a running pipeline join by another tree."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.console import Console

from slackwater.cli.options import CheckpointFolder, Json, QueryName
from slackwater.cli.reply import Wait, reply
from slackwater.events.place import find_log
from slackwater.runs.checkpoint import Checkpoint
from slackwater.runs.requests import Inbox, put_tree


def replan(
    checkpoint: CheckpointFolder,
    tree: Annotated[
        str, typer.Argument(metavar="TREE", help='Every input once, as in "((a b) c)".')
    ],
    query: QueryName = None,
    *,
    how: Annotated[
        str,
        typer.Option(
            "--how", help="moving: make what is lacking at once; parallel: both side by side."
        ),
    ] = "moving",
    wait: Wait = 30.0,
    json_: Json = False,
) -> None:
    """Let a running pipeline join by another tree, from its next batch on.

    Nothing is lost and nothing comes twice: what the new tree keeps and the old one did not is made
    from what that kept, or both run side by side until nothing of before matters.
    """
    log = find_log(checkpoint)
    folder = Checkpoint(log.parent.absolute())
    name = put_tree(Inbox(folder.prods), folder.order().joins or {}, tree, query, how)
    found = reply(log, "replan", "request", name, wait)
    none = None if wait <= 0 else "no answer yet; the next batch takes it"
    told = found or {"request": name, "tree": None, "reason": none}
    if json_:
        typer.echo(json.dumps(told))
        return
    said = told["reason"] or (
        told["tree"] and f"joined as {told['tree']} from batch {told['batch']} on"
    )
    Console().print(f"{name}: {said or 'left for the next batch'}", markup=False)
