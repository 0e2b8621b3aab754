"""Options and arguments that several commands have."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class TierChoice(StrEnum):
    """Where state lives."""

    auto = "auto"
    columnar = "columnar"
    spark = "spark"


Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines, and nothing else.")]
CheckpointFolder = Annotated[Path, typer.Argument(metavar="CHECKPOINT", help="The folder.")]
PipelineFile = Annotated[Path, typer.Argument(metavar="PIPELINE.TOML", help="The document.")]
QueryName = Annotated[
    str | None, typer.Option("--query", "-q", help="Which query, if there are several.")
]
Where = Annotated[
    str | None,
    typer.Option("--where", "-w", help="SQL over the result's columns: groups or windows."),
]
