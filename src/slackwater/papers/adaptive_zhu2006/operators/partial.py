"""Partial aggregates: what is known of some values of a group, and values that come and go.

Reference: Zhu 2006, ch. 2 and 14. A raw value and a partial aggregate are interchangeable: the
former is the partial aggregate of itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Partial:
    """Count, sum, least and greatest of some values."""

    count: int
    total: float
    least: float
    most: float

    @classmethod
    def of(cls, value: Any) -> Partial:
        """A value, or a partial aggregate as it is.

        >>> Partial.of(4).merge(Partial.of(6)).total
        10
        """
        return value if isinstance(value, Partial) else cls(1, value, value, value)

    def merge(self, other: Partial) -> Partial:
        return Partial(
            self.count + other.count,
            self.total + other.total,
            min(self.least, other.least),
            max(self.most, other.most),
        )


@dataclass(slots=True)
class Running:
    """A group whose values come and go. Extremes need all values that are there."""

    count: int = 0
    total: float = 0
    lows: Counter[float] = field(default_factory=Counter)
    highs: Counter[float] = field(default_factory=Counter)

    def add(self, one: Partial) -> None:
        self.count += one.count
        self.total += one.total
        self.lows[one.least] += 1
        self.highs[one.most] += 1

    @property
    def partial(self) -> Partial:
        """All values that are there."""
        return Partial(self.count, self.total, min(self.lows), max(self.highs))

    def retract(self, one: Partial) -> None:
        self.count -= one.count
        self.total -= one.total
        for values, value in ((self.lows, one.least), (self.highs, one.most)):
            values[value] -= 1
            if not values[value]:
                del values[value]


AGGREGATES: Mapping[str, Callable[[Running], float]] = {
    "count": lambda group: group.count,
    "sum": lambda group: group.total,
    "min": lambda group: min(group.lows),
    "max": lambda group: max(group.highs),
    "avg": lambda group: group.total / group.count,
}

# F with A(D1 ∪ D2) = F(A(D1), A(D2)) for disjoint D1, D2; an average has none
COMBINED: Mapping[str, Callable[[float, float], float]] = {
    "count": lambda one, other: one + other,
    "sum": lambda one, other: one + other,
    "min": min,
    "max": max,
}
