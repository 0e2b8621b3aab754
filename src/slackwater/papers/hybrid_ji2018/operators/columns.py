"""The column engine behind the operator that hides it: MIG (Ji 2018, ch. 6).

It ships what has changed in its inputs, runs one statement over all of them, and ships the result
back. Rows that came together are one block of columns; windows drop the oldest blocks, so that
nothing is copied but what is new.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import Any

import duckdb
import pyarrow as pa

from slackwater.hybrid.algebra import Project, Relation, Select, Window, columns
from slackwater.hybrid.cost import Composite
from slackwater.hybrid.sql import statement
from slackwater.papers.hybrid_ji2018.operators.change import Change, Row


class MigOperator:
    """One migrated part of a plan; ``update`` takes a change for each of its ports."""

    def __init__(self, composite: Composite, engine: duckdb.DuckDBPyConnection) -> None:
        self.composite = composite
        self._sql = statement(composite)
        self._engine = engine.cursor()
        self._ports = [_port(port) for port in composite.ports]
        self._given: list[Row] = []

    def update(self, *changes: Change) -> Change:
        for port, change, relation in zip(self._ports, changes, self.composite.ports, strict=True):
            port.update(change)
            self._engine.register(relation.name, port.table())
        before, self._given = self._given, self._engine.execute(self._sql).fetchall()
        return Change(self._given, before)


class Blocks:
    """A relation whose rows go in the order in which they came."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names
        self._blocks: deque[pa.RecordBatch] = deque()

    def update(self, change: Change) -> None:
        if change.came:
            self._blocks.append(shipped(self._names, change.came))
        gone = len(change.went)
        while gone:
            oldest = self._blocks.popleft()
            if oldest.num_rows > gone:
                self._blocks.appendleft(oldest.slice(gone))
            gone -= min(gone, oldest.num_rows)

    def table(self) -> pa.Table:
        return pa.Table.from_batches(self._blocks or [shipped(self._names, [])])


class Replaced:
    """A relation any of whose rows may go: results of joins and aggregates, shipped anew."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names
        self._rows: Counter[Row] = Counter()
        self._table: pa.Table | None = None

    def update(self, change: Change) -> None:
        self._rows.update(change.came)
        self._rows.subtract(change.went)
        self._rows += Counter()
        self._table = pa.Table.from_batches([shipped(self._names, list(self._rows.elements()))])

    def table(self) -> pa.Table:
        assert self._table is not None
        return self._table


def shipped(names: tuple[str, ...], rows: list[Row]) -> pa.RecordBatch:
    """Rows as columns."""
    values: list[Any] = list(zip(*rows, strict=True)) or [()] * len(names)
    return pa.RecordBatch.from_arrays([pa.array(list(column)) for column in values], list(names))


def _port(relation: Relation) -> Blocks | Replaced:
    below = relation
    while isinstance(below, Select | Project):
        below = below.over
    kind = Blocks if isinstance(below, Window) else Replaced
    return kind(columns(relation))
