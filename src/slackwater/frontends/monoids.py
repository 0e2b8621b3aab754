"""Monoids by name: ``rms(speed)`` in a text stands for what the monoid ``rms`` is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from slackwater.errors import Problem, SlackwaterError
from slackwater.query.monoid import monoid
from slackwater.query.translate import NAMES

Monoid = Callable[..., str]


def make_monoid(
    name: str, body: str, parameters: tuple[str, ...], problems: list[Problem]
) -> Monoid | None:
    """A monoid, ``None`` if it cannot be one."""
    where = f"monoid.{name}"
    if not _is_free(name):
        text = f"{name!r} is a function of SQL, or cannot be the name of one"
        problems.append(Problem("MONOID_NAME", where, text, "give it another name"))
        return None
    try:
        return monoid(body, *parameters)
    except SqlglotError as error:
        text = f"cannot be read: {str(error).splitlines()[0]}"
        problems.append(Problem("MONOID_INVALID", where, text, 'e.g. body = "sum(x) / count(x)"'))
        return None


def _is_free(name: str) -> bool:
    """Whether a call of this name means nothing yet."""
    try:
        called = sqlglot.parse_one(f"{name}(x)", read="spark")
    except SqlglotError:
        return False
    return isinstance(called, exp.Anonymous) and name.lower() not in NAMES


def expand(text: str, monoids: Mapping[str, Monoid]) -> str:
    """The text with every call of a monoid written out; a text without any stays as it is."""
    try:
        tree = sqlglot.parse_one(text, read="spark")
    except SqlglotError:
        return text  # whoever checks the query says what is wrong with it
    calls = [call for call in tree.find_all(exp.Anonymous) if call.name.lower() in monoids]
    if not calls:
        return text
    return _written(tree, monoids).sql("spark")


def _written(tree: exp.Expr, monoids: Mapping[str, Monoid]) -> exp.Expr:
    def write(node: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.Anonymous) or node.name.lower() not in monoids:
            return node
        inner = [_written(one, monoids).sql("spark") for one in node.expressions]
        return _bound(sqlglot.parse_one(monoids[node.name.lower()](*inner), read="spark"))

    return tree.transform(write)


def _bound(tree: exp.Expr) -> exp.Expr:
    """In parentheses, unless nothing beside it can take a part of it."""
    return tree if isinstance(tree, exp.Func | exp.Column | exp.Paren) else exp.paren(tree)


def expansion(text: str, monoids: Mapping[str, Monoid], where: str, problems: list[Problem]) -> str:
    """As `expand`; a call with a wrong number of arguments is a problem."""
    try:
        return expand(text, monoids)
    except SlackwaterError as error:
        problems.append(Problem(error.condition, where, error.message, error.hint))
        return text
