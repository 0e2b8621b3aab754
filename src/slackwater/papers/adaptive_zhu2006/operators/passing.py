"""Operators without a state: select, project by position and by column ID, union, split.

Reference: Zhu 2006, ch. 13 and 20. A project by position drops what stands at certain places, as
CAPE does; one by ID looks for the columns, wherever they stand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from slackwater.papers.adaptive_zhu2006.operators.operator import Operator
from slackwater.papers.adaptive_zhu2006.operators.plan import Project, Schema, Select
from slackwater.papers.adaptive_zhu2006.operators.query import Column
from slackwater.papers.adaptive_zhu2006.operators.row import Item, Row, Single
from slackwater.papers.adaptive_zhu2006.operators.shared_queue import Cursor, SharedQueue

Addressing = Literal["position", "id"]


class SelectOperator(Operator):
    """Hands on the rows for which its condition holds."""

    def __init__(self, node: Select, inputs: list[Cursor]) -> None:
        super().__init__(node, inputs)
        self._condition = node.condition

    def take(self, port: int, row: Row) -> None:
        if self._condition.holds(row):
            self.emit(row)


class ProjectOperator(Operator):
    """Hands on every row without some columns. ``schema`` is what its input should have."""

    def __init__(
        self, node: Project, inputs: list[Cursor], schema: Schema, addressing: Addressing
    ) -> None:
        super().__init__(node, inputs)
        self._drop = node.drop
        self._addressing = addressing
        self._places = {
            stream: tuple(n for n, name in enumerate(names) if Column(stream, name) in node.drop)
            for stream, names in schema.items()
        }

    def take(self, port: int, row: Row) -> None:
        self.emit(self.project(row))

    def project(self, row: Row) -> Row:
        if self._addressing == "id":
            return without(row, self._drop)
        singles = (without_places(one, self._places[one.stream]) for one in row.parts.values())
        return Row.of(*singles)


def without(row: Row, drop: frozenset[Column]) -> Row:
    """A row without some columns, by their IDs."""
    return Row.of(
        *(
            without_places(
                one,
                tuple(n for n, name in enumerate(one.columns) if Column(one.stream, name) in drop),
            )
            for one in row.parts.values()
        )
    )


def without_places(single: Single, places: tuple[int, ...]) -> Single:
    """A singleton without the columns that stand at some places."""
    if not places:
        return single
    keep = [n for n in range(len(single.columns)) if n not in places]
    columns = tuple(single.columns[n] for n in keep)
    return replace(single, columns=columns, values=tuple(single.values[n] for n in keep))


def stuffed(row: Row, schema: Schema) -> Row:
    """A row with a null for every column of the schema that it lacks, each at its place."""
    return Row.of(
        *(
            replace(
                one,
                columns=schema[one.stream],
                values=tuple(one.value(name) for name in schema[one.stream]),
            )
            for one in row.parts.values()
        )
    )


class Union:
    """Merges queues into one: in the order of time if asked, else as rows come."""

    def __init__(self, inputs: list[Cursor], *, is_ordered: bool = False) -> None:
        self._inputs = inputs
        self._is_ordered = is_ordered
        self.output = SharedQueue()

    def run(self) -> None:
        """Read what there is; an ordered union stops as soon as an input has nothing to compare."""
        while waiting := [cursor for cursor in self._inputs if len(cursor)]:
            if self._is_ordered and len(waiting) < len(self._inputs):
                return
            self.output.append(min(waiting, key=_front_time).next())


class Split:
    """Sends every item of a queue to the output that a function names, or to several."""

    def __init__(
        self, source: Cursor, outputs: int, route: Callable[[Item], tuple[int, ...]]
    ) -> None:
        self._source, self._route = source, route
        self.outputs = [SharedQueue() for _ in range(outputs)]

    def run(self) -> None:
        while len(self._source):
            item = self._source.next()
            for number in self._route(item):
                self.outputs[number].append(item)


def _front_time(cursor: Cursor) -> float:
    item = cursor.front()
    return item.max_ts if isinstance(item, Row) else item.ts if item is not None else 0.0
