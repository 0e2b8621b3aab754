"""``slackwater explain``: the plan of a document, or how a run stands; without starting Spark."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from slackwater.cli.options import Json
from slackwater.cli.show.joins import run_lines
from slackwater.history.follow import newest_history
from slackwater.history.history import History
from slackwater.history.join_standing import standing_of
from slackwater.spark.document import load

What = Annotated[
    Path,
    typer.Argument(
        metavar="PIPELINE.TOML", help="The document; or the checkpoint folder of a run."
    ),
]


def explain(document: What, json_: Json = False) -> None:
    """Show what a pipeline will do: levels, states, contracts. Starts nothing.

    Of a checkpoint folder: how the run stands by its log. Plans in force, what they were to cost
    and did, the runner-up, changes, and what else is decided.
    """
    if not document.is_dir():
        typer.echo(load(document).pipeline.explain("json" if json_ else "text"))
        return
    history = newest_history(document)
    if json_:
        typer.echo(json.dumps(_value(history), indent=2))
        return
    newest = "no batch yet" if history.newest is None else f"after batch {history.newest}"
    typer.echo("\n".join([newest, *run_lines(history)]))


def _value(history: History) -> dict[str, Any]:
    """The same for machines."""
    return {
        "batch": history.newest,
        "queries": {name: _query(history, name) for name in history.queries},
    }


def _query(history: History, name: str) -> dict[str, Any]:
    standing = standing_of(history, name)
    join = {} if standing is None else {"join": standing.to_json()}
    return {"controllers": history.explained.get(name, {}), **join}
