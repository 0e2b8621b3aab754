"""``slackwater watch``: a run in the terminal, from its events alone."""

from __future__ import annotations

import time
from typing import Annotated

import typer
from rich.console import Console
from rich.live import Live
from rich.panel import Panel
from rich.text import Text

from slackwater.cli.options import CheckpointFolder
from slackwater.cli.show.screen import screen
from slackwater.history.follow import Follower

_GLANCE = 0.4  # seconds


def watch(
    checkpoint: CheckpointFolder,
    once: Annotated[bool, typer.Option("--once", help="Print one picture and end.")] = False,
    decisions: Annotated[int, typer.Option(min=0, help="How many decisions to show.")] = 8,
) -> None:
    """Watch a run, live or after it ended: slack, lag, quality, late rows, decisions and reasons.

    It reads the event log only. Ctrl-C ends the view, not the pipeline.
    """
    console = Console()
    run = Follower(checkpoint)
    try:
        if once or not console.is_terminal:
            run.look_through()
            console.print(_picture(run, decisions))
            return
        _follow(run, console, decisions)
    finally:
        run.close()


def _picture(run: Follower, decisions: int) -> Panel:
    title = Text.assemble(("slackwater watch", "bold"), f"  {run.name}")
    return screen(run, time.time(), decisions, title=title)


def _follow(run: Follower, console: Console, decisions: int) -> None:
    with Live(console=console, auto_refresh=False, screen=True, vertical_overflow="crop") as live:
        while True:
            for _ in range(200):  # a long log is read in parts, with pictures in between
                if not run.look():
                    break
            live.update(_picture(run, decisions), refresh=True)
            if run.error is not None:
                raise run.error
            time.sleep(_GLANCE)
