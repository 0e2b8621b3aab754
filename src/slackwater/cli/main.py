"""The command ``slackwater``: a table of its commands, each loaded when it is called."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from slackwater import __version__
from slackwater.errors import SlackwaterError

FAILED = 2
INTERRUPTED = 130  # as shells say it: 128 + SIGINT


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its name, one line on what it does, and where it is if not in its own file.

    ``where`` is ``module:name`` of a function or of an app with commands of its own.
    """

    name: str
    summary: str
    where: str | None = None

    def load(self) -> TyperCommand | TyperGroup:
        """The command itself, with all it needs."""
        place = self.where or f"slackwater.cli.commands.{self.name}:{self.name}"
        module, _, name = place.partition(":")
        found = getattr(import_module(module), name)
        if not isinstance(found, typer.Typer):
            alone = typer.Typer(add_completion=False, rich_markup_mode="markdown")
            alone.command(self.name)(found)
            found = alone
        made: Any = get_command(found)
        made.name = self.name
        return made  # type: ignore[no-any-return]


# In the order of the help. A further command is one more line, and a file under `commands`.
COMMANDS = (
    Command("demo", "Watch a disordered sensor stream being answered."),
    Command("run", "Run a pipeline under a live view; Ctrl-C stops it after the batch at hand."),
    Command("explain", "Show what a pipeline will do: levels, states, contracts. Starts nothing."),
    Command(
        "check",
        "Check a pipeline file: its keys, its queries, and whether topics and outputs can be had.",
    ),
    Command("doctor", "Say what this machine lacks for a session, and how to get it."),
    Command(
        "schema",
        "Print the JSON schema of pipeline files, for editors that complete and check keys.",
    ),
    Command(
        "plans",
        "Show the plans of a join: work against rows held, the best ones, and which is chosen.",
    ),
    Command("advise", "Tell how long to wait for stragglers, from a recorded stream."),
    Command("estimate", "Say what the open windows of a pipeline would answer now."),
    Command("prod", "Ask a running pipeline for an estimate among its results, in its next batch."),
    Command("replan", "Let a running pipeline join by another tree, from its next batch on."),
    Command(
        "diff",
        "Show what starting a pipeline file over a checkpoint would do to the queries there.",
    ),
    Command(
        "queries", "List the queries of a checkpoint: since when, what is whole, what they hold."
    ),
    Command(
        "add",
        "Add a query of a pipeline file to a pipeline that runs, from its next batch on.",
        "slackwater.cli.commands.queries:add",
    ),
    Command(
        "remove",
        "Remove a query from a pipeline that runs, from its next batch on.",
        "slackwater.cli.commands.queries:remove",
    ),
    Command(
        "watch",
        "Watch a run, live or after it ended: slack, lag, quality, late rows, decisions and "
        "reasons.",
    ),
    Command(
        "dashboard",
        "Show runs on a web page, live or looking back, until Ctrl-C.",
        "slackwater.dashboard.commands:dashboard",
    ),
    Command(
        "report",
        "Write runs as one HTML file that opens without a server.",
        "slackwater.dashboard.commands:report",
    ),
    Command(
        "metrics",
        "Print metrics in the text format of Prometheus, or send them by OpenTelemetry.",
        "slackwater.dashboard.commands:metrics",
    ),
    Command("events", "Print the events of a checkpoint, oldest first."),
    Command("repair", "Go back to the newest sound batch of a damaged checkpoint."),
    Command(
        "bench", "Measure Slackwater against plain Spark.", "slackwater.cli.commands.bench:app"
    ),
    Command(
        "papers",
        "Repeat the experiments of the source works.",
        "slackwater.cli.commands.papers:app",
    ),
)
_BY_NAME = {command.name: command for command in COMMANDS}


class Commands(TyperGroup):
    """Commands that are loaded when they run; their errors end in a message, not a traceback."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        for command in COMMANDS:  # for help and suggestions their summaries are enough
            self.add_command(TyperCommand(command.name, help=command.summary))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is meant, now with all it needs."""
        name, known, rest = super().resolve_command(ctx, args)
        return name, known if known is None else _BY_NAME[str(known.name)].load(), rest

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
    from rich.console import Console
    from rich.text import Text

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
        typer.echo(f"slackwater {__version__}")
        raise typer.Exit


@app.callback()
def common(
    version_: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Continuous windowed queries on Apache Spark."""


def main() -> None:
    """Entry point of the installed command."""
    app()


if __name__ == "__main__":
    main()
