"""Tables that rows of a stream look something up in."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from slackwater.query.schema import Schema
from slackwater.units import DurationLike


@dataclass(frozen=True, slots=True)
class TableDef:
    """A table: its name, columns, and where its rows are read from.

    ``refresh`` is how long a version is used, by the clock of the query; ``None`` for ever.
    ``source`` is opaque here; the engine knows how to read it.
    """

    name: str
    schema: Schema
    refresh: DurationLike | None = None
    source: Any = field(default=None, compare=False)

    def is_same(self, other: TableDef) -> bool:
        """Whether another one is this table: the same columns, from the same place."""
        is_place = isinstance(self.source, str | Path) and self.source == other.source
        return self == other and (self.source is other.source or is_place)
