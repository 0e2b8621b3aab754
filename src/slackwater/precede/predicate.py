"""Conditions on attributes of a row: AND, OR, NOT, comparisons, IN, BETWEEN, IS (spec 1.4).

As in SQL what is compared with nothing is unknown, and unknown is not true.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import sqlglot
from sqlglot import exp


class Row(Protocol):
    """What has values by column ``stream.name``; a dictionary is one."""

    def get(self, name: str, /) -> object: ...


Evaluation = Callable[[Row], Any]

_COMPARISONS: dict[type[exp.Expr], Callable[[Any, Any], Any]] = {
    exp.EQ: operator.eq,
    exp.NEQ: operator.ne,
    exp.LT: operator.lt,
    exp.LTE: operator.le,
    exp.GT: operator.gt,
    exp.GTE: operator.ge,
}


class UnknownConditionError(Exception):
    """A condition holds something that has no meaning here."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """A condition as Spark SQL, its columns written ``stream.name``.

    >>> Predicate("S.price > 3 AND S.owned").holds({"S.price": 5, "S.owned": True})
    True
    """

    sql: str

    @property
    def attributes(self) -> frozenset[str]:
        return frozenset(map(_name, _tree(self.sql).find_all(exp.Column)))

    def holds(self, row: Row) -> bool:
        """Whether it is true of a row; unknown is not true."""
        return evaluation(self.sql)(row) is True


@lru_cache(maxsize=1024)
def _tree(sql: str) -> exp.Expr:
    return sqlglot.parse_one(sql, read="spark")


@lru_cache(maxsize=1024)
def evaluation(sql: str) -> Evaluation:
    """The condition as a function of a row; raises :class:`UnknownConditionError`."""
    return _compiled(_tree(sql))


def _name(node: exp.Column) -> str:
    return f"{node.table}.{node.name}" if node.table else node.name


def _compiled(node: Any) -> Evaluation:
    rule = _RULES.get(type(node))
    if rule is None:
        raise UnknownConditionError(node.sql("spark"))
    return rule(node)


def _comparison(node: Any) -> Evaluation:
    left, right, compare = (
        _compiled(node.this),
        _compiled(node.expression),
        _COMPARISONS[type(node)],
    )
    return lambda row: _known(compare, left(row), right(row))


def _known(compare: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    return None if left is None or right is None else compare(left, right)


def _connection(node: Any) -> Evaluation:
    """AND is false if a side is, OR is true if a side is, else unknown if a side is."""
    left, right = _compiled(node.this), _compiled(node.expression)
    decisive = isinstance(node, exp.Or)

    def both(row: Row) -> Any:
        sides = (left(row), right(row))
        if decisive in sides:
            return decisive
        return None if None in sides else not decisive

    return both


def _negation(node: Any) -> Evaluation:
    inner = _compiled(node.this)
    return lambda row: None if (value := inner(row)) is None else not value


def _membership(node: Any) -> Evaluation:
    if not node.expressions:
        raise UnknownConditionError(node.sql("spark"))
    value, listed = _compiled(node.this), [_compiled(one) for one in node.expressions]

    def among(row: Row) -> Any:
        found = [_known(operator.eq, value(row), one(row)) for one in listed]
        return True if True in found else (None if None in found else False)

    return among


def _between(node: Any) -> Evaluation:
    low, high = node.args["low"], node.args["high"]
    return _connection(exp.And(this=exp.GTE(this=node.this, expression=low),
                               expression=exp.LTE(this=node.this, expression=high)))  # fmt: skip


def _identity(node: Any) -> Evaluation:
    left, right = _compiled(node.this), _compiled(node.expression)
    return lambda row: left(row) is right(row)


def _constant(value: object) -> Evaluation:
    return lambda _: value


def _literal(node: Any) -> Evaluation:
    return _constant(node.to_py())


def _column(node: Any) -> Evaluation:
    name = _name(node)
    return lambda row: row.get(name)


def _minus(node: Any) -> Evaluation:
    inner = _compiled(node.this)
    return lambda row: None if (value := inner(row)) is None else -value


_RULES: dict[type[exp.Expr], Callable[[Any], Evaluation]] = {
    **dict.fromkeys(_COMPARISONS, _comparison),
    exp.And: _connection,
    exp.Or: _connection,
    exp.Not: _negation,
    exp.In: _membership,
    exp.Between: _between,
    exp.Is: _identity,
    exp.Paren: lambda node: _compiled(node.this),
    exp.Literal: _literal,
    exp.Boolean: lambda node: _constant(node.this),
    exp.Null: lambda _: _constant(None),
    exp.Neg: _minus,
    exp.Column: _column,
}
