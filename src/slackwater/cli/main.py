"""The command ``slackwater``."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text
from typer.core import TyperGroup

from slackwater.cli import bench, papers
from slackwater.cli.advise import advise
from slackwater.cli.dashboard import dashboard, metrics, report
from slackwater.cli.demo import demo
from slackwater.cli.estimate import estimate, prod
from slackwater.cli.events import events
from slackwater.cli.explain import explain
from slackwater.cli.repair import repair
from slackwater.cli.run import run
from slackwater.cli.watch import watch
from slackwater.errors import SlackwaterError

FAILED = 2
INTERRUPTED = 130  # as shells say it: 128 + SIGINT


class Commands(TyperGroup):
    """Commands whose errors end in a message instead of a traceback."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except SlackwaterError as error:
            print_error(error)
            raise typer.Exit(FAILED) from error
        except KeyboardInterrupt as error:
            raise typer.Exit(INTERRUPTED) from error


def print_error(error: SlackwaterError) -> None:
    """Say on standard error what went wrong and the way out."""
    text = Text.assemble((f"error [{error.condition}] ", "bold red"), (error.message, "red"))
    if error.hint:
        text.append(f"\n  hint: {error.hint}")
    Console(stderr=True).print(text, soft_wrap=True)


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    help="Continuous windowed queries on Apache Spark.",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"slackwater {version('slackwater')}")
        raise typer.Exit


@app.callback()
def common(
    version_: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Say the version."),
    ] = False,
) -> None:
    """Continuous windowed queries on Apache Spark."""


COMMANDS = (
    demo,
    run,
    explain,
    advise,
    estimate,
    prod,
    watch,
    dashboard,
    report,
    metrics,
    events,
    repair,
)
for command in COMMANDS:
    app.command()(command)
app.add_typer(bench.app, name="bench")
app.add_typer(papers.app, name="papers")


def main() -> None:
    """Entry point of the installed command."""
    app()
