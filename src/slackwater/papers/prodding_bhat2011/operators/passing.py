"""Operators without state: they pass prods on, and rewrite what they rename.

A prod is never held back, not even where it selects nothing downstream. Where an attribute
disappears, a prod's constraint on it cannot be kept above: it goes on without it, told as widened.
A *punctuation* with such a constraint ends: without it, it would assert too much.

Reference: Bhat 2011, ch. 3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from slackwater.errors import SlackwaterError
from slackwater.papers.prodding_bhat2011.operators.element import (
    TS,
    DataTuple,
    Output,
    Punctuation,
    Row,
)
from slackwater.papers.prodding_bhat2011.operators.operator import Operator
from slackwater.papers.prodding_bhat2011.operators.predicate import (
    Anything,
    Eq,
    In,
    Le,
    Predicate,
    Range,
)
from slackwater.papers.prodding_bhat2011.operators.prod import Prod


class Select(Operator):
    """Tuples that satisfy a condition; everything else passes."""

    def __init__(self, condition: Callable[[Row], bool]) -> None:
        self._condition = condition

    def take(self, element: Output, now: int, port: int = 0) -> list[Output]:
        if isinstance(element, DataTuple) and not self._condition(element.row):
            return []
        return [element]


class Project(Operator):
    """Attributes that are kept, by their names below and above.

    >>> Project({"ts": "ts", "sensor": "road"}).widened
    0
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        if names.get(TS, TS) != TS or TS not in names:
            raise SlackwaterError(
                "PROJECT_INVALID", "project: the application time must stay", f"keep {TS!r}"
            )
        self._names = dict(names)
        self.widened = 0

    def take(self, element: Output, now: int, port: int = 0) -> list[Output]:
        match element:
            case DataTuple(row):
                kept = {above: row[below] for below, above in self._names.items()}
                return [replace(element, row=kept)]
            case Punctuation():
                if any(name not in self._names for name, _ in element.attributes):
                    return []
                return [self._renamed(element)]
            case Prod():
                for name, _ in element.attributes:
                    if name not in self._names:
                        self.widened += 1
                        element = element.without(name)
                return [self._renamed(element)]
        return [element]

    def _renamed(self, pattern: Punctuation | Prod) -> Punctuation | Prod:
        names = tuple((self._names[name], one) for name, one in pattern.attributes)
        return replace(pattern, attributes=names)


class Map(Operator):
    """An attribute becomes a function of itself.

    Parameters
    ----------
    is_increasing
        The function is strictly increasing, so that predicates can be translated; if not, they are
        treated like those on an attribute that disappears.
    """

    def __init__(
        self, name: str, function: Callable[[Any], Any], *, is_increasing: bool = False
    ) -> None:
        self._name, self._function, self._is_increasing = name, function, is_increasing
        self.widened = 0

    def take(self, element: Output, now: int, port: int = 0) -> list[Output]:
        if isinstance(element, DataTuple):
            value = self._function(element.row[self._name])
            return [replace(element, row={**element.row, self._name: value})]
        if not isinstance(element, Punctuation | Prod) or self._name not in dict(
            element.attributes
        ):
            return [element]
        if self._is_increasing:
            named = dict(element.attributes)
            named[self._name] = self._translated(named[self._name])
            return [replace(element, attributes=tuple(named.items()))]
        if isinstance(element, Punctuation):
            return []
        self.widened += 1
        return [element.without(self._name)]

    def _translated(self, predicate: Predicate) -> Predicate:
        function = self._function
        match predicate:
            case Eq(value):
                return Eq(function(value))
            case Le(bound):
                return Le(function(bound))
            case Range(low, high):
                return Range(function(low), function(high))
            case In(values):
                return In.of(function(value) for value in values)
            case Anything():
                return predicate


class Relay(Operator):
    """Results of one window aggregate as tuples for windows of another length.

    A result's time is the last instant of its window; windows are ``slide`` apart. Patterns on ids
    turn back into patterns on time: below this the plan is just another stream.
    """

    def __init__(self, slide: int) -> None:
        self._slide = slide

    def take(self, element: Output, now: int, port: int = 0) -> list[Output]:
        if not isinstance(element, Punctuation | Prod):
            return [element]
        return [replace(element, time=self._ends(element.time))]

    def _ends(self, time: Predicate) -> Predicate:
        def end(number: Any) -> int:
            return (int(number) + 1) * self._slide

        match time:
            case Eq(value):
                return Eq(end(value))
            case Le(bound):
                return Le(end(bound))
            case Range(low, high):  # windows low … high are closed: their last instants are
                return Range(end(low) - 1, end(high) - 1)
            case In(values):
                return In.of(end(value) for value in values)
            case Anything():
                return time
