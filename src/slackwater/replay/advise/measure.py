"""The aggregate whose error is measured: what is kept of rows, how it adds up, what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sqlglot import exp

from slackwater.errors import Problem, QueryError
from slackwater.query.expression import is_numeric, of_tree, parse, type_of
from slackwater.query.schema import Schema

Kind = Literal["count", "sum", "avg", "min", "max"]
Floats = npt.NDArray[np.float64]
Columns = tuple[Floats, ...]

WHERE = "--aggregate"
SUPPORTED = "count, sum, avg, min, max"
_KINDS: dict[type[exp.Expr], Kind] = {
    exp.Count: "count",
    exp.Sum: "sum",
    exp.Avg: "avg",
    exp.Min: "min",
    exp.Max: "max",
}


@dataclass(frozen=True, slots=True)
class Measure:
    """One aggregate call: ``sql`` as people write it, ``argument`` for DuckDB (``None``: rows)."""

    kind: Kind
    sql: str
    argument: str | None = None

    @property
    def merges(self) -> tuple[np.ufunc, ...]:
        """How the columns of two partial results combine; the first column counts values."""
        if self.kind == "count":
            return (np.add,)
        if self.kind in ("sum", "avg"):
            return (np.add, np.add)
        return (np.add, np.minimum if self.kind == "min" else np.maximum)

    @property
    def zeros(self) -> tuple[float, ...]:
        """The partial result of no row."""
        return (0.0, {"min": np.inf, "max": -np.inf}.get(self.kind, 0.0))[: len(self.merges)]

    def lift(self, values: Floats | None, rows: int) -> Columns:
        """Partial results of single rows; NaN stands for null, which SQL aggregates skip."""
        if values is None:
            return (np.ones(rows),)
        known = ~np.isnan(values)
        if self.kind == "count":
            return (known.astype(np.float64),)
        return (known.astype(np.float64), np.where(known, values, self.zeros[1]))

    def get(self, partial: Columns) -> Floats:
        """The answers of partial results, NaN for null."""
        count = partial[0]
        if self.kind == "count":
            return count
        value = partial[1] / np.maximum(count, 1.0) if self.kind == "avg" else partial[1]
        return np.where(count > 0, value, np.nan)


def measure(text: str, schema: Schema) -> Measure:
    """The measure of an aggregate such as ``sum(v)``; anything else is refused with the reason.

    >>> measure("sum(price * 2)", Schema.of(price="double")).argument
    '("price" * CAST(2 AS DOUBLE))'
    """
    parsed = parse(text, schema, WHERE)
    if isinstance(parsed, Problem):
        raise QueryError([parsed])
    tree = parsed[1].tree
    kind = _KINDS.get(type(tree))
    problem = _problem(tree, kind, schema)
    if problem is not None:
        raise QueryError([problem])
    assert kind is not None
    if isinstance(tree.this, exp.Star):
        return Measure(kind, tree.sql("spark"))
    return Measure(kind, tree.sql("spark"), of_tree(tree.this).render("duckdb", schema))


def _problem(tree: exp.Expr, kind: Kind | None, schema: Schema) -> Problem | None:
    sql = tree.sql("spark")
    if kind is None:
        return _refuse(sql, _reason(tree))
    if isinstance(tree.this, exp.Distinct):
        return _refuse(sql, "distinct values have no simple error model")
    if tree.this.find(exp.AggFunc):
        return _refuse(sql, "it nests aggregates")
    if kind == "count":
        return None
    found = type_of(of_tree(tree.this), schema)
    if is_numeric(found) is False:
        what = f"{sql} needs a number, {tree.this.sql('spark')} is {found}"
        hint = f"cast it, e.g. CAST({tree.this.sql('spark')} AS DOUBLE)"
        return Problem("TYPE_MISMATCH", WHERE, what, hint)
    return None


def _reason(tree: Any) -> str:
    if isinstance(tree, exp.Filter):
        return "FILTER is not looked at; write count(CASE WHEN ... THEN 1 END)"
    if isinstance(tree, exp.AggFunc):
        return "its relative error cannot be told from counts and sums of rows"
    if tree.find(exp.AggFunc):
        return "it is an expression over aggregates, give one of them"
    return "it is not an aggregate"


def _refuse(sql: str, reason: str) -> Problem:
    return Problem("AGGREGATE_UNSUPPORTED", WHERE, f"{sql!r}: {reason}", f"supported: {SUPPORTED}")
