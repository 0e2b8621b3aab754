"""Rows: singletons as they arrived, and combined ones with a timestamp for every sub-tuple.

Reference: Zhu 2006, ch. 10 and 15 (combined timestamps). The *epoch* of a sub-tuple is the
number of the last migration that it entered a box in; a combined row has the least of its
sub-tuples', so it counts as new only if all of them are.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True, slots=True, eq=False)
class Single:
    """A tuple of one stream; ``ts`` in milliseconds, ``seq`` its number within the stream."""

    stream: str
    ts: int
    seq: int
    columns: tuple[str, ...]
    values: tuple[Any, ...]
    epoch: int = 0

    def value(self, column: str) -> Any:
        """By the column's name, wherever it stands; unknown if it was projected away."""
        return self.values[self.columns.index(column)] if column in self.columns else None


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """Sub-tuples by stream. Two rows are the same only if they are the same object."""

    parts: dict[str, Single]
    min_ts: int
    max_ts: int
    epoch: int

    @classmethod
    def of(cls, *singles: Single) -> Row:
        """Some singletons together.

        >>> a, b = Single("A", 7, 0, (), ()), Single("B", 4, 0, (), ())
        >>> Row.of(a, b).times
        {'A': 7, 'B': 4}
        """
        parts = {one.stream: one for one in singles}
        times = [one.ts for one in singles]
        return cls(parts, min(times), max(times), min(one.epoch for one in singles))

    def merge(self, other: Row) -> Row:
        return Row(
            {**self.parts, **other.parts},
            min(self.min_ts, other.min_ts),
            max(self.max_ts, other.max_ts),
            min(self.epoch, other.epoch),
        )

    def stamped(self, epoch: int) -> Row:
        """As it enters a box during the migration of this number: new, whatever it was before."""
        return Row.of(*(replace(one, epoch=epoch) for one in self.parts.values()))

    @property
    def times(self) -> dict[str, int]:
        """The vector of timestamps."""
        return {stream: one.ts for stream, one in sorted(self.parts.items())}

    @property
    def identity(self) -> tuple[tuple[str, int], ...]:
        """Which tuples of which streams."""
        return tuple(sorted((stream, one.seq) for stream, one in self.parts.items()))

    @property
    def record(self) -> Hashable:
        """Identity and what the columns hold: equal for equal results, whichever plan gave them."""
        return tuple(
            (stream, one.seq, tuple(sorted(zip(one.columns, one.values, strict=True))))
            for stream, one in sorted(self.parts.items())
        )


@dataclass(frozen=True, slots=True)
class Punctuation:
    """Says that no tuple up to and including ``ts`` follows. ``is_cut`` marks a synchronisation."""

    ts: float
    is_cut: bool = False


Item = Row | Punctuation


def time_of(item: Item) -> float:
    """What queues are ordered by: the newest sub-tuple's timestamp, or the punctuation's."""
    return item.max_ts if isinstance(item, Row) else item.ts
