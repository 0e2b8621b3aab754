"""Columns and their types, as SQL names (``bigint``, ``timestamp``, ``decimal(10,2)``)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """A named column with its SQL type in Spark's spelling.

    ``of`` tells for a column of a join which stream it comes from and its name there.
    """

    name: str
    type: str
    of: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Schema:
    """The columns of a stream, in order."""

    columns: tuple[Column, ...]

    @classmethod
    def of(cls, **types: str) -> Schema:
        """A schema from keyword arguments.

        >>> Schema.of(ts="timestamp", v="double").names
        ('ts', 'v')
        """
        return cls(tuple(Column(name, kind) for name, kind in types.items()))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def type_of(self, name: str) -> str | None:
        """The type of a column, ``None`` if there is no such column."""
        return next((c.type for c in self.columns if c.name == name), None)

    def find(self, name: str, stream: str | None = None) -> tuple[str, ...]:
        """The columns that ``name`` or ``stream.name`` may mean; case does not matter."""
        wanted = name.lower()
        if stream is None:
            whole = tuple(c.name for c in self.columns if c.name.lower() == wanted)
            bare = (c.name for c in self.columns if c.of and c.of[1].lower() == wanted)
            return whole[:1] or tuple(bare)
        source = stream.lower()
        mine = (c for c in self.columns if c.of and c.of[0].lower() == source)
        return tuple(c.name for c in mine if c.of and c.of[1].lower() == wanted)

    def to_json(self) -> list[list[str]]:
        return [[c.name, c.type] for c in self.columns]


NOTHING = Schema(())
