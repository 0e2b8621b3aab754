"""What statements are run over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from slackwater.runs.run import Run


@dataclass(frozen=True, slots=True)
class Wanted:
    """Runs that a statement reads."""

    runs: Sequence[Run]
    schema: pa.Schema
