"""Logical plan nodes: frozen, validated, each with the schema of what it gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from slackwater.plan.partial import Partial
from slackwater.plan.robust import RobustPlan
from slackwater.plan.window import Window
from slackwater.query.expression import Expression, column, of_tree, type_of
from slackwater.query.relation import Relation
from slackwater.query.schema import Column, Schema

BOUNDS = ("window_start", "window_end")
Named = tuple[str, Expression]
# SQL type of event times: an instant, or what a clock on the wall shows. Either is kept as
# microseconds, since the epoch in UTC or since that midnight on the wall, whatever the zone.
Stamp = Literal["timestamp", "timestamp_ntz"]


@dataclass(frozen=True, slots=True)
class Lookup:
    """Rows look something up in a table: what of a row is equal to which column of it."""

    table: str
    on: tuple[tuple[Expression, str], ...]


def meaning_of(lookups: tuple[Lookup, ...]) -> list[object]:
    """What rows find in tables, as part of the meaning of what is kept of them."""
    return [[one.table, [[value.sql, name] for value, name in one.on]] for one in lookups]


@dataclass(frozen=True, slots=True)
class Scan:
    """All rows of a base stream, with what they find in tables."""

    stream: str
    schema: Schema
    time: str
    lookups: tuple[Lookup, ...] = ()


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
class Computed:
    """Columns that a Python function computes, each with what it is called among the rows."""

    input: Node
    columns: tuple[tuple[Column, str], ...]

    @property
    def schema(self) -> Schema:
        return Schema((*self.input.schema.columns, *(column for column, _ in self.columns)))


@dataclass(frozen=True, slots=True)
class WindowAggregate:
    """Aggregates by window and keys: finals over partials that merge from panes, or what a
    ``relation`` says of all rows.
    """

    input: Node
    window: Window
    keys: tuple[Named, ...]
    partials: tuple[Partial, ...]
    values: tuple[Named, ...]
    value_types: tuple[str, ...]
    relation: Relation | None = None

    @property
    def schema(self) -> Schema:
        keys = _schema(self.keys, self.input.schema).columns
        pairs = zip(self.values, self.value_types, strict=True)
        values = tuple(Column(name, kind) for (name, _), kind in pairs)
        bounds = tuple(Column(name, stamp_of(self)) for name in BOUNDS)
        return Schema((*bounds, *keys, *values))


@dataclass(frozen=True, slots=True)
class Joined:
    """Combinations of one row of each input, under predicates and within reach in time.

    ``predicates`` are over the joined columns ``input_column``; ``reach[i][j]`` is how much older
    input ``j``'s member may be than input ``i``'s. Of ``optional`` inputs a combination may have
    none.
    """

    names: tuple[str, ...]
    inputs: tuple[Node, ...]
    predicates: tuple[Expression, ...]
    reach: tuple[tuple[int, ...], ...]
    emit: str
    order: str
    cross: bool
    robust: RobustPlan | None = None
    optional: frozenset[str] = frozenset()

    @property
    def schema(self) -> Schema:
        return joined_schema(self.names, self.inputs)


Node = Scan | Filter | Project | Computed | WindowAggregate | Joined


def joined_schema(names: tuple[str, ...], inputs: tuple[Node, ...]) -> Schema:
    """The columns of a join: ``input_column`` for every column of every input."""
    return Schema(
        tuple(
            Column(f"{name}_{c.name}", c.type, (name, c.name))
            for name, node in zip(names, inputs, strict=True)
            for c in node.schema.columns
        )
    )


def _schema(columns: tuple[Named, ...], source: Schema) -> Schema:
    return Schema(
        tuple(Column(name, type_of(value, source) or "unknown") for name, value in columns)
    )


def chain(node: Node) -> tuple[Node, ...]:
    """The nodes from the scan or join up to ``node``."""
    nodes: list[Node] = [node]
    while not isinstance(nodes[-1], Scan | Joined):
        nodes.append(nodes[-1].input)
    return tuple(reversed(nodes))


def stamp_of(node: Node) -> Stamp:
    """The type of event times: that of the stream, also above joins and in every level."""
    source = chain(node)[0]
    if isinstance(source, Joined):
        return stamp_of(source.inputs[0])
    assert isinstance(source, Scan)
    kind = source.schema.type_of(source.time)
    return "timestamp_ntz" if kind == "timestamp_ntz" else "timestamp"


def aggregates(node: Node) -> tuple[WindowAggregate, ...]:
    """The window aggregates up to ``node``, lowest first."""
    return tuple(found for found in chain(node) if isinstance(found, WindowAggregate))


def collapse(node: Node) -> tuple[Expression | None, dict[str, Expression], Node]:
    """Fold filters and projections into one predicate and definitions over the input's columns.

    What functions computed are columns of the input by then, whatever stands between.
    """
    path: list[Filter | Project | Computed] = []
    while isinstance(node, Filter | Project | Computed):
        path.append(node)
        node = node.input
    names = {name: column(name) for name in node.schema.names}
    where: Expression | None = None
    for step in reversed(path):
        if isinstance(step, Filter):
            predicate = step.predicate.substitute(names)
            where = predicate if where is None else both(where, predicate)
        elif isinstance(step, Computed):
            names = names | {one.name: column(hidden) for one, hidden in step.columns}
        else:
            names = {name: value.substitute(names) for name, value in step.columns}
    return where, names, node


def both(left: Expression, right: Expression) -> Expression:
    return of_tree(Expression(f"({left.sql}) AND ({right.sql})").tree)
