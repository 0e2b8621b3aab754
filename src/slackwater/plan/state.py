"""State: what rows that are kept mean, not where in a plan they sit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from slackwater.plan.aggregate import Partial
from slackwater.plan.node import Named, Stamp
from slackwater.query.expression import Expression
from slackwater.query.schema import NOTHING, Column, Schema

StateKind = Literal["panes", "rows", "input"]


@dataclass(frozen=True, slots=True)
class State:
    """What is kept for a stage.

    ``panes``: merged partials per pane and key. ``rows``: the input rows themselves, latest
    revision wins; kept where an input row can still be revised, because a maximum cannot forget.
    ``input``: raw rows of one input of a join (``keys`` are the columns kept); the pane of such a
    row is its own event time, and ``pane`` only the grain of statistics. ``stamp`` is the type of
    event times; it follows from the stream.
    """

    identity: str
    kind: StateKind
    owner: str
    where: Expression | None
    keys: tuple[Named, ...]
    pane: int
    offset: int
    partials: tuple[Partial, ...]
    stamp: Stamp = "timestamp"
    input: Schema = NOTHING  # columns that the expressions read

    @property
    def is_sketched(self) -> bool:
        return any(part.is_sketch for part in self.partials)

    @property
    def parts(self) -> Schema:
        """The partials as columns, which answers are read from."""
        return Schema(tuple(Column(part.name, part.kind) for part in self.partials))
