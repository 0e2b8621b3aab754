"""``slackwater papers``: repeat the experiments of the works that algorithms come from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from slackwater.errors import StorageError

if TYPE_CHECKING:  # the experiments load NumPy and matplotlib: only when one of them is wanted
    from slackwater.papers.paper import Outcome, Paper
    from slackwater.papers.verdict import Range, Verdict

UNEXPECTED = 1

app = typer.Typer(no_args_is_help=True, help="Repeat the experiments of the source works.")


@app.command(name="list")
def list_() -> None:
    """Tell which works there are."""
    from slackwater.papers.catalogue import PAPERS

    table = Table("name", "what", "source", "full run")
    for paper in PAPERS:
        table.add_row(paper.name, paper.title, paper.source, f"{paper.minutes} min")
    Console().print(table)


@app.command()
def run(
    name: Annotated[str, typer.Argument(help="One of `slackwater papers list`.")],
    *,
    quick: Annotated[
        bool, typer.Option("--quick", help="A part of the streams, few cases: about a minute.")
    ] = False,
    plot: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Draw pictures into this folder.")
    ] = None,
    json_: Annotated[
        Path | None,
        typer.Option(
            "--json", metavar="FILE", help="Write figures and rows; - prints them, and no table."
        ),
    ] = None,
) -> None:
    """Repeat the experiments of one work and compare the figures.

    Every figure stands beside what the source work says (and whether that claim holds here) and
    the range in which this code is expected to be. Ends with 1 if a figure is outside of it.
    """
    from slackwater.papers.catalogue import paper

    chosen = paper(name)
    _check_folders(plot, json_)
    outcome = _run(chosen, quick)
    if json_ == Path("-"):
        typer.echo(outcome.to_json(), nl=False)
    else:
        _show(outcome, Console())
    _deliver(chosen, outcome, plot, json_)
    if not outcome.is_expected:
        raise typer.Exit(UNEXPECTED)


def _run(paper: Paper, quick: bool) -> Outcome:
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(paper.name, total=None)
        return paper.run(
            is_quick=quick,
            tell=lambda text: progress.update(task, description=f"{paper.name}: {text.strip()}"),
        )


def _show(outcome: Outcome, console: Console) -> None:
    table = Table("figure", title=outcome.paper + (", quick" if outcome.is_quick else ""))
    for head in ("paper", "ours", "expected"):
        table.add_column(head, justify="right")
    table.add_column("claim")
    table.add_column("verdict")
    for verdict in outcome.verdicts:
        table.add_row(*_row(verdict))
    console.print(table)
    outside = sum(not verdict.is_expected for verdict in outcome.verdicts)
    told = f"{outcome.seconds:.0f} s; figures: {len(outcome.verdicts)}, outside: {outside}"
    console.print(Text(told, style="bold red" if outside else "green"))


def _row(verdict: Verdict) -> tuple[Text, ...]:
    ours = "missing" if verdict.ours is None else f"{verdict.ours:.4g}"
    claim = {None: "-", True: "holds", False: "differs"}[verdict.holds]
    told = Text("as expected") if verdict.is_expected else Text("OUTSIDE", style="bold red")
    cells = (verdict.figure, verdict.paper, ours, _range(verdict.expected), claim)
    return (*map(Text, cells), told)


def _range(bounds: Range) -> str:
    low, high = ("" if bound is None else f"{bound:g}" for bound in bounds)
    return f"{low} … {high}"


def _check_folders(plot: Path | None, json_: Path | None) -> None:
    """Before the work begins: a run of minutes must not end for want of a folder."""
    written = None if json_ in {None, Path("-")} else json_
    for folder in (plot, written.parent if written else None):
        if folder is None:
            continue
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _failed(folder, error) from error


def _deliver(paper: Paper, outcome: Outcome, plot: Path | None, json_: Path | None) -> None:
    console = Console(stderr=True)
    try:
        if json_ is not None and json_ != Path("-"):
            json_.write_text(outcome.to_json(), encoding="utf-8")
            console.print(Text(f"figures: {json_}"), soft_wrap=True)
        for picture in paper.draw(outcome.results, plot) if plot else ():
            console.print(Text(f"picture: {picture}"), soft_wrap=True)
    except OSError as error:
        raise _failed(Path(error.filename or plot or ""), error) from error


def _failed(path: Path, error: OSError) -> StorageError:
    return StorageError(
        "STORAGE_FAILED", f"cannot write {path}: {error.strerror}", "give another folder"
    )
