"""The row engine: each operator takes one row after the other (Ji 2018, ch. 6).

COUNT, SUM and AVG follow the rows that come and go; other aggregates look through their window
whenever it moves. What is joined is found by hash.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from itertools import repeat
from typing import Any, Protocol

from slackwater.hybrid.algebra import Aggregate, Join, Project, Select, Step, columns, inputs
from slackwater.papers.hybrid_ji2018.operators.change import Change, Meanings, Row


class RowOperator(Protocol):
    """Changes of its inputs in, the change of its own relation out."""

    def update(self, *changes: Change) -> Change: ...


def row_operator(step: Step, meanings: Meanings) -> RowOperator:
    """The operator of a step."""
    below = [columns(one) for one in inputs(step)]
    match step:
        case Select():
            return RowSelect(meanings[step.predicate].over(below[0]))
        case Project():
            return RowProject([meanings[text].over(below[0]) for _, text in step.columns])
        case Join():
            return RowJoin(step, below[0], below[1])
        case Aggregate():
            kind = RowIncrements if step.is_incremental else RowScans
            return kind(step, below[0])


class RowSelect:
    """Rows that a predicate keeps."""

    def __init__(self, keeps: Callable[[Row], bool]) -> None:
        self._keeps = keeps

    def update(self, *changes: Change) -> Change:
        [change] = changes
        return Change(*([row for row in rows if self._keeps(row)] for rows in change))


class RowProject:
    """A row of expressions for each row."""

    def __init__(self, values: list[Callable[[Row], Any]]) -> None:
        self._values = values

    def update(self, *changes: Change) -> Change:
        [change] = changes
        return Change(
            *([tuple(value(row) for value in self._values) for row in rows] for rows in change)
        )


class RowJoin:
    """Both sides by their key; a row that comes or goes meets all of the other side."""

    def __init__(self, step: Join, left: tuple[str, ...], right: tuple[str, ...]) -> None:
        self._keys = (
            [left.index(name) for name, _ in step.on],
            [right.index(name) for _, name in step.on],
        )
        self._rest = [n for n in range(len(right)) if n not in self._keys[1]]
        self._held: tuple[dict[Row, deque[Row]], dict[Row, deque[Row]]] = ({}, {})

    def update(self, *changes: Change) -> Change:
        came: list[Row] = []
        went: list[Row] = []
        # what goes, goes first: no pair comes that does not stay
        for side, change in enumerate(changes):
            for row in change.went:
                self._forget(side, row)
                went += self._pairs(side, row)
        for side, change in enumerate(changes):
            for row in change.came:
                self._held[side].setdefault(self._key(side, row), deque()).append(row)
                came += self._pairs(side, row)
        return Change(came, went)

    def _key(self, side: int, row: Row) -> Row:
        return tuple(row[place] for place in self._keys[side])

    def _forget(self, side: int, row: Row) -> None:
        rows = self._held[side][self._key(side, row)]
        if rows[0] == row:
            rows.popleft()
        else:
            rows.remove(row)

    def _pairs(self, side: int, row: Row) -> Iterable[Row]:
        others = self._held[1 - side].get(self._key(side, row), ())
        rest = self._rest
        if side == 0:
            return [row + tuple(other[n] for n in rest) for other in others]
        mine = tuple(row[n] for n in rest)
        return [other + mine for other in others]


class _RowAggregate:
    """Groups of rows, each with a result that is given anew whenever the windows move."""

    def __init__(self, step: Aggregate, known: tuple[str, ...]) -> None:
        self._keys = [known.index(name) for name in step.keys]
        self._of = [known.index(of) for _, _, of in step.values]
        self._functions = [function for _, function, _ in step.values]
        self._given: list[Row] = []

    def update(self, *changes: Change) -> Change:
        [change] = changes
        for row in change.went:
            self._take(tuple([row[n] for n in self._keys]), row, -1)
        for row in change.came:
            self._take(tuple([row[n] for n in self._keys]), row, 1)
        before, self._given = self._given, self._results()
        return Change(self._given, before)

    def _take(self, key: Row, row: Row, times: int) -> None:
        raise NotImplementedError

    def _results(self) -> list[Row]:
        raise NotImplementedError


class RowIncrements(_RowAggregate):
    """Counts and sums by group."""

    def __init__(self, step: Aggregate, known: tuple[str, ...]) -> None:
        super().__init__(step, known)
        self._groups: dict[Row, list[Any]] = {}

    def _take(self, key: Row, row: Row, times: int) -> None:
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = [0] * (1 + len(self._of))
        group[0] += times
        for number, place in enumerate(self._of, start=1):
            group[number] += times * row[place]
        if not group[0]:
            del self._groups[key]

    def _results(self) -> list[Row]:
        return [
            key + tuple(map(_result, self._functions, repeat(rows), sums))
            for key, (rows, *sums) in self._groups.items()
        ]


def _result(function: str, rows: int, total: Any) -> Any:
    if function == "count":
        return rows
    return total / rows if function == "avg" else total


SCANS: dict[str, Callable[[deque[Any]], Any]] = {
    "max": max, "min": min, "sum": sum, "count": len,
}  # fmt: skip


class RowScans(_RowAggregate):
    """Values by group, all of them looked at for every result."""

    def __init__(self, step: Aggregate, known: tuple[str, ...]) -> None:
        super().__init__(step, known)
        self._groups: dict[Row, list[deque[Any]]] = {}

    def _take(self, key: Row, row: Row, times: int) -> None:
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = [deque() for _ in self._of]
        for values, place in zip(group, self._of, strict=True):
            if times > 0:
                values.append(row[place])
            elif values[0] == row[place]:
                values.popleft()
            else:
                values.remove(row[place])
        if not group[0]:
            del self._groups[key]

    def _results(self) -> list[Row]:
        return [
            key + tuple(map(_scan, self._functions, group)) for key, group in self._groups.items()
        ]


def _scan(function: str, values: deque[Any]) -> Any:
    if function == "avg":
        return sum(values) / len(values)
    return SCANS[function](values)
