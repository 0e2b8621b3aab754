"""Logical plans: streams become windows, windows relations, relations relations, then streams.

What turns relations into relations (*R2R*: selection, projection, join, aggregate; two inputs at
most) may be done by either engine; windows and outputs stay where streams are. Reference: Ji 2018,
ch. 2, 6. Names are unique in a plan, and rows of a join have the columns of both sides, those of
the right key left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from slackwater.errors import SlackwaterError

INCREMENTAL = frozenset({"count", "sum", "avg"})
"""Aggregates that follow single rows; ``max`` is not among them, as in the source work."""


@dataclass(frozen=True, slots=True)
class Window:
    """A source and the window over it: ``size`` and ``slide`` in seconds, or both in rows.

    ``rate`` is rows of the source in a second.
    """

    name: str
    columns: tuple[str, ...]
    rate: float
    size: float
    slide: float
    unit: Literal["seconds", "rows"] = "seconds"


@dataclass(frozen=True, slots=True)
class Select:
    """Rows that a predicate keeps, ``share`` of them."""

    name: str
    over: Relation
    predicate: str
    share: float


@dataclass(frozen=True, slots=True)
class Project:
    """Expressions by the name of their column."""

    name: str
    over: Relation
    columns: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Join:
    """Pairs of rows with equal keys; a row meets ``share`` of the rows of the other side."""

    name: str
    left: Relation
    right: Relation
    on: tuple[tuple[str, str], ...]
    share: float


@dataclass(frozen=True, slots=True)
class Aggregate:
    """``(column, function, argument)`` for each of ``groups`` combinations of keys."""

    name: str
    over: Relation
    keys: tuple[str, ...]
    values: tuple[tuple[str, str, str], ...]
    groups: float

    @property
    def is_incremental(self) -> bool:
        return all(function in INCREMENTAL for _, function, _ in self.values)


Step = Select | Project | Join | Aggregate
Relation = Window | Step


@dataclass(frozen=True, slots=True)
class Output:
    """R2S and sink: all rows of each instant (``rstream``), or those that are new (``istream``)."""

    over: Relation
    kind: Literal["rstream", "istream", "dstream"] = "rstream"
    sink: str = "results"


def inputs(step: Relation) -> tuple[Relation, ...]:
    """What an operator reads."""
    if isinstance(step, Window):
        return ()
    return (step.left, step.right) if isinstance(step, Join) else (step.over,)


def walk(root: Relation) -> Iterator[Relation]:
    """All operators, each behind its inputs."""
    for one in inputs(root):
        yield from walk(one)
    yield root


def steps(root: Relation) -> tuple[Step, ...]:
    """The R2R operators, each behind its inputs."""
    return tuple(one for one in walk(root) if not isinstance(one, Window))


def windows(root: Relation) -> tuple[Window, ...]:
    return tuple(one for one in walk(root) if isinstance(one, Window))


def columns(root: Relation) -> tuple[str, ...]:
    """Names of the columns that an operator gives."""
    match root:
        case Window():
            return root.columns
        case Select():
            return columns(root.over)
        case Project():
            return tuple(name for name, _ in root.columns)
        case Aggregate():
            return (*root.keys, *(name for name, _, _ in root.values))
        case Join():
            keys = {right for _, right in root.on}
            right = (name for name in columns(root.right) if name not in keys)
            return (*columns(root.left), *right)


def check(root: Relation) -> None:
    """Refuse a plan that means nothing."""
    names = [one.name for one in set(windows(root))] + [one.name for one in steps(root)]
    for problem in (
        *(f"{name!r} is there twice" for name in sorted(set(names)) if names.count(name) > 1),
        *(_problem(one) for one in walk(root)),
    ):
        if problem:
            raise SlackwaterError(
                "PLAN_INVALID",
                f"logical plan: {problem}",
                "names are unique, columns exist, shares are between 0 and 1, sizes above 0",
            )


def _problem(one: Relation) -> str:
    known = {name for source in inputs(one) for name in columns(source)}
    match one:
        case Window():
            bad = min(one.size, one.slide) <= 0 or one.rate < 0
            return f"{one.name!r} has size {one.size} and slide {one.slide}" if bad else ""
        case Select():
            return "" if 0 <= one.share <= 1 else f"{one.name!r} keeps {one.share}"
        case Project():
            return "" if one.columns else f"{one.name!r} has no columns"
        case Aggregate():
            missing = [name for name in one.keys if name not in known]
            return f"{one.name!r} groups by {missing}, which it does not get" if missing else ""
        case Join():
            return _join_problem(one)


def _join_problem(join: Join) -> str:
    left, right = set(columns(join.left)), set(columns(join.right))
    missing = [f"{a} = {b}" for a, b in join.on if a not in left or b not in right]
    both = left & (right - {b for _, b in join.on})
    if missing:
        return f"{join.name!r} joins by {', '.join(missing)}, which it does not get"
    if both:
        return f"{join.name!r} has {sorted(both)} on both sides"
    return "" if 0 <= join.share <= 1 else f"{join.name!r} has the share {join.share}"
