"""Buckets: from a windowing attribute to ids of windows, for tuples and for patterns on them.

Window ``w`` covers ``[(w+1)·S − R, (w+1)·S)``: its id is the index of its last slide. A bucket is
the only stateless operator that rewrites prods, however mistimed they are. (It remembers which
times are closed, because range punctuations close a window piece by piece.)

Reference: Bhat 2011, ch. 2, 3.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any

from slackwater.errors import SlackwaterError
from slackwater.papers.prodding_bhat2011.operators.element import (
    FROM,
    ID,
    TO,
    TS,
    DataTuple,
    Output,
    Punctuation,
    Result,
)
from slackwater.papers.prodding_bhat2011.operators.intervals import (
    LOWEST,
    IntervalSet,
    intervals_of,
)
from slackwater.papers.prodding_bhat2011.operators.operator import Operator
from slackwater.papers.prodding_bhat2011.operators.predicate import (
    ANY,
    Anything,
    Eq,
    In,
    Le,
    Predicate,
    Range,
)
from slackwater.papers.prodding_bhat2011.operators.prod import Feedback, Prod

Closed = dict[tuple[tuple[str, Predicate], ...], IntervalSet]


class TimeBucket(Operator):
    """Application time, or any other whole number that progresses, to ids.

    Parameters
    ----------
    size, slide
        ``R`` and ``S`` in the unit of the attribute.
    attribute
        The windowing attribute. The time predicate of patterns is about ``ts``; for another
        attribute it is left to whoever knows ``ts``, and the predicate on that one counts.
    is_closed_bound
        ``[<= t]`` also excludes later tuples at ``t`` itself, so a window ending at t+1 closes.

    Examples
    --------
    >>> bucket = TimeBucket(60, 20)
    >>> bucket.ids(211), bucket.ids(230)
    ((10, 12), (11, 13))
    """

    def __init__(
        self, size: int, slide: int, attribute: str = TS, *, is_closed_bound: bool = False
    ) -> None:
        if size <= 0 or slide <= 0:
            raise SlackwaterError(
                "WINDOW_INVALID", f"bucket: size {size}, slide {slide}; both must be above 0"
            )
        self.size, self.slide, self.attribute = size, slide, attribute
        self.is_closed_bound = is_closed_bound
        self._closed: Closed = {}

    def ids(self, instant: int) -> tuple[int, int]:
        """First and last id of the windows that hold an instant."""
        return instant // self.slide, (instant + self.size) // self.slide - 1

    def take(self, element: Output, now: int, port: int = 0) -> list[Output]:
        if isinstance(element, DataTuple):
            first, last = self.ids(element.row[self.attribute])
            arrived = now if element.arrived is None else element.arrived
            row = {**element.row, FROM: first, TO: last}
            return [DataTuple(row, arrived, element.provisional)]
        if isinstance(element, Result):
            return [element]
        mine = _about(element, self.attribute)
        if isinstance(mine, Prod):
            return [replace(mine, time=self._asked(mine.time))]
        return [replace(mine, time=self._complete(mine))]

    def _asked(self, time: Predicate) -> Predicate:
        return _mapped(time, self.slide)

    def _complete(self, punctuation: Punctuation) -> Predicate:
        """Ids of windows that lie in what is closed by now."""
        known = self._closed.setdefault(punctuation.attributes, IntervalSet())
        found: Predicate = In(frozenset())
        for low, high in intervals_of(punctuation.time, is_closed=self.is_closed_bound):
            low, high = known.add(low, high)
            last = high // self.slide - 1
            first = -(-(low + self.size) // self.slide) - 1
            if low == LOWEST:
                return Le(last)
            if first <= last:
                found = Range(first, last)
        return found

    def back(self, feedback: Feedback, now: int) -> Feedback:
        time = _unmapped(feedback.time, lambda number: (number + 1) * self.slide)
        return replace(feedback, time=time)


class PaneToWindow(Operator):
    """Ids of panes to ids of windows.

    Parameters
    ----------
    panes
        ``W``: panes per window.
    step
        ``G``: panes per slide.
    """

    def __init__(self, panes: int, step: int) -> None:
        self.panes, self.step = panes, step
        self._closed: Closed = {}

    def take(self, element: Output, now: int, port: int = 0) -> list[Output]:
        if isinstance(element, DataTuple):
            pane = element.row[ID]
            first, last = pane // self.step, (pane + self.panes) // self.step - 1
            row = {**element.row, FROM: first, TO: last}
            return [DataTuple(row, element.arrived, element.provisional)]
        if isinstance(element, Result):
            return [element]
        if isinstance(element, Prod):
            # a bound on panes is inclusive: pane k itself is asked for
            return [replace(element, time=_mapped(element.time, self.step, shift=1))]
        return [replace(element, time=self._complete(element))]

    def _complete(self, punctuation: Punctuation) -> Predicate:
        known = self._closed.setdefault(punctuation.attributes, IntervalSet())
        found: Predicate = In(frozenset())
        for low, high in intervals_of(punctuation.time):
            low, high = known.add(low, high)
            if low == LOWEST:
                return Le(high // self.step - 1)
            first, last = -(-(low + self.panes) // self.step) - 1, high // self.step - 1
            if first <= last:
                found = Range(first, last)
        return found

    def back(self, feedback: Feedback, now: int) -> Feedback:
        time = _unmapped(feedback.time, lambda number: (number + 1) * self.step - 1)
        return replace(feedback, time=time)


class CountBucket(Operator):
    """Windows of tuples in the order of arrival: ``size`` of them, anew every ``slide``.

    The count is complete when it is reached, so the bucket closes windows by itself. What patterns
    say about time says nothing about counts: a prod asks for all open windows, as told by its
    widened flag; punctuations end here.
    """

    def __init__(self, size: int, slide: int) -> None:
        self._bucket = TimeBucket(size, slide, "count")
        self._count = 0
        self._idents = count(1)
        self.widened = 0

    def take(self, element: Output, now: int, port: int = 0) -> list[Output]:
        if isinstance(element, DataTuple):
            numbered = replace(element, row={**element.row, "count": self._count})
            out = self._bucket.take(numbered, now)
            if element.provisional is not None:
                return out  # it stands for a tuple that has not been counted yet
            self._count += 1
            if self._count % self._bucket.slide == 0:
                closed = Le(self._count // self._bucket.slide - 1)
                out.append(Punctuation(f"count {next(self._idents)}", closed))
            return out
        if isinstance(element, Prod):
            is_widened = element.time != ANY
            self.widened += is_widened
            return [replace(element, time=ANY, is_widened=element.is_widened or is_widened)]
        return [element] if isinstance(element, Result) else []


def _about(element: Punctuation | Prod, attribute: str) -> Punctuation | Prod:
    """The pattern with its time predicate about the windowing attribute."""
    if attribute == TS:
        return element
    named = dict(element.attributes)
    time = named.pop(attribute, ANY)
    if element.time != ANY:
        named[TS] = element.time
    return replace(element, time=time, attributes=tuple(named.items()))


def _mapped(time: Predicate, slide: int, shift: int = 0) -> Predicate:
    """Windows that end where a prod says, as ids."""

    def last(bound: Any) -> int:
        return (int(bound) + shift) // slide - 1

    match time:
        case Anything():
            return ANY
        case Eq(value):
            return Eq(last(value))
        case Le(bound):
            return Le(last(bound))
        case Range(low, high):
            first = -(-(int(low) + shift) // slide) - 1
            return Range(first, last(high)) if first <= last(high) else In(frozenset())
        case In(values):
            return In.of(last(value) for value in values)


def _unmapped(time: Predicate, turn: Callable[[Any], int]) -> Predicate:
    """Ids, as what they stand for below."""
    match time:
        case Anything():
            return ANY
        case Eq(value):
            return Eq(turn(value))
        case Le(bound):
            return Le(turn(bound))
        case Range(low, high):
            return Range(turn(low), turn(high))
        case In(values):
            return In.of(turn(value) for value in values)
