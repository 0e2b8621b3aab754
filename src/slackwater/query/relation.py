"""Any SQL over all rows of a window: one row of answers for each window and key."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from slackwater.errors import Problem
from slackwater.query.flat import Flat
from slackwater.query.schema import Column, Schema
from slackwater.query.scope import Shown
from slackwater.query.select import WINDOW, Selection, is_single
from slackwater.query.typed import UnsupportedError


@dataclass(frozen=True, slots=True)
class Relation:
    """A query over ``window``: its text, the columns that it gives and those that it reads.

    ``schema`` has the columns that ``window`` offers.
    """

    sql: str
    columns: tuple[Column, ...]
    reads: tuple[str, ...]
    schema: Schema

    def over(self, rows: str) -> str:
        """As DuckDB runs it over a relation, which may be a query in brackets."""
        return _translated(self.sql, self.schema, rows)[0].sql


def read_relation(text: str, schema: Schema, where: str) -> Relation | Problem:
    """Read and check a query over the rows of a window.

    >>> found = read_relation("SELECT max(v) AS top FROM window", Schema.of(v="int"), "q")
    >>> [(c.name, c.type) for c in found.columns], found.reads
    ([('top', 'int')], ('v',))
    """
    if not isinstance(text, str) or not text.strip():
        return Problem("SQL_EMPTY", where, f"expected a query over window, got {text!r}")
    try:
        trees = [tree for tree in sqlglot.parse(text, dialect=Flat) if tree is not None]
    except SqlglotError as error:
        reason = str(error).splitlines()[0]
        return Problem("SQL_UNPARSABLE", where, f"{text!r} is not an SQL query: {reason}")
    if len(trees) != 1 or not isinstance(trees[0], exp.Query):
        hint = 'e.g. .relate("SELECT count(*) AS n FROM window")'
        return Problem("RELATE_SHAPE", where, f"{text!r} is not one SELECT", hint)
    sql = trees[0].sql(Flat)
    try:
        shown, reads = _translated(sql, schema, WINDOW)
    except UnsupportedError as refused:
        message = f"{sql}: {refused.message}"
        return Problem("SQL_UNSUPPORTED", where, message, refused.hint, refused.function)
    problem = _shape_problem(trees[0], shown, where)
    return problem or Relation(sql, shown.columns, reads, schema)


@lru_cache(maxsize=512)
def _translated(sql: str, schema: Schema, rows: str) -> tuple[Shown, tuple[str, ...]]:
    selection = Selection(schema, rows)
    shown = selection.query(sqlglot.parse_one(sql, dialect=Flat))
    return shown, tuple(name for name in schema.names if name in selection.reads)


def _shape_problem(tree: exp.Expr, shown: Shown, where: str) -> Problem | None:
    """An answer is one row with columns that have names and types."""
    if not is_single(tree):
        hint = (
            "aggregate in the outermost SELECT and put GROUP BY, HAVING and LIMIT into queries "
            "inside; collect_list(...) gives several values"
        )
        text = "it may give several rows, or none, for a window; an answer is one row"
        return Problem("RELATE_SHAPE", where, text, hint)
    for number, column in enumerate(shown.columns, start=1):
        if column.name.startswith("__c"):
            text = f"column {number} has no name"
            return Problem("NAME_MISSING", where, text, "write expr AS name")
        if column.type in ("void", "unknown"):
            text = f"{column.name!r} has no type"
            return Problem("TYPE_MISMATCH", where, text, "cast it, e.g. CAST(NULL AS INT)")
    return None
