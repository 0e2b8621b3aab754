"""SQL expressions as values: parsed once, checked against a schema, rendered for each engine.

People write Spark SQL, which Spark runs as it is. For DuckDB it is translated with the types of its
columns at hand, so that it means the same there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from sqlglot import exp
from sqlglot.errors import SqlglotError

from slackwater.errors import Problem
from slackwater.query.flat import read_spark
from slackwater.query.kinds import is_number, normal
from slackwater.query.schema import Schema
from slackwater.query.totals import OpaqueError, is_known
from slackwater.query.translate import sketch_argument, translate
from slackwater.query.typed import Typed, UnsupportedError

Dialect = Literal["spark", "duckdb"]


@dataclass(frozen=True, slots=True)
class Expression:
    """One SQL expression, kept as its normal Spark text (equal text = equal meaning)."""

    sql: str

    @property
    def tree(self) -> exp.Expr:
        """A private copy of the syntax tree."""
        return _tree(self.sql).copy()

    @property
    def columns(self) -> frozenset[str]:
        return frozenset(column.name for column in _tree(self.sql).find_all(exp.Column))

    def render(self, dialect: Dialect, schema: Schema) -> str:
        """The text for one engine; ``schema`` has the types of the columns that it reads."""
        return self.sql if dialect == "spark" else _translated(self.sql, schema).sql

    def substitute(self, definitions: Mapping[str, Expression]) -> Expression:
        """The same expression with columns replaced by what defines them."""

        def swap(node: exp.Expr) -> exp.Expr:
            if isinstance(node, exp.Column) and node.name in definitions:
                given = definitions[node.name].tree
                bare = isinstance(given, exp.Column | exp.Literal | exp.Func | exp.Paren)
                return given if bare else exp.paren(given)
            return node

        return of_tree(self.tree.transform(swap))


def of_tree(tree: exp.Expr) -> Expression:
    return Expression(tree.sql("spark"))


def column(name: str) -> Expression:
    """The expression that reads one column."""
    return of_tree(exp.column(name, quoted=True))


@lru_cache(maxsize=4096)
def _tree(sql: str) -> exp.Expr:
    return read_spark(sql)


@lru_cache(maxsize=4096)
def _translated(sql: str, schema: Schema) -> Typed:
    return translate(sql, {c.name: c.type for c in schema.columns})


def parse(text: str, schema: Schema, where: str) -> tuple[str | None, Expression] | Problem:
    """Parse ``text`` (``expr`` or ``expr AS name``); give its name and expression, or the problem.

    Column names are matched as Spark does (case does not matter) and rewritten to the schema's
    spelling, so that later comparison is by text.
    """
    if not isinstance(text, str) or not text.strip():
        return Problem("SQL_EMPTY", where, f"expected an SQL expression, got {text!r}")
    try:
        tree = read_spark(text)
    except SqlglotError as error:
        reason = str(error).splitlines()[0]
        return Problem("SQL_UNPARSABLE", where, f"{text!r} is not an SQL expression: {reason}")
    name = tree.alias if isinstance(tree, exp.Alias) else None
    body = tree.this if isinstance(tree, exp.Alias) else tree
    problem = _resolve(body, schema, where)  # a joined column `a.k` is `a_k` from here on
    problem = problem or _unsupported(body, schema, where)
    return problem or (name or _plain_name(body), of_tree(body))


def _plain_name(tree: exp.Expr) -> str | None:
    return tree.name if isinstance(tree, exp.Column) else None


def _resolve(tree: exp.Expr, schema: Schema, where: str) -> Problem | None:
    """Rewrite column names to the schema's spelling in place, or say what is wrong."""
    if isinstance(tree, exp.Query) or tree.find(exp.Query, exp.Star) not in (None, *_stars(tree)):
        return Problem("SQL_NOT_SCALAR", where, f"{tree.sql('spark')!r} is not a scalar expression")
    for node in list(tree.find_all(exp.Column)):
        known = schema.find(node.name, node.table or None)
        if not known:
            return _unknown_column(node, schema, where)
        if len(known) > 1:
            text = f"{node.sql('spark')!r} may mean {' or '.join(known)}"
            return Problem("COLUMN_AMBIGUOUS", where, text, "write stream.column")
        node.set("this", exp.to_identifier(known[0], quoted=True))
        node.set("table", None)
    return None


def _stars(tree: exp.Expr) -> tuple[exp.Expr, ...]:
    """The stars of ``count(*)``, which are allowed."""
    return tuple(star for star in tree.find_all(exp.Star) if isinstance(star.parent, exp.Count))


def _unknown_column(node: exp.Column, schema: Schema, where: str) -> Problem:
    return Problem(
        "COLUMN_UNKNOWN",
        where,
        f"there is no column {node.sql('spark')!r}",
        f"columns here: {', '.join(schema.names)}",
    )


def _unsupported(tree: exp.Expr, schema: Schema, where: str) -> Problem | None:
    """What has no sure meaning in both engines; aggregates are the plan's to refuse."""
    if not all(is_known(node) for node in tree.find_all(exp.AggFunc, exp.Window)):
        return None
    try:
        _translated(tree.sql("spark"), schema)
    except UnsupportedError as refused:
        message = f"{tree.sql('spark')!r}: {refused.message}"
        return Problem("SQL_UNSUPPORTED", where, message, refused.hint, refused.function)
    except OpaqueError:
        return None
    return None


def type_of(expression: Expression, schema: Schema) -> str | None:
    """The SQL type of an expression in Spark's spelling, ``None`` when it cannot be told."""
    try:
        kind = _translated(expression.sql, schema).kind
    except (UnsupportedError, OpaqueError):
        return None
    return None if kind == "void" else kind


def sketched(call: Expression, schema: Schema) -> str:
    """What a sketch is made of, for DuckDB."""
    types = {c.name: c.type for c in schema.columns}
    return sketch_argument(call.sql, types)


def is_numeric(type_name: str | None) -> bool | None:
    """Whether a type is a number; ``None`` if the type is unknown."""
    if type_name is None or type_name == "unknown":
        return None
    return is_number(normal(type_name))


def is_boolean(type_name: str | None) -> bool | None:
    return None if type_name is None else type_name == "boolean"
