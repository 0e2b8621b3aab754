"""State: what rows that are kept mean, not where in a plan they sit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from slackwater.plan.graph import conjuncts
from slackwater.plan.node import Lookup, Named, Stamp
from slackwater.plan.partial import Partial
from slackwater.query.expression import Expression
from slackwater.query.schema import NOTHING, Column, Schema

StateKind = Literal["panes", "rows", "input"]


@dataclass(frozen=True, slots=True)
class State:
    """What is kept for a stage.

    ``panes``: merged partials per pane and key, and per distinct value where some are kept.
    ``rows``: the input rows themselves, latest revision wins; kept where an input row can still be
    revised, because a maximum cannot forget. ``input``: raw rows of one input of a join (``keys``
    are the columns kept); the pane of such a row is its own event time, and ``pane`` only the grain
    of statistics. ``stamp`` is the type of event times; it follows from the stream.
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
    lookups: tuple[Lookup, ...] = ()  # tables that some of these columns come from

    @property
    def is_sketched(self) -> bool:
        return any(part.is_sketch for part in self.partials)

    @property
    def is_exact(self) -> bool:
        """Whether answers are read off values that are kept, not off totals alone."""
        return any(part.is_value or part.is_timed for part in self.partials)

    @property
    def own_where(self) -> Expression | None:
        """What of the filter can be asked of a row by itself, before it looks anything up."""
        if self.where is None or not self.lookups:
            return self.where
        asked = {c.name for one in self.lookups for c in self.read_of(one.table)}
        parts = [part.sql for part in conjuncts(self.where) if not part.columns & asked]
        return Expression(" AND ".join(f"({part})" for part in parts)) if parts else None

    def read_of(self, table: str) -> tuple[Column, ...]:
        """The columns of a table that the rows of this state need."""
        read = set(self.where.columns) if self.where is not None else set()
        texts = [value for _, value in self.keys]
        texts += [Expression(part.sql) for part in self.partials]
        texts += [value for one in self.lookups for value, _ in one.on]
        for text in texts:
            read |= text.columns
        read |= {name for one in self.lookups if one.table == table for _, name in one.on}
        mine = (c for c in self.input.columns if c.of is not None and c.of[0] == table)
        return tuple(c for c in mine if c.name in read and c.name == f"{table}_{c.of[1]}")  # type: ignore[index]

    @property
    def parts(self) -> Schema:
        """The partials as columns, which answers are read from."""
        return Schema(tuple(Column(part.name, part.kind) for part in self.partials))
