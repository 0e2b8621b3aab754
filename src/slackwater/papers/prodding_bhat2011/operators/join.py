"""A window join among prods: it has nothing to be swept out.

A join gives its matches as they occur, so a prod passes at once and purges nothing. Unmatched
tuples of an outer join are told for good only when their time is over; on a prod provisionally.

Reference: Bhat 2011, ch. 3.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace

from slackwater.papers.prodding_bhat2011.operators.element import (
    TS,
    DataTuple,
    Output,
    Punctuation,
    Row,
)
from slackwater.papers.prodding_bhat2011.operators.operator import Operator
from slackwater.papers.prodding_bhat2011.operators.predicate import Le
from slackwater.papers.prodding_bhat2011.operators.prod import Prod
from slackwater.papers.prodding_bhat2011.operators.union import Alignment


@dataclass(slots=True)
class Side:
    """A tuple of a join and whether it found a partner."""

    row: Row
    arrived: int | None
    is_matched: bool = False


class Join(Operator):
    """Pairs of tuples with equal keys and times no further apart than ``within``.

    Parameters
    ----------
    key
        Attributes that must be equal.
    within
        Largest distance of their times.
    is_outer
        Tuples of input 0 without a partner are given alone: for good when no partner can come any
        more, and provisionally when a prod asks.
    """

    def __init__(
        self,
        key: tuple[str, ...],
        within: int,
        *,
        is_outer: bool = False,
        is_aligned: bool = False,
    ) -> None:
        self._key, self._within, self._is_outer = key, within, is_outer
        self._alignment = Alignment(2, is_aligned=is_aligned)
        self.sides: tuple[dict[Hashable, list[Side]], dict[Hashable, list[Side]]] = ({}, {})

    def take(self, element: Output, now: int, port: int = 0) -> list[Output]:
        match element:
            case DataTuple():
                return list(self._matches(element, port))
            case Prod():
                asked = self._alignment.ask(element, port)
                return [*self._unmatched(element), *asked] if asked else []
            case Punctuation():
                agreed = self._alignment.punctuate(element, port)
                return [*self._expire(), *map(self._held, agreed)] if agreed else []
        return [element]

    def _matches(self, element: DataTuple, port: int) -> Iterator[DataTuple]:
        key = tuple(element.row[name] for name in self._key)
        new = Side(element.row, element.arrived)
        for other in self.sides[1 - port].get(key, ()):
            if abs(other.row[TS] - new.row[TS]) <= self._within:
                if element.provisional is None:
                    other.is_matched = True
                new.is_matched = True
                left, right = (new, other) if port == 0 else (other, new)
                time = max(left.row[TS], right.row[TS])
                row = {**right.row, **left.row, TS: time}
                yield DataTuple(row, None, element.provisional)
        if element.provisional is None:
            self.sides[port].setdefault(key, []).append(new)

    def _unmatched(self, prod: Prod) -> Iterator[DataTuple]:
        if not self._is_outer:
            return
        for entries in self.sides[0].values():
            for side in entries:
                if not side.is_matched and prod.matches(side.row):
                    yield DataTuple(side.row, None, prod.id)

    def _held(self, punctuation: Punctuation) -> Punctuation:
        """An outer tuple may still follow alone, as late as its partners may come."""
        if not self._is_outer or self._alignment.bound is None:
            return punctuation
        return replace(punctuation, time=Le(self._alignment.bound - self._within))

    def _expire(self) -> Iterator[DataTuple]:
        """Forget what no partner can follow for; give outer tuples that stayed alone."""
        bound = self._alignment.bound
        assert bound is not None
        for port, side in enumerate(self.sides):
            for key in list(side):
                over = [one for one in side[key] if one.row[TS] + self._within < bound]
                side[key] = [one for one in side[key] if one.row[TS] + self._within >= bound]
                if not side[key]:
                    del side[key]
                if self._is_outer and port == 0:
                    yield from (DataTuple(one.row) for one in over if not one.is_matched)
