"""``slackwater repair``: back to the newest sound batch of a damaged checkpoint."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from slackwater.cli.options import CheckpointFolder, Json
from slackwater.runs.repair import RepairReport
from slackwater.runs.repair import repair as repair_checkpoint


def repair(
    checkpoint: CheckpointFolder,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be done.")
    ] = False,
    json_: Json = False,
) -> None:
    """Go back to the newest sound batch of a damaged checkpoint.

    The batches after it are read again from their sources when the pipeline is started.
    """
    report = repair_checkpoint(checkpoint, dry_run=dry_run)
    if json_:
        typer.echo(json.dumps(report.to_json()))
    else:
        _tell(report, Console())


def _tell(report: RepairReport, console: Console) -> None:
    for reason in report.damage:
        console.print(Text.assemble(("damaged  ", "red"), reason), soft_wrap=True)
    verb = "would remove" if report.dry_run else "removed"
    for name in report.removed:
        console.print(Text.assemble((f"{verb}  ", "yellow"), name), soft_wrap=True)
    console.print(Text(_outcome(report)), soft_wrap=True)


def _outcome(report: RepairReport) -> str:
    where = f"batch {report.batch}" if report.batch >= 0 else "the beginning"
    if not report.was_needed:
        return f"{report.folder} is sound ({where}); nothing to do"
    again = report.newest - report.batch
    batches = "" if not again else f"; {again} batch{'es' if again > 1 else ''} will be read again"
    if report.dry_run:
        return f"would go back to {where}{batches}"
    return f"back at {where}{batches}; start the pipeline to go on"
