"""Queries over the rows of a window, from Spark SQL to DuckDB, with the types of all columns.

Expressions are those of :mod:`slackwater.query.translate`; here are the clauses around them. The
only tables are ``window`` and what the query itself names with ``WITH``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sqlglot import exp

from slackwater.query.kinds import meeting, normal
from slackwater.query.names import why_not
from slackwater.query.over import Ordered
from slackwater.query.schema import Column, Schema
from slackwater.query.scope import Scope, Shown, quoted, spelled
from slackwater.query.totals import OpaqueError
from slackwater.query.typed import Typed, UnsupportedError

WINDOW = "window"
_CLAUSES = (
    "with_", "expressions", "from_", "joins", "where", "group", "having", "order", "limit",
    "distinct",
)  # fmt: skip
_SET = {exp.Union: "UNION", exp.Intersect: "INTERSECT", exp.Except: "EXCEPT"}
_SIDES = ("", "LEFT", "RIGHT", "FULL")
_KINDS = ("", "INNER", "OUTER", "CROSS")
_APPROXIMATE = {exp.ApproxDistinct: "count(DISTINCT x)", exp.ApproxQuantile: "percentile(x, p)"}
_UNORDERED = (exp.First, exp.FirstValue, exp.AnyValue, exp.Last, exp.LastValue)
_ONLY = f"{WINDOW} is the only table: files, tables and functions that give rows are not read"


class Selection(Ordered):
    """Translates one query, and remembers which columns of the window it ``reads``.

    ``rows`` is the relation in DuckDB that has the rows of the window.
    """

    def __init__(self, schema: Schema, rows: str) -> None:
        super().__init__()
        self.rows = rows
        self.offered = tuple(Column(c.name, normal(c.type)) for c in schema.columns)
        self.tables: dict[str, Shown] = {}

    # queries ---------------------------------------------------------------------------------

    def query(self, node: Any) -> Shown:
        """A SELECT, or several put together."""
        if isinstance(node, exp.Subquery):
            return self.query(node.this)
        if type(node) in _SET:
            return self._united(node)
        if not isinstance(node, exp.Select):
            raise UnsupportedError(f"{spelled(node)} is not a query", "SELECT ... FROM window")
        odd = sorted(name for name, value in node.args.items() if value and name not in _CLAUSES)
        if odd:
            text = f"{odd[0].rstrip('_')} is not offered in a query over a window"
            raise UnsupportedError(text, "WITH, FROM, WHERE, GROUP BY, HAVING, ORDER BY, LIMIT")
        known, outer = self.tables, self.scope
        self.tables, self.scope = dict(known), Scope(outer=outer)
        try:
            return self._select(node)
        finally:
            self.tables, self.scope = known, outer

    def _select(self, node: exp.Select) -> Shown:
        self._with(node.args.get("with_"))
        source = self._from(node)
        self.scope.named = {
            one.alias.lower(): one.this for one in node.expressions if isinstance(one, exp.Alias)
        }
        columns, texts = self._columns(node.expressions)
        distinct = "DISTINCT" if node.args.get("distinct") else ""
        parts = ["SELECT", distinct, ", ".join(texts), source]
        for name, word in (("where", "WHERE"), ("having", "HAVING")):
            clause = node.args.get(name)
            if clause is not None:
                condition = f"{word} {self.of(clause.this).to('boolean').sql}"
                parts.append(f"{self._group(node)} {condition}" if name == "having" else condition)
        if node.args.get("having") is None:
            parts.append(self._group(node))
        parts += [self.order(node.args.get("order")), self._limit(node.args.get("limit"))]
        return Shown(" ".join(part for part in parts if part), columns)

    def _with(self, node: Any) -> None:
        """Queries with names are written out where they are read, and see nothing around them."""
        if node is None:
            return
        if node.args.get("recursive"):
            raise UnsupportedError("WITH RECURSIVE is not offered", "join the window with itself")
        for one in node.expressions:
            name = one.alias
            if one.args["alias"].columns:
                raise UnsupportedError(f"{name} (columns) AS", "name them in its SELECT")
            self._check_table(name)
            self.tables[name.lower()] = self._aside(one.this, Scope())

    def _check_table(self, name: str) -> None:
        if not name or name.lower() == WINDOW or why_not(name):
            hint = f"{WINDOW!r} are the rows themselves, and names of the engine begin with '__'"
            raise UnsupportedError(f"a table cannot be called {name!r} here", hint)

    def _from(self, node: exp.Select) -> str:
        first = node.args.get("from_")
        if first is None:
            return ""
        lead = f"FROM {self._table(first.this)}"
        return " ".join([lead, *(self._join(join) for join in node.args.get("joins") or ())])

    def _join(self, join: exp.Join) -> str:
        side, kind = join.side.upper(), join.kind.upper()
        odd = [name for name in ("using", "method") if join.args.get(name)]
        if odd or side not in _SIDES or kind not in _KINDS:
            raise UnsupportedError(f"{spelled(join).strip()} is not offered", "JOIN ... ON ...")
        table, on = self._table(join.this), join.args.get("on")
        if on is None:
            if side:
                raise UnsupportedError(f"{side} JOIN without ON", "say which rows belong together")
            return f"CROSS JOIN {table}"
        return f"{side} JOIN {table} ON {self.of(on).to('boolean').sql}".strip()

    def _table(self, node: Any) -> str:
        odd = [n for n in ("joins", "laterals", "pivots", "sample", "version") if node.args.get(n)]
        if odd or not isinstance(node, exp.Table | exp.Subquery):
            raise UnsupportedError(f"{spelled(node)} is not offered", _ONLY)
        if isinstance(node, exp.Subquery):
            shown = self._aside(node.this, self.scope.outer or Scope())
            name = node.alias or f"__t{len(self.scope.tables)}"
            return self._placed(name, shown.columns, f"({shown.sql})", node)
        plain = isinstance(node.this, exp.Identifier) and not node.args.get("db")
        text = node.name.lower()
        if plain and text == WINDOW:
            found = self._placed(node.alias or node.name, self.offered, self.rows, node)
            self.scope.windows.add((node.alias or node.name).lower())
            return found
        if not plain or text not in self.tables:
            raise UnsupportedError(f"there is no table {spelled(node)}", _ONLY)
        shown = self.tables[text]
        return self._placed(node.alias or node.name, shown.columns, f"({shown.sql})", node)

    def _aside(self, node: Any, seen: Scope) -> Shown:
        """A query that is a table, with what it sees around it: nothing of this SELECT."""
        scope, self.scope = self.scope, seen
        try:
            return self.query(node)
        finally:
            self.scope = scope

    def _placed(self, name: str, columns: tuple[Column, ...], text: str, node: Any) -> str:
        alias = node.args.get("alias")
        if alias is not None and alias.columns:
            raise UnsupportedError(f"{name} (columns)", "name them in its SELECT")
        if name.lower() in self.scope.tables:
            raise UnsupportedError(f"two tables are called {name!r}", "give one another: window w")
        self.scope.tables[name.lower()] = columns
        return f"{text} AS {quoted(name.lower())}"

    def _columns(self, nodes: Sequence[Any]) -> tuple[tuple[Column, ...], list[str]]:
        columns: list[Column] = []
        texts: list[str] = []
        for node in nodes:
            is_column = isinstance(node, exp.Column)
            if isinstance(node, exp.Star) or (is_column and isinstance(node.this, exp.Star)):
                found = self.every(node.table if is_column else "")
            else:
                value = self.of(node.this if isinstance(node, exp.Alias) else node)
                name = node.alias or (node.name if is_column else "")
                found = [(Column(name or f"__c{len(columns)}", value.kind), value.sql)]
            for column, text in found:
                columns.append(column)
                texts.append(f"{text} AS {quoted(column.name)}")
        names = [column.name.lower() for column in columns]
        for name in names:
            if names.count(name) > 1:
                raise UnsupportedError(f"two columns are called {name!r}", "rename one: expr AS x")
        return tuple(columns), texts

    def _group(self, node: exp.Select) -> str:
        group = node.args.get("group")
        if group is None:
            return ""
        if any(value for name, value in group.args.items() if name != "expressions"):
            raise UnsupportedError(f"{spelled(group).strip()} is not offered", "GROUP BY columns")
        return f"GROUP BY {', '.join(self.of(one).sql for one in group.expressions)}"

    def _limit(self, limit: Any) -> str:
        if limit is None:
            return ""
        count = limit.expression.name if isinstance(limit.expression, exp.Literal) else ""
        if not count.isdigit():
            raise UnsupportedError(
                f"{spelled(limit).strip()} is not offered", "LIMIT with a number"
            )
        return f"LIMIT {count}"

    def _united(self, node: Any) -> Shown:
        if any(node.args.get(name) for name in ("order", "limit", "with_", "by_name")):
            hint = "put it into a query of its own: SELECT ... FROM (... UNION ...)"
            raise UnsupportedError("clauses around UNION are not offered", hint)
        left, right = self.query(node.this), self.query(node.expression)
        kinds = [[column.type for column in one.columns] for one in (left, right)]
        if kinds[0] != kinds[1]:
            text = f"{_SET[type(node)]} of ({', '.join(kinds[0])}) and ({', '.join(kinds[1])})"
            raise UnsupportedError(text, "cast the columns to the same types")
        word = _SET[type(node)] + ("" if node.args.get("distinct") else " ALL")
        return Shown(f"({left.sql}) {word} ({right.sql})", left.columns)

    # expressions -----------------------------------------------------------------------------

    def of(self, node: Any) -> Typed:
        rule = _HERE.get(type(node))
        if rule is not None:
            return rule(self, node)
        if type(node) in _APPROXIMATE:
            text = f"{spelled(node)}: nothing needs to be approximate here"
            raise UnsupportedError(text, f"use {_APPROXIMATE[type(node)]}")
        if isinstance(node, _UNORDERED):
            hint = "use min or max, or first and last in .aggregate(...)"
            raise UnsupportedError(f"{spelled(node)}: rows of a window have no order", hint)
        if isinstance(node, exp.AggFunc):
            try:
                return super().of(node)
            except OpaqueError:
                hint = "totals are of numbers: cast it, e.g. CAST(x AS DOUBLE)"
                raise UnsupportedError(f"{spelled(node)} is not offered", hint) from None
        return super().of(node)

    def scalar(self, node: exp.Subquery) -> Typed:
        """One value from a query: an aggregate, so that there is exactly one, or ``LIMIT 1``."""
        shown = self.query(node)
        limit = node.this.args.get("limit")
        if not is_single(node.this) and (limit is None or limit.expression.name != "1"):
            hint = "aggregate in it, e.g. (SELECT max(x) FROM window); or IN (...), EXISTS (...)"
            raise UnsupportedError(f"{spelled(node)} may give several values", hint)
        if len(shown.columns) != 1:
            raise UnsupportedError(
                f"{spelled(node)} gives {len(shown.columns)} columns", "give one"
            )
        return Typed(f"({shown.sql})", shown.columns[0].type)

    def exists(self, node: exp.Exists) -> Typed:
        return Typed(f"EXISTS ({self.query(node.this).sql})", "boolean")

    def among(self, node: exp.In) -> Typed:
        if node.args.get("query") is None:
            return super().among(node)
        value, shown = self.of(node.this), self.query(node.args["query"])
        kind = meeting(value.kind, shown.columns[0].type) if len(shown.columns) == 1 else None
        if kind is None:
            raise UnsupportedError(f"{spelled(node)} compares different types", "cast one of them")
        name = quoted(shown.columns[0].name)
        chosen = Typed(f"t.{name}", shown.columns[0].type).to(kind).sql
        text = f"({value.to(kind).sql} IN (SELECT {chosen} FROM ({shown.sql}) AS t))"
        return Typed(text, "boolean")

    def filtered(self, node: exp.Filter) -> Typed:
        """``FILTER (WHERE p)`` as ``CASE WHEN p THEN argument END``."""
        call, where = node.this.copy(), node.expression.this
        values = call.this.expressions if isinstance(call.this, exp.Distinct) else [call.this]
        for value in values:
            inside = exp.Literal.number(1) if isinstance(value, exp.Star) else value.copy()
            value.replace(exp.Case(ifs=[exp.If(this=where.copy(), true=inside)]))
        return self.of(call)


_HERE: dict[type[exp.Expr], Callable[[Selection, Any], Typed]] = {
    exp.Column: Selection.column,
    exp.Subquery: Selection.scalar,
    exp.Exists: Selection.exists,
    exp.In: Selection.among,
    exp.Filter: Selection.filtered,
    exp.Window: Selection.window_call,
}


def is_single(node: Any) -> bool:
    """Whether a query gives exactly one row whatever there is: totals of all rows, or no table."""
    if not isinstance(node, exp.Select) or any(
        node.args.get(name) for name in ("group", "having", "limit", "distinct")
    ):
        return False
    if node.args.get("from_") is None:
        return node.args.get("where") is None
    return any(_totals(one) for one in node.expressions)


def _totals(node: exp.Expr) -> bool:
    """Whether a value is a total of the query that it stands in."""
    if isinstance(node, exp.Query | exp.Exists):
        return False
    if isinstance(node, exp.Window):
        return False
    named = isinstance(node, exp.Anonymous) and node.name.lower() in _TOTALS
    return named or isinstance(node, exp.AggFunc) or any(map(_totals, node.iter_expressions()))


_TOTALS = ("collect_list", "array_agg", "collect_set", "mean", "every", "some", "any", "bool_or")
