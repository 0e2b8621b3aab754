"""Values by which rows are counted: as they are, or the range they fall into (spec 2.8, G21)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from math import inf
from typing import Any


@dataclass(frozen=True, slots=True)
class Range:
    """From ``low`` to below ``high``."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Domain:
    """Where the ranges of continuous attributes meet, by attribute; other values stand for
    themselves.

    >>> Domain((("S.price", (10.0, 20.0)),)).values("S.price", 12.5)
    (Range(low=10.0, high=20.0),)
    """

    boundaries: tuple[tuple[str, tuple[float, ...]], ...] = ()

    def values(self, attribute: str, value: Any) -> Iterable[Hashable]:
        """What a value counts as: nothing for none, each member of a set."""
        if value is None:
            return ()
        cuts = next((cuts for name, cuts in self.boundaries if name == attribute), None)
        if cuts is not None:
            return (_range(value, cuts),)
        return value if isinstance(value, frozenset) else (value,)


def equal_widths(low: float, high: float, count: int) -> tuple[float, ...]:
    """Boundaries of ``count`` ranges of one width between two values."""
    return tuple(low + (high - low) * number / count for number in range(count + 1))


def _range(value: float, cuts: tuple[float, ...]) -> Range:
    at = bisect_right(cuts, value)
    return Range(cuts[at - 1] if at else -inf, cuts[at] if at < len(cuts) else inf)
