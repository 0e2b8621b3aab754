"""Aggregates as monoids: partial results of panes that combine into the result of a window.

A user-defined aggregate is one more ``Monoid``. As in SQL, ``None`` is no value (only ``COUNT``,
which counts rows, sees it), and the aggregate of no value is ``None`` (``COUNT``: 0).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import floor
from operator import add
from typing import Any, Generic, TypeVar

from slackwater.errors import SlackwaterError

V = TypeVar("V")
S = TypeVar("S")
R = TypeVar("R")


@dataclass(frozen=True)
class Monoid(Generic[V, S, R]):
    """An aggregate by its parts.

    Parameters
    ----------
    zero
        Partial result of no tuple.
    lift
        Partial result of one value.
    merge
        Combines two partial results; associative and commutative, ``zero`` is neutral. It returns
        a new partial and leaves its arguments alone.
    get
        The result of a partial.

    Examples
    --------
    >>> product = Monoid(zero=1, lift=lambda v: v, merge=lambda a, b: a * b, get=lambda s: s)
    >>> product.of([2, 3, 4])
    24
    """

    zero: S
    lift: Callable[[V], S]
    merge: Callable[[S, S], S]
    get: Callable[[S], R]

    def add(self, partial: S, value: V) -> S:
        """The partial with one more value."""
        return self.merge(partial, self.lift(value))

    def of(self, values: list[V]) -> R:
        """The aggregate of values at hand."""
        partial = self.zero
        for value in values:
            partial = self.add(partial, value)
        return self.get(partial)


def _same(value: Any) -> Any:
    return value


def _skipping_none(combine: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def merge(one: Any, other: Any) -> Any:
        if one is None or other is None:
            return one if other is None else other
        return combine(one, other)

    return merge


def _add_pairs(one: tuple[Any, int], other: tuple[Any, int]) -> tuple[Any, int]:
    return one[0] + other[0], one[1] + other[1]


COUNT: Monoid[Any, int, int] = Monoid(0, lambda _: 1, add, _same)
SUM: Monoid[Any, Any, Any] = Monoid(None, _same, _skipping_none(add), _same)
MIN: Monoid[Any, Any, Any] = Monoid(None, _same, _skipping_none(min), _same)
MAX: Monoid[Any, Any, Any] = Monoid(None, _same, _skipping_none(max), _same)
AVG: Monoid[Any, tuple[Any, int], float | None] = Monoid(
    zero=(0, 0),
    lift=lambda value: (0, 0) if value is None else (value, 1),
    merge=_add_pairs,
    get=lambda partial: partial[0] / partial[1] if partial[1] else None,
)


def paired(one: Monoid[V, Any, Any], other: Monoid[V, Any, Any]) -> Monoid[V, Any, Any]:
    """Two aggregates of the same values at once; the result is a pair.

    >>> paired(COUNT, SUM).of([4, 1, 2])
    (3, 7)
    """
    return Monoid(
        zero=(one.zero, other.zero),
        lift=lambda value: (one.lift(value), other.lift(value)),
        merge=lambda a, b: (one.merge(a[0], b[0]), other.merge(a[1], b[1])),
        get=lambda partial: (one.get(partial[0]), other.get(partial[1])),
    )


def quantile(p: float) -> Monoid[Any, tuple[Any, ...], float | None]:
    """The exact p-quantile, interpolated between neighbours like Spark's ``percentile``.

    The partial is the list of all values: exact quantiles are not incrementally computable.

    >>> quantile(0.5).of([4, 1, 2, 3])
    2.5
    """
    if not 0 <= p <= 1:
        raise SlackwaterError("QUANTILE_INVALID", f"quantile: p is {p}, allowed is 0 to 1")
    return Monoid(
        zero=(),
        lift=lambda value: () if value is None else (value,),
        merge=add,
        get=lambda values: _interpolate(sorted(values), p) if values else None,
    )


def _interpolate(ordered: list[Any], p: float) -> float:
    rank = p * (len(ordered) - 1)
    below = floor(rank)
    above = min(below + 1, len(ordered) - 1)
    return float(ordered[below] + (ordered[above] - ordered[below]) * (rank - below))
