"""Few rows are read in the driver, whatever the tier: there a statement costs less than a job.

Design note 6 has the figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb
import pyarrow as pa

from slackwater.execute.duck import DuckEngine
from slackwater.execute.engine import Engine
from slackwater.execute.estimates.reading import Reading
from slackwater.execute.limits import Limits
from slackwater.runs.run import Run, total_rows


@dataclass(slots=True)
class Near:
    """The driver's own engine, at hand beside that of the tier."""

    engine: DuckEngine
    limits: Limits = field(default_factory=Limits)
    able: dict[str, bool] = field(default_factory=dict)

    def instead_of(self, engine: Engine[Any], reading: Reading, runs: Sequence[Run]) -> Engine[Any]:
        """The driver's engine if it can read these runs and they are few, else the one given."""
        return self.engine if self.can_read(reading, runs) else engine

    def can_read(self, reading: Reading, runs: Sequence[Run]) -> bool:
        rows = total_rows(runs) * reading.window.overlap
        return rows <= self.limits.driver_rows and self._is_able(reading)

    def _is_able(self, reading: Reading) -> bool:
        """Whether a reading needs nothing that only Spark has; tried once, over no rows."""
        if reading.query not in self.able:
            self.able[reading.query] = self._try(reading)
        return self.able[reading.query]

    def _try(self, reading: Reading) -> bool:
        schemas = reading.schemas
        try:
            with self.engine.beside() as beside:
                for step in reading.steps["duckdb"]:
                    empty = {n: schemas[names[-1]].empty_table() for n, names in step.reads.items()}
                    bounds = {"after": 0, "last": 0}
                    beside.run(step.statement, schemas[step.name], bounds, empty)
        except (duckdb.Error, pa.ArrowException):
            return False
        return True
