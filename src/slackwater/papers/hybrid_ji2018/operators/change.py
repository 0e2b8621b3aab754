"""What a move of the windows changes in a relation: rows that came, and rows that went."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

Row = tuple[Any, ...]


class Change(NamedTuple):
    """Rows in the order in which they came; and went."""

    came: list[Row]
    went: list[Row]


class Meaning(NamedTuple):
    """An expression for the row engine: its text is for the other one."""

    columns: tuple[str, ...]
    value: Callable[..., Any]

    def over(self, columns: tuple[str, ...]) -> Callable[[Row], Any]:
        """The same as a function of a row."""
        value = self.value
        places = [columns.index(name) for name in self.columns]
        if len(places) == 1:
            only = places[0]
            return lambda row: value(row[only])
        first, second = places
        return lambda row: value(row[first], row[second])


Meanings = dict[str, Meaning]
