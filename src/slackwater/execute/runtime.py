"""Who gives rows to the loop, and does with them what only they can: Spark, or a test.

Everything above rows runs without knowing which (design note 8).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import pyarrow as pa

from slackwater.control.orders import Piece
from slackwater.control.records import Tier, Wants
from slackwater.control.turn import Turn
from slackwater.errors import SlackwaterError
from slackwater.execute.delta import Delta
from slackwater.execute.duck import DuckEngine
from slackwater.execute.engine import Engine
from slackwater.execute.sinks.sink import Results
from slackwater.runs.run import Run

B = TypeVar("B")
B_contra = TypeVar("B_contra", contravariant=True)


@dataclass(frozen=True, slots=True)
class Asked:
    """What is wanted of the rows of a batch beside what they bring.

    ``again``: the rows will be read again after this.
    """

    batch: int
    wants: Wants = field(default_factory=Wants)
    again: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    """What a batch brought, by base state, and the counts of distinct values asked for."""

    deltas: dict[str, Delta] = field(default_factory=dict)
    distinct: dict[str, dict[str, float]] = field(default_factory=dict)


class Runtime(Protocol[B_contra]):
    """What the loop needs of whoever gives it rows of the kind ``B``."""

    def engine(self, tier: Tier, driver: DuckEngine, rows: B_contra | None) -> Engine[Any]:
        """The engine of this batch; ``driver`` is the one in this process."""
        ...

    def observe(self, engine: Engine[Any], rows: B_contra, asked: Asked) -> Seen:
        """One pass over the new rows: partial work and statistics together."""
        ...

    def work(
        self, engine: Engine[Any], turn: Turn, runs: Sequence[Run], pieces: Sequence[Piece]
    ) -> Delta:
        """Work on rows of an expensive query that waited."""
        ...

    def late(self, rows: B_contra, turn: Turn) -> Results:
        """The rows of a batch that a query could not use, with the reason."""
        ...

    def results(self, relation: Any, schema: pa.Schema) -> Results:
        """A relation of an engine as results."""
        ...

    def done(self, rows: B_contra | None) -> None:
        """The rows of a batch are not read any more."""
        ...

    def keep_only(self, runs: Sequence[Run], tier: Tier) -> None:
        """Of all runs only these are live; ``tier`` is where the batch was run."""
        ...

    def notices(self, batch: int) -> list[str]:
        """What a person should know of where the rows of a batch came from."""
        ...

    def failure(self, error: BaseException, batch: int) -> SlackwaterError | None:
        """An error in words for people, if it is one of this runtime's."""
        ...

    def close(self) -> None:
        """Give memory back."""
        ...
