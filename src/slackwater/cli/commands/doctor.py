"""``slackwater doctor``: what this machine lacks for a session, and how to get it."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from slackwater.cli.options import Json
from slackwater.spark.doctor import Checkup, examine

LACKING = 1


def doctor(
    *,
    session: Annotated[
        bool, typer.Option("--session", help="Start a session, as configured, and look at it too.")
    ] = False,
    shared: Annotated[
        str | None, typer.Option(help="With --session: where checkpoints are to lie.")
    ] = None,
    json_: Json = False,
) -> None:
    """Say what this machine lacks for a session, and how to get it.

    Starts and fetches nothing, unless --session asks for it: then executors are asked, too. The
    exit code is 1 if something is missing that every session needs.
    """
    found = list(examine())
    if session and all(one.ok for one in found if one.needed):
        found += look_at_session(shared)
    if json_:
        typer.echo(json.dumps({"checks": [asdict(one) for one in found]}))
    else:
        _tell(Console(), found)
    if any(one.needed and not one.ok for one in found):
        raise typer.Exit(LACKING)


def look_at_session(shared: str | None) -> list[Checkup]:
    """What is found in the session that ``spark-submit``, or Spark's own files, configure."""
    from slackwater.spark.examination import configured, examine_session

    with configured() as there:
        return list(examine_session(there, shared))


def _tell(console: Console, found: list[Checkup]) -> None:
    for one in found:
        lacking = ("missing  ", "red") if one.needed else ("absent   ", "yellow")
        mark = ("ok       ", "green") if one.ok else lacking
        console.print(Text.assemble(mark, f"{one.name}: {one.found}"), soft_wrap=True)
        if not one.ok:
            console.print(Text(f"         hint: {one.hint}"), soft_wrap=True)
