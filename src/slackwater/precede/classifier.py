"""Rank classifier: what the levels at one place make of a row (spec precedence A4, 2.4)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

from slackwater.precede.domain import Domain
from slackwater.precede.level import DynamicLevel, StaticLevel
from slackwater.precede.predicate import Row
from slackwater.precede.standing import NOWHERE, Standing


class Judged(Protocol):
    """What a classifier asks of a row, or of a kind of rows."""

    def meets(self, level: StaticLevel) -> bool: ...

    def values(self, attribute: str) -> Iterable[Hashable]:
        """The values of an attribute: none, one, or several where a column holds a set."""
        ...


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """A row, with ranges in the place of values of continuous attributes."""

    row: Row
    domain: Domain = Domain()  # noqa: RUF009 - a value

    def meets(self, level: StaticLevel) -> bool:
        return level.condition.holds(self.row)

    def values(self, attribute: str) -> Iterable[Hashable]:
        return self.domain.values(attribute, self.row.get(attribute))


@dataclass(frozen=True)
class Assessment:
    """The levels that one classifier tests (S_AS and D_AS)."""

    static: tuple[StaticLevel, ...] = ()
    dynamic: tuple[DynamicLevel, ...] = ()

    @cached_property
    def ranks(self) -> tuple[int, ...]:
        return tuple(sorted({*self.static_by_rank, *self.dynamic_by_rank}))

    @cached_property
    def static_by_rank(self) -> dict[int, list[StaticLevel]]:
        found: dict[int, list[StaticLevel]] = defaultdict(list)
        for level in self.static:
            found[level.rank].append(level)
        return dict(found)

    @cached_property
    def dynamic_by_rank(self) -> dict[int, dict[str, dict[Hashable, int]]]:
        """The furthest designated operator by rank, attribute and value: one look is one test."""
        found: dict[int, dict[str, dict[Hashable, int]]] = {}
        for level in self.dynamic:
            values = found.setdefault(level.rank, {}).setdefault(level.attribute, {})
            values[level.value] = max(values.get(level.value, NOWHERE), level.until)
        return found

    @cached_property
    def furthest(self) -> dict[int, int]:
        """The furthest designated operator of each rank."""
        found: dict[int, int] = {}
        for level in self.dynamic:
            found[level.rank] = max(found.get(level.rank, NOWHERE), level.until)
        return found


EMPTY = Assessment()


class Classified(NamedTuple):
    """What became of a row, and how many tests that took."""

    standing: Standing
    static_tests: int = 0
    dynamic_tests: int = 0


def can_gain(standing: Standing, at: Assessment) -> bool:
    """Whether a row should visit a classifier at all; else it is led around it (2.4)."""
    if any(rank < standing.significant for rank in at.static_by_rank):
        return True
    longer = at.furthest.get(standing.promising, NOWHERE) > standing.until
    if longer and standing.promising < standing.significant:
        return True
    return any(rank < standing.rank for rank in at.furthest)


def classify(standing: Standing, at: Assessment, row: Judged) -> Classified:
    """Most critical first; a static hit ends the dynamic tests of its rank and of those behind.

    A dynamic hit ends no static test: significance lasts longer than promise (2.3).
    """
    significant, promising, until = standing.significant, standing.promising, standing.until
    static_tests = dynamic_tests = 0
    for rank in at.ranks:
        if rank < significant:
            hit, tests = _static_hit(at.static_by_rank.get(rank, ()), row)
            static_tests += tests
            significant = rank if hit else significant
        if rank < significant and rank <= promising:
            reached, tests = _dynamic_hit(at.dynamic_by_rank.get(rank, {}), row)
            dynamic_tests += tests
            if reached and (rank < promising or reached > until):
                promising, until = rank, reached
    return Classified(Standing(significant, promising, until), static_tests, dynamic_tests)


def _static_hit(levels: Iterable[StaticLevel], row: Judged) -> tuple[bool, int]:
    tests = 0
    for level in levels:
        tests += 1
        if row.meets(level):
            return True, tests
    return False, tests


def _dynamic_hit(attributes: dict[str, dict[Hashable, int]], row: Judged) -> tuple[int, int]:
    """The furthest designated operator that a row promises something for."""
    reached, tests = NOWHERE, 0
    for attribute, values in attributes.items():
        for value in row.values(attribute):
            tests += 1
            reached = max(reached, values.get(value, NOWHERE))
    return reached, tests
