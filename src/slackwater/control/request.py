"""Prods that people send: which windows they ask for, and why there may be no answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlglot import exp

from slackwater.errors import Problem
from slackwater.plan.demand import aggressiveness_problem, is_text, read_condition
from slackwater.plan.node import Stamp
from slackwater.plan.window import Window
from slackwater.query.expression import Expression
from slackwater.query.schema import Schema
from slackwater.units import BEGIN_OF_TIME, END_OF_TIME, EPOCH, MICROSECOND, show_instant
from slackwater.zones import tzinfo_of

_FIELDS = ("query", "where", "aggressiveness", "automatic", "tree", "how")
MICRO = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Request:
    """A demand from outside: estimate now, or from now on change the aggressiveness or the tree of
    a join.

    ``automatic`` hands the aggressiveness back to the controller. ``how`` says how to get to
    another tree, ``moving`` or ``parallel``. ``fault`` is what was found wrong with it before it
    came here, by trying.
    """

    id: str
    query: str
    where: str | None = None
    aggressiveness: float | None = None
    automatic: bool = False
    fault: str | None = None
    tree: str | None = None
    how: str | None = None

    @property
    def is_prod(self) -> bool:
        """Whether it asks for an estimate now."""
        return self.aggressiveness is None and not self.automatic and self.tree is None


@dataclass(frozen=True, slots=True)
class Span:
    """Window ends asked for: from ``low`` to ``high``, ends included."""

    low: int = BEGIN_OF_TIME
    high: int = END_OF_TIME

    def meet(self, other: Span) -> Span:
        return Span(max(self.low, other.low), min(self.high, other.high))


def request_of(name: str, value: object) -> Request | Problem:
    """The request in a JSON value, or why it is none; its fields are checked when it is asked."""
    at, hint = f"prod {name!r}", f"an object with {', '.join(_FIELDS)}; only query must be given"
    if not isinstance(value, dict):
        return Problem("PROD_INVALID", at, f"{value!r:.100} is not an object", hint)
    if unknown := [key for key in value if key not in _FIELDS]:
        return Problem("PROD_INVALID", at, f"unknown: {', '.join(unknown):.100}", hint)
    query = value.get("query")
    if not isinstance(query, str) or not is_text(query):
        return Problem("PROD_INVALID", at, f"query is {query!r:.100}, not a name", hint)
    return Request(name, **value)


def problem_of(request: Request, schema: Schema, window: Window) -> Problem | None:
    """What is wrong with a request to a query with these results and windows, whoever sent it."""
    at = f"prod of query {request.query!r}"
    if not isinstance(request.automatic, bool):
        text = f"{request.automatic!r:.100} is neither true nor false"
        return Problem("PROD_INVALID", f"{at}, automatic", text)
    if request.aggressiveness is not None:
        if request.automatic:
            hint = "give one of them"
            return Problem(
                "PROD_INVALID", at, "aggressiveness and automatic exclude each other", hint
            )
        place = f"{at}, aggressiveness"
        if problem := aggressiveness_problem(request.aggressiveness, window, place):
            return problem
    found = understand(request.query, schema, request.where)
    return found if isinstance(found, Problem) else None


def understand(query: str, schema: Schema, where: str | None) -> Expression | Problem | None:
    """The predicate of a prod, checked against the columns of the query's results."""
    return None if where is None else read_condition(where, schema, f"prod of query {query!r}")


@dataclass(frozen=True, slots=True)
class Reader:
    """How times in a predicate are read: by the type of window bounds and the session's zone."""

    stamp: Stamp = "timestamp"
    zone: str = "UTC"

    def micros(self, text: str) -> int | None:
        """Microseconds of a time as people write it; ``None`` if that cannot be told."""
        zone = tzinfo_of(self.zone)
        try:
            found = datetime.fromisoformat(text)
            if self.stamp == "timestamp_ntz":  # as it is written: Spark ignores a zone there
                found = found.replace(tzinfo=UTC)
            elif found.tzinfo is None:
                found = found.replace(tzinfo=zone)
            return None if found.tzinfo is None else (found - EPOCH) // MICRO
        except (ValueError, OverflowError):
            return None

    def show(self, micros: int) -> str:
        """An instant in UTC, or the clock on the wall."""
        text = show_instant(micros)
        return text.removesuffix("Z") if self.stamp == "timestamp_ntz" else text


def why_none(
    window: Window,
    where: Expression | None,
    clock: int | None,
    upto: int | None,
    reader: Reader | None = None,
) -> str | None:
    """Why no open window is asked for; ``None`` if one is."""
    reader = reader or Reader()
    span = ends_asked(where, window.size, reader)
    if clock is None:
        return "nothing has arrived yet"
    if span.low > span.high:
        return "the predicate asks for no time at all"
    if span.low == span.high and (span.low - window.size - window.offset) % window.slide:
        return f"no window of this query ends at {reader.show(span.low)}"
    if upto is not None and span.high <= upto:
        return f"closed: windows up to {reader.show(upto)} have their final answer"
    if span.low > window.last_start(clock) + window.size:
        return f"in the future: the clock is at {reader.show(clock)}"
    return None


def ends_asked(where: Expression | None, size: int, reader: Reader | None = None) -> Span:
    """The window ends that a predicate leaves possible, as far as its conjuncts tell."""
    span = Span()
    if where is None:
        return span
    for part in _conjuncts(where.tree):
        span = span.meet(_of_comparison(part, size, reader or Reader()))
    return span


def _conjuncts(tree: exp.Expr) -> Iterator[exp.Expr]:
    """Not by recursion: a thousand conditions in a row are a tree as deep."""
    left = [tree]
    while left:
        one = left.pop()
        if isinstance(one, exp.Paren):
            left.append(one.this)
        elif isinstance(one, exp.And):
            left += [one.right, one.left]
        else:
            yield one


_MIRROR = {exp.LT: exp.GT, exp.GT: exp.LT, exp.LTE: exp.GTE, exp.GTE: exp.LTE, exp.EQ: exp.EQ}


def _of_comparison(tree: exp.Expr, size: int, reader: Reader) -> Span:
    if isinstance(tree, exp.Between):
        low = exp.GTE(this=tree.this, expression=tree.args["low"])
        high = exp.LTE(this=tree.this, expression=tree.args["high"])
        return _of_comparison(low, size, reader).meet(_of_comparison(high, size, reader))
    kind = type(tree)
    if kind not in _MIRROR:
        return Span()
    left, right = tree.this, tree.expression
    if isinstance(right, exp.Column):
        left, right, kind = right, left, _MIRROR[kind]
    shift = {"window_end": 0, "window_start": size}.get(left.name.lower())
    at = _instant(right, reader)
    if not isinstance(left, exp.Column) or shift is None or at is None:
        return Span()
    at += shift
    if kind is exp.EQ:
        return Span(at, at)
    if kind in (exp.LT, exp.LTE):
        return Span(high=at if kind is exp.LTE else at - MICROSECOND)
    return Span(low=at if kind is exp.GTE else at + MICROSECOND)


def _instant(tree: exp.Expr, reader: Reader) -> int | None:
    """Microseconds of a time that is written out; what is computed from one is not looked at."""
    tree, kind = tree.unnest(), None
    if isinstance(tree, exp.Cast) and tree.to.this in exp.DataType.TEMPORAL_TYPES:
        kind, tree = tree.to.this, tree.this
    if not isinstance(tree, exp.Literal) or not tree.is_string:
        return None
    return reader.micros(tree.name[:10] if kind == exp.DataType.Type.DATE else tree.name)
