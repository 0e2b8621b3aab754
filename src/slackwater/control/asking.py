"""Prods that people send: which windows they ask for, and why there may be no answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlglot import exp

from slackwater.errors import Problem
from slackwater.plan.window import Window
from slackwater.query.expression import Expression, is_boolean, parse, type_of
from slackwater.query.schema import Schema
from slackwater.units import EPOCH, MICROSECOND, show_instant

_FAR = 1 << 61


@dataclass(frozen=True, slots=True)
class Request:
    """A demand from outside: estimate now, or change the aggressiveness from now on.

    ``automatic`` hands the aggressiveness back to the controller.
    """

    id: str
    query: str
    where: str | None = None
    aggressiveness: float | None = None
    automatic: bool = False


@dataclass(frozen=True, slots=True)
class Span:
    """Window ends asked for: from ``low`` to ``high``, ends included."""

    low: int = -_FAR
    high: int = _FAR

    def meet(self, other: Span) -> Span:
        return Span(max(self.low, other.low), min(self.high, other.high))


def understand(query: str, schema: Schema, where: str | None) -> Expression | Problem | None:
    """The predicate of a prod, checked against the columns of the query's results."""
    if where is None:
        return None
    at = f"prod of query {query!r}"
    parsed = parse(where, schema, at)
    if isinstance(parsed, Problem):
        return parsed
    kind = type_of(parsed[1], schema)
    if is_boolean(kind) is False:
        return Problem("TYPE_MISMATCH", at, f"{where!r} is {kind}, not a condition")
    return parsed[1]


def why_none(
    window: Window, where: Expression | None, clock: int | None, upto: int | None
) -> str | None:
    """Why no open window is asked for; ``None`` if one is."""
    span = ends_asked(where, window.size)
    if clock is None:
        return "nothing has arrived yet"
    if span.low > span.high:
        return "the predicate asks for no time at all"
    if span.low == span.high and (span.low - window.size - window.offset) % window.slide:
        return f"no window of this query ends at {show_instant(span.low)}"
    if upto is not None and span.high <= upto:
        return f"closed: windows up to {show_instant(upto)} have their final answer"
    if span.low > window.last_start(clock) + window.size:
        return f"in the future: the clock is at {show_instant(clock)}"
    return None


def ends_asked(where: Expression | None, size: int) -> Span:
    """The window ends that a predicate leaves possible, as far as its conjuncts tell."""
    span = Span()
    if where is None:
        return span
    for part in _conjuncts(where.tree):
        span = span.meet(_of_comparison(part, size))
    return span


def _conjuncts(tree: exp.Expr) -> Iterator[exp.Expr]:
    if isinstance(tree, exp.Paren):
        yield from _conjuncts(tree.this)
    elif isinstance(tree, exp.And):
        yield from _conjuncts(tree.left)
        yield from _conjuncts(tree.right)
    else:
        yield tree


_MIRROR = {exp.LT: exp.GT, exp.GT: exp.LT, exp.LTE: exp.GTE, exp.GTE: exp.LTE, exp.EQ: exp.EQ}


def _of_comparison(tree: exp.Expr, size: int) -> Span:
    if isinstance(tree, exp.Between):
        low = _of_comparison(exp.GTE(this=tree.this, expression=tree.args["low"]), size)
        return low.meet(_of_comparison(exp.LTE(this=tree.this, expression=tree.args["high"]), size))
    kind = type(tree)
    if kind not in _MIRROR:
        return Span()
    left, right = tree.this, tree.expression
    if isinstance(right, exp.Column):
        left, right, kind = right, left, _MIRROR[kind]
    shift = {"window_end": 0, "window_start": size}.get(left.name.lower())
    at = _instant(right)
    if not isinstance(left, exp.Column) or shift is None or at is None:
        return Span()
    at += shift
    if kind is exp.EQ:
        return Span(at, at)
    if kind in (exp.LT, exp.LTE):
        return Span(high=at if kind is exp.LTE else at - MICROSECOND)
    return Span(low=at if kind is exp.GTE else at + MICROSECOND)


def _instant(tree: exp.Expr) -> int | None:
    """Microseconds of a timestamp literal; without a zone it is UTC."""
    text = next((node.name for node in tree.find_all(exp.Literal) if node.is_string), None)
    if text is None or tree.find(exp.Column):
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    found = found if found.tzinfo else found.replace(tzinfo=UTC)
    return round((found - EPOCH).total_seconds() * 1_000_000)
