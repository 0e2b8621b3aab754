"""An engine runs statements over relations and keeps runs: the port, and what crosses it.

A relation is an Arrow table in the driver and a DataFrame in the spark tier. Windows, joins and
estimates are written once against this interface.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

import pyarrow as pa

from slackwater.control.records import Tier
from slackwater.errors import SlackwaterError
from slackwater.plan.sql.statement import Statement
from slackwater.plan.sql.windows import Writer
from slackwater.runs.run import Run

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Runs that a statement reads; ``by`` names the column on which they are joined each batch."""

    runs: Sequence[Run]
    schema: pa.Schema
    by: str | None = None


def _is_sound(_error: BaseException) -> SlackwaterError | None:
    return None


@dataclass(frozen=True, slots=True)
class Faults:
    """Errors by which an engine tells that a value cannot be computed.

    Whoever asked for the value is to blame, not the pipeline; unless ``broken`` knows better: that
    the error is one of storage.
    """

    kinds: tuple[type[Exception], ...]
    broken: Callable[[BaseException], SlackwaterError | None] = _is_sound


class Reader(Protocol[R]):
    """Reads state and changes none."""

    @property
    def tier(self) -> Tier: ...

    @property
    def writer(self) -> Writer: ...

    @property
    def folder(self) -> Path:
        """Where runs are kept."""
        ...

    @property
    def faults(self) -> Faults: ...

    def run(
        self,
        statement: Statement,
        schema: pa.Schema,
        parameters: Mapping[str, int],
        relations: Mapping[str, R | Wanted],
    ) -> R:
        """Run a statement over relations and runs; the result has exactly ``schema``."""
        ...

    def load(self, wanted: Wanted) -> R:
        """The rows of runs."""
        ...

    def concat(self, parts: Sequence[R]) -> R: ...

    def hold(self, relation: R) -> R:
        """The relation, computed once though it is read several times in this batch."""
        ...

    def release(self) -> None:
        """Nothing that is held is read any more."""
        ...

    def to_arrow(self, relation: R) -> pa.Table:
        """The rows of a relation in the driver."""
        ...

    def from_arrow(self, table: pa.Table) -> R:
        """Rows of the driver as a relation."""
        ...


class Engine(Reader[R], Protocol[R]):
    """A reader that also writes."""

    def save(self, relation: R, run: Run, time: str) -> Run | None:
        """Write a relation as a run (``time`` names its time column); nothing if it is empty."""
        ...


ANY = Statement("SELECT CAST(1 AS INT) AS one FROM rows LIMIT 1", ("rows",))


def is_empty(engine: Reader[R], rows: R) -> bool:
    """Whether a relation has no row at all; where that is known, nothing is computed."""
    if isinstance(rows, pa.Table):
        return bool(rows.num_rows == 0)
    found = engine.run(ANY, pa.schema({"one": pa.int32()}), {}, {"rows": rows})
    return bool(engine.to_arrow(found).num_rows == 0)
