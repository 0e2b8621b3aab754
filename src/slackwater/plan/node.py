"""Logical plan nodes: frozen, validated, each with the schema of what it gives."""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.plan.aggregate import Partial
from slackwater.plan.window import Window
from slackwater.query.expression import Expression, type_of
from slackwater.query.schema import Column, Schema

WINDOW_COLUMNS = (Column("window_start", "timestamp"), Column("window_end", "timestamp"))
Named = tuple[str, Expression]


@dataclass(frozen=True, slots=True)
class Scan:
    """All rows of a base stream."""

    stream: str
    schema: Schema
    time: str


@dataclass(frozen=True, slots=True)
class Filter:
    """The rows for which the predicate is true."""

    input: Node
    predicate: Expression

    @property
    def schema(self) -> Schema:
        return self.input.schema


@dataclass(frozen=True, slots=True)
class Project:
    """Computed columns; the event time of a row stays what it was."""

    input: Node
    columns: tuple[Named, ...]

    @property
    def schema(self) -> Schema:
        return _schema(self.columns, self.input.schema)


@dataclass(frozen=True, slots=True)
class WindowAggregate:
    """Aggregates by window and keys: finals over partials that merge from panes."""

    input: Node
    window: Window
    keys: tuple[Named, ...]
    partials: tuple[Partial, ...]
    values: tuple[Named, ...]
    value_types: tuple[str, ...]

    @property
    def schema(self) -> Schema:
        keys = _schema(self.keys, self.input.schema).columns
        pairs = zip(self.values, self.value_types, strict=True)
        values = tuple(Column(name, kind) for (name, _), kind in pairs)
        return Schema((*WINDOW_COLUMNS, *keys, *values))


Node = Scan | Filter | Project | WindowAggregate


def _schema(columns: tuple[Named, ...], source: Schema) -> Schema:
    return Schema(
        tuple(Column(name, type_of(value, source) or "unknown") for name, value in columns)
    )


def chain(node: Node) -> tuple[Node, ...]:
    """The nodes from the scan up to ``node``."""
    nodes: list[Node] = [node]
    while not isinstance(nodes[-1], Scan):
        nodes.append(nodes[-1].input)
    return tuple(reversed(nodes))
