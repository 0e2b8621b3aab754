"""Options and arguments that several commands have."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from slackwater.runs.objects.address import is_store
from slackwater.runs.objects.located import copy_of


class TierChoice(StrEnum):
    """Where state lives."""

    auto = "auto"
    columnar = "columnar"
    spark = "spark"


def folder_of(checkpoint: str) -> Path:
    """The folder of a checkpoint; of one in an object store, the copy on this machine."""
    return copy_of(checkpoint.rstrip("/")) if is_store(checkpoint) else Path(checkpoint)


Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines, and nothing else.")]
CheckpointFolder = Annotated[
    Path, typer.Argument(metavar="CHECKPOINT", parser=folder_of, help="Folder or s3:// address.")
]
PipelineFile = Annotated[Path, typer.Argument(metavar="PIPELINE.TOML", help="The document.")]
QueryName = Annotated[
    str | None, typer.Option("--query", "-q", help="Which query, if there are several.")
]
Where = Annotated[
    str | None,
    typer.Option("--where", "-w", help="SQL over the result's columns: groups or windows."),
]
