"""Columns and their types, as SQL names (``bigint``, ``timestamp``, ``decimal(10,2)``)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """A named column with its SQL type in Spark's spelling."""

    name: str
    type: str


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

    def to_json(self) -> list[list[str]]:
        return [[c.name, c.type] for c in self.columns]
