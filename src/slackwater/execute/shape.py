"""The column types of every relation of a plan, as Arrow schemas."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from slackwater.plan.join import JoinPlan
from slackwater.plan.sql.joins import time_of
from slackwater.plan.tree import JoinNode, show_tree

TIME = pa.int64()


@dataclass(frozen=True, slots=True)
class Shape:
    """Arrow schemas around one stage."""

    panes: pa.Schema
    results: pa.Schema
    told: pa.Schema
    shown: pa.Schema

    def measured(self, keys: tuple[str, ...], columns: tuple[str, ...]) -> pa.Schema:
        """Errors of answers: window, keys, rows, and three numbers for each bounded column."""
        fields = [self.results.field(name) for name in ("__start", "__end", *keys)]
        fields.append(pa.field("__rows", pa.int64()))
        for name in columns:
            numbers = (name, f"{name}_true", f"{name}_error")
            fields += [pa.field(column, pa.float64()) for column in numbers]
        return pa.schema([*fields, pa.field("within", pa.bool_())])

    @property
    def changed(self) -> pa.Schema:
        return pa.schema([field for field in self.told if field.name != "revision"])


Shapes = dict[tuple[str, int], Shape]


@dataclass(frozen=True, slots=True)
class JoinShape:
    """Arrow schemas around one join: its inputs, combinations, results, and what is shown.

    ``grouped`` are those around the same join over groups of rows, if it has that form.
    """

    plan: JoinPlan
    inputs: dict[str, pa.Schema]
    shown: pa.Schema | None
    grouped: JoinShape | None = None

    def form(self, tree: JoinNode) -> JoinShape:
        """The shapes of the join as this tree runs it."""
        if tree.is_grouped == self.plan.is_grouped:
            return self
        assert self.grouped is not None, show_tree(tree)
        return self.grouped

    def input(self, name: str) -> pa.Schema:
        return self.inputs[name]

    def _combined(self, names: frozenset[str]) -> list[pa.Field]:
        types = {field.name: field for schema in self.inputs.values() for field in schema}
        times = [pa.field(time_of(n), TIME) for n in self.plan.graph.names if n in names]
        columns = [*times, *(types[column] for column in self.plan.columns(names))]
        if self.plan.is_grouped:
            parts = [types[part.name] for part in self.plan.partials(names)]
            columns += [*parts, pa.field("__rows", pa.int64())]
        return [*columns, *([pa.field("__at", TIME)] if self.plan.is_measured else [])]

    def kept(self, names: frozenset[str]) -> pa.Schema:
        """Combinations that an inner node keeps."""
        return pa.schema([pa.field("pane", TIME), *self._combined(names)])

    @property
    def results(self) -> pa.Schema:
        ends = [pa.field("__ts", TIME), pa.field("__given", pa.bool_())]
        if self.plan.is_outer:
            ends.append(pa.field("__withdrawn", pa.bool_()))
        return pa.schema([*self._combined(frozenset(self.plan.graph.names)), *ends])


def fitted(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """A table in the types of a schema; one that has them already is not touched."""
    return table if table.schema.equals(schema) else table.cast(schema)
