"""What is asked of the rows of a batch, what is seen of them, and who does both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import pyarrow as pa

from slackwater.control.orders import Piece
from slackwater.control.records import Wants
from slackwater.control.turn import Turn
from slackwater.execute.delta import Delta
from slackwater.execute.sinks.sink import Results
from slackwater.runs.run import Run
from slackwater.stats.calls import LinkSeen

B = TypeVar("B")
B_contra = TypeVar("B_contra", contravariant=True)


@dataclass(frozen=True, slots=True)
class Asked:
    """What is wanted of the rows of a batch beside what they bring.

    ``again``: the rows will be read again after this. ``tables`` are the versions, by name, of
    those that rows look something up in.
    """

    batch: int
    wants: Wants = field(default_factory=Wants)
    again: bool = False
    tables: Mapping[str, Run] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Seen:
    """What a batch brought, by base state, and the counts of distinct values asked for.

    ``notices`` are what a person should know of how its rows were read. ``called`` is what Python
    functions did, by link.
    """

    deltas: dict[str, Delta] = field(default_factory=dict)
    distinct: dict[str, dict[str, float]] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    called: dict[str, LinkSeen] = field(default_factory=dict)


class Side(Protocol[B_contra]):
    """Has rows that were set aside."""

    def late(self, rows: B_contra, turn: Turn) -> Results:
        """The rows of a batch that a query could not use, with the reason."""
        ...


class Deliverer(Side[B_contra], Protocol[B_contra]):
    """Gives what a batch came to a form that sinks take."""

    def results(self, relation: Any, schema: pa.Schema) -> Results:
        """A relation of an engine as results."""
        ...


class Hands(Deliverer[B_contra], Protocol[B_contra]):
    """Does with raw rows what an engine needs."""

    def observe(self, rows: B_contra, asked: Asked) -> Seen:
        """One pass over the new rows: partial work and statistics together."""
        ...

    def work(self, turn: Turn, number: int, runs: Sequence[Run], pieces: Sequence[Piece]) -> Delta:
        """Work on rows of an input (by number) of an expensive query that waited."""
        ...
