"""What names mean in a query over a window: tables, columns, values of the SELECT list."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from slackwater.query.schema import Column
from slackwater.query.translate import Translation
from slackwater.query.typed import Typed, UnsupportedError


@dataclass(frozen=True, slots=True)
class Shown:
    """A query as DuckDB text, and the columns that it gives."""

    sql: str
    columns: tuple[Column, ...]


@dataclass(slots=True)
class Scope:
    """What names mean in one SELECT: its tables, the values it names, and the query around it."""

    tables: dict[str, tuple[Column, ...]] = field(default_factory=dict)
    windows: set[str] = field(default_factory=set)  # tables that are the window itself
    named: dict[str, exp.Expr] = field(default_factory=dict)
    outer: Scope | None = None


class Scoped(Translation):
    """Translates expressions whose columns are those of the tables around them.

    ``reads`` are the columns of the window that were met.
    """

    def __init__(self) -> None:
        super().__init__({})
        self.scope = Scope()
        self.reads: set[str] = set()

    def column(self, node: exp.Column) -> Typed:
        scope: Scope | None = self.scope
        while scope is not None:
            found = [
                (name, column)
                for name, columns in scope.tables.items()
                for column in columns
                if column.name.lower() == node.name.lower() and node.table.lower() in ("", name)
            ]
            if len(found) > 1:
                names = " or ".join(f"{name}.{column.name}" for name, column in found)
                raise UnsupportedError(f"{spelled(node)} may mean {names}", "write table.column")
            if found:
                return self.of_table(*found[0], scope)
            if not node.table and node.name.lower() in scope.named and scope is self.scope:
                return self.named_value(node.name.lower())
            scope = scope.outer
        here = [f"{t}.{c.name}" for t, columns in self.scope.tables.items() for c in columns]
        hint = f"columns here: {', '.join(here) or 'none'}"
        raise UnsupportedError(f"there is no column {spelled(node)}", hint)

    def named_value(self, name: str) -> Typed:
        """A value of the SELECT list, by its alias; it is not its own meaning."""
        value = self.scope.named.pop(name)
        try:
            return self.of(value)
        finally:
            self.scope.named[name] = value

    def of_table(self, table: str, column: Column, scope: Scope | None = None) -> Typed:
        if table in (scope or self.scope).windows:
            self.reads.add(column.name)
        return Typed(f"{quoted(table)}.{quoted(column.name)}", column.type)

    def every(self, table: str) -> list[tuple[Column, str]]:
        """``*``, or ``table.*``."""
        chosen = [name for name in self.scope.tables if table.lower() in ("", name)]
        if not chosen:
            raise UnsupportedError(f"there is no table {table!r}", "")
        return [
            (column, self.of_table(name, column).sql)
            for name in chosen
            for column in self.scope.tables[name]
        ]


def quoted(name: str) -> str:
    """A name as DuckDB reads it."""
    return exp.to_identifier(name, quoted=True).sql("duckdb")


def spelled(node: exp.Expr) -> str:
    """A piece of SQL for people."""
    return node.sql("spark")
