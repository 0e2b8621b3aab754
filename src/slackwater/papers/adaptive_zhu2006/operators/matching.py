"""Which state of an old box becomes which of a new one, and what is done to it on the way.

Reference: Zhu 2006, ch. 12 (by schema) and 13 (bit-maps; filtering, projecting, stuffing).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from slackwater.papers.adaptive_zhu2006.operators.box import Box
from slackwater.papers.adaptive_zhu2006.operators.passing import stuffed, without
from slackwater.papers.adaptive_zhu2006.operators.plan import (
    Condition,
    Join,
    Plan,
    Project,
    Schema,
    Select,
    Source,
    inputs_of,
    nodes_of,
    schema_of,
    streams_of,
)
from slackwater.papers.adaptive_zhu2006.operators.query import Column, Query
from slackwater.papers.adaptive_zhu2006.operators.row import Row

Elementary = Condition | Column  # a select condition, or a column that is projected away


@dataclass(frozen=True, slots=True)
class Place:
    """The state of one input of a join."""

    node: Plan
    port: int

    @property
    def child(self) -> Plan:
        return inputs_of(self.node)[self.port]


@dataclass(frozen=True, slots=True)
class Step:
    """What is done to every row of a state while it moves."""

    kind: Literal["filter", "project", "stuff"]
    what: Elementary | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """The old state that becomes a new one; ``schema`` is what the new one's rows have."""

    old: Place
    steps: tuple[Step, ...] = ()
    schema: Schema | None = None

    def applied(self, rows: Iterable[Row]) -> list[Row]:
        return [row for one in rows if (row := self._one(one)) is not None]

    def _one(self, row: Row) -> Row | None:
        for step in self.steps:
            if step.kind == "filter" and isinstance(step.what, Condition):
                if not step.what.holds(row):
                    return None
            elif step.kind == "project" and isinstance(step.what, Column):
                row = without(row, frozenset((step.what,)))
            elif step.kind == "stuff" and self.schema is not None:
                row = stuffed(row, self.schema)
        return row


def states_of(box: Box) -> list[Place]:
    return [
        Place(node, port)
        for node in box.inside
        if isinstance(node, Join)
        for port in range(len(node.inputs))
    ]


def by_schema(old: Box, new: Box, query: Query) -> Mapping[Place, Match]:
    """Equal columns, equal state: enough where joins are all that a box has."""
    known = {_schema_key(place, query): place for place in states_of(old)}
    return {
        place: Match(known[key])
        for place in states_of(new)
        if (key := _schema_key(place, query)) in known
    }


def by_meaning(old: Box, new: Box, query: Query) -> Mapping[Place, Match]:
    """Bit-maps where there are selects and projects, else schemas."""
    has_others = any(not isinstance(n, Join) for box in (old, new) for n in box.inside)
    return by_bitmap(old, new, query) if has_others else by_schema(old, new, query)


def elementary(old: Box, new: Box) -> tuple[Elementary, ...]:
    """Every select condition and every projected column of either box, in one order."""
    found: dict[Elementary, None] = {}
    for node in (node for box in (old, new) for root in box.roots for node in nodes_of(root)):
        found |= dict.fromkeys(_elements(node))
    return tuple(found)


def bitmaps(
    box: Box, predicates: tuple[Elementary, ...]
) -> dict[Place, tuple[frozenset[str], tuple[int, ...]]]:
    """For every state its streams and which predicates were applied below it.

    From every stream up to the root, as the source work does: the bits of a way are those of the
    selects and projects on it and of the states that it passes.
    """
    bits = {place: [0] * len(predicates) for place in states_of(box)}
    for root in box.roots:
        for way in _ways(root):
            _walk(way, predicates, bits)
    return {place: (streams_of(place.child), tuple(found)) for place, found in bits.items()}


def by_bitmap(old: Box, new: Box, query: Query) -> Mapping[Place, Match]:
    """States over the same streams; a bit that differs is a step on the way."""
    predicates = elementary(old, new)
    before, after = bitmaps(old, predicates), bitmaps(new, predicates)
    by_streams = {streams: (place, bits) for place, (streams, bits) in before.items()}
    matches = {}
    for place, (streams, bits) in after.items():
        if streams in by_streams:
            found, had = by_streams[streams]
            steps = _steps(predicates, had, bits)
            schema = schema_of(place.child, query)
            matches[place] = Match(found, steps, schema)
    return matches


def _steps(
    predicates: tuple[Elementary, ...], had: tuple[int, ...], has: tuple[int, ...]
) -> tuple[Step, ...]:
    steps = []
    for what, before, after in zip(predicates, had, has, strict=True):
        if (before, after) == (0, 1):
            steps.append(Step("filter" if isinstance(what, Condition) else "project", what))
        elif (before, after) == (1, 0) and isinstance(what, Column):
            steps.append(Step("stuff", what))
    # conditions first: they may need a column that is projected away
    return tuple(sorted(steps, key=lambda step: step.kind))


def _elements(node: Plan) -> list[Elementary]:
    if isinstance(node, Select):
        return [node.condition]
    return sorted(node.drop, key=str) if isinstance(node, Project) else []


def _ways(node: Plan) -> list[list[tuple[Plan, int]]]:
    """From every leaf to this node: the nodes above it, and by which input."""
    if isinstance(node, Source):
        return [[]]
    return [
        [*way, (node, port)] for port, below in enumerate(inputs_of(node)) for way in _ways(below)
    ]


def _walk(
    way: list[tuple[Plan, int]],
    predicates: tuple[Elementary, ...],
    bits: dict[Place, list[int]],
) -> None:
    current = [0] * len(predicates)
    for node, port in way:
        for one in _elements(node):
            current[predicates.index(one)] = 1
        if (place := Place(node, port)) in bits:
            merged = [max(a, b) for a, b in zip(bits[place], current, strict=True)]
            bits[place] = merged
            current = list(merged)


def _schema_key(place: Place, query: Query) -> frozenset[tuple[str, tuple[str, ...]]]:
    return frozenset(schema_of(place.child, query).items())
