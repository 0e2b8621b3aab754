"""Rows of streams, and rows that joins make of them, with what they carry about ranks (A2)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from slackwater.precede.standing import UNRANKED, Standing


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A row as it arrived: ``number`` counts all rows, ``seq`` those of its stream.

    ``ts`` is in microseconds. ``level`` is its potential static rank, whatever is active.
    """

    stream: str
    ts: int
    number: int
    seq: int
    level: int
    values: Mapping[str, Hashable]


@dataclass(slots=True, eq=False)
class Row:
    """A row on its way: the sources it is made of, the newest of them, and when it was born.

    Its lifespan runs from its oldest member, its window from its newest one (A6).
    """

    parts: tuple[Source, ...]
    newest: Source
    born: int
    level: int
    standing: Standing = UNRANKED
    arrival: int = 0

    def get(self, name: str) -> Hashable | None:
        """The value of a column ``stream.name``; ``None`` if no member has it."""
        for part in self.parts:
            if name in part.values:
                return part.values[name]
        return None


def row_of(source: Source) -> Row:
    return Row((source,), source, source.ts, source.level)


def merge(left: Row, right: Row) -> Row:
    """What a join makes of two rows."""
    newest = left.newest if left.newest.number > right.newest.number else right.newest
    return Row(
        (*left.parts, *right.parts),
        newest,
        min(left.born, right.born),
        min(left.level, right.level),
        left.standing.merge(right.standing),
    )
