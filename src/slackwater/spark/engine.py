"""The two tiers behind one interface: an engine runs statements over relations and keeps runs.

A relation is an Arrow table in the columnar tier and a DataFrame in the spark tier. The logic of
a stage (``stages.py``) is written once against this interface.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic, Protocol, TypeVar

import pyarrow as pa
from pyspark.sql import DataFrame

from slackwater.control.records import Tier
from slackwater.plan.state import State
from slackwater.plan.statement import Writer
from slackwater.spark.inputs import InputReader
from slackwater.spark.run import Run
from slackwater.stats.panes import PaneCount

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Delta(Generic[R]):
    """What one batch adds to a base state, before anything is decided about it.

    It is in memory (``relation``) or was written already (``run``).
    """

    state: State
    relation: R | None
    run: Run | None
    counts: tuple[PaneCount, ...]
    beat: int | None
    sums: dict[str, float]


@dataclass(frozen=True, slots=True)
class Marks:
    """By input state: instants to count rows apart at, and when its rows came, if that is kept."""

    cuts: dict[str, tuple[int, ...]]
    at: dict[str, int | None]


Wanted = tuple[Sequence[Run], pa.Schema, str | None]  # what to load


class Engine(Protocol[R]):
    """What a tier must offer."""

    @property
    def tier(self) -> Tier: ...

    @property
    def writer(self) -> Writer: ...

    @property
    def folder(self) -> Path:
        """Where runs are kept."""
        ...

    def observe(
        self, partials: DataFrame, state: State, batch: int, sums: Sequence[str]
    ) -> Delta[R]:
        """Run the one job over new rows; ``sums`` names partials whose totals are wanted."""
        ...

    def read_inputs(
        self, reader: InputReader, rows: DataFrame, batch: int, marks: Marks
    ) -> list[Delta[R]]:
        """Run the one job over new rows that are kept as they are, for joins."""
        ...

    def distinct(self, delta: Delta[R], columns: Sequence[str]) -> dict[str, float]:
        """Distinct values of columns of a delta."""
        ...

    def absorb(self, delta: Delta[R], batch: int, bound: int | None) -> Run | None:
        """Keep the usable part of a delta as a run."""
        ...

    def sql(self, text: str, schema: pa.Schema, parameters: dict[str, int], **relations: R) -> R:
        """Run one statement; the result has exactly ``schema``."""
        ...

    def save(self, relation: R, run: Run, time: str) -> Run | None:
        """Write a relation as a run (``time`` names its time column); nothing if it is empty."""
        ...

    def load(self, runs: Sequence[Run], schema: pa.Schema, by: str | None = None) -> R:
        """The rows of runs; ``by`` names the column on which they are joined batch after batch."""
        ...

    def load_all(self, wanted: Mapping[str, Wanted]) -> dict[str, R]:
        """:meth:`load` several relations, side by side where that is faster."""
        ...

    def hold(self, relation: R) -> R:
        """The relation, computed once though it is read several times in this batch."""
        ...

    def let_go(self, relation: R) -> None:
        """What was held is not read any more."""
        ...

    def detach(self, relation: R) -> R:
        """The relation computed for good: it needs its runs no more."""
        ...

    def gather(self, relation: R) -> R:
        """The relation in few pieces, where little work was spread over many."""
        ...

    def concat(self, parts: Sequence[R]) -> R: ...

    def arrow(self, relation: R) -> pa.Table:
        """The rows of a relation in the driver."""
        ...

    def pick(self, relation: R, schema: pa.Schema, marked: str | None = None) -> R:
        """These columns of a relation; of rows only those ``marked`` by a column, if given."""
        ...

    def lift(self, table: pa.Table) -> R:
        """Rows of the driver as a relation."""
        ...

    def tally(self, relation: R, column: str) -> dict[int, int]:
        """Rows by the values of a column of numbers."""
        ...

    def is_empty(self, relation: R) -> bool: ...

    def forget(self, runs: Sequence[Run]) -> None:
        """These runs are gone."""
        ...


def new_run(state: str, batch: int, tag: str) -> Run:
    """The name of a run to be written."""
    return Run(state, f"{batch:08d}-{tag}.parquet", batch, 0, 0, 0, {})


def filled(
    run: Run, rows: int, low: int, high: int, parts: dict[str, tuple[int, int | None]]
) -> Run:
    return replace(run, rows=rows, low=low, high=high, parts=parts)
