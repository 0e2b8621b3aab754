"""Options that several commands have."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer


class TierChoice(StrEnum):
    """Where state lives."""

    auto = "auto"
    columnar = "columnar"
    spark = "spark"


Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines, and nothing else.")]
