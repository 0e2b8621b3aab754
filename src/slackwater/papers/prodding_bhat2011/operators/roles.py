"""Roles: what each stateful operator of a plan does with its state when a prod passes.

* ``TOP``: the last one; answers and keeps its state (rule R1).
* ``INCREMENTAL``: sends what it gathered since it last sent, and forgets it; the operator above
  adds it for good. Pane aggregates are of this kind.
* ``ACCUMULATING``: sends its full value and keeps it; what it sent is *provisional*, valid for
  this prod alone. If the operator above folded it in for good, finals would be wrong.

An operator may be incremental if three things hold for the next stateful operator above it: (i)
that one merges partials of the same algebra; (ii) all fragments of one entry meet in the same
entries there: its keys and its windows depend on nothing but the keys and windows below; (iii) what
lies in between commutes with the merge. The source work left the deduction open.

Reference: Bhat 2011, ch. 3 (R1; deduction rule).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Literal

from slackwater.errors import SlackwaterError

WINDOW_START = "window_start"
WINDOW_END = "window_end"
# An aggregate over values that merges partials of another (pane → window).
MERGING = {("sum", "sum"), ("count", "sum"), ("max", "max"), ("min", "min")}
Computing = Literal["copy", "linear", "increasing", "other"]


class Role(StrEnum):
    """What a stateful operator does on a prod."""

    TOP = "top"
    INCREMENTAL = "incremental"
    ACCUMULATING = "accumulating"


@dataclass(frozen=True, slots=True)
class Value:
    """A value an operator aggregates.

    Parameters
    ----------
    name
        Column that is sent up.
    algebra
        ``count``, ``sum``, ``max``, ``min``, ``avg``, or the name of a monoid.
    of
        Column that is aggregated; ``None`` if rows are.
    is_merge
        It merges *partials* of the algebra that came from below: a window above its panes.
    """

    name: str
    algebra: str
    of: str | None = None
    is_merge: bool = False


@dataclass(frozen=True, slots=True)
class Filter:
    """Rows are kept by what some columns say."""

    reads: frozenset[str]


@dataclass(frozen=True, slots=True)
class Compute:
    """A column is computed from others.

    ``copy``: a new name. ``linear``: a factor, no constant; f(a+b) = f(a)+f(b). ``increasing``:
    f(max(a,b)) = max(f(a),f(b)), likewise the minimum. ``other``: nothing is known of it.
    """

    name: str
    reads: frozenset[str]
    how: Computing = "other"


@dataclass(frozen=True, slots=True)
class Level:
    """One stateful operator, with what lies between it and the next one above.

    An operator without values (join, duplicate elimination) sends what it finds at once: there
    is nothing left to sweep out of it, and nothing of it to purge.

    Parameters
    ----------
    key
        Columns it groups by, its window apart.
    window
        Size and slide in microseconds, ``None`` if it has none.
    time
        Column by which it puts rows into windows.
    above
        Stateless steps that its rows pass on their way up, in order.
    """

    name: str
    values: tuple[Value, ...] = ()
    key: frozenset[str] = frozenset()
    window: tuple[int, int] | None = None
    time: str = WINDOW_END
    above: tuple[Filter | Compute, ...] = ()


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a column comes from: the key of an entry (``algebra`` is None), or one of its values.

    ``is_plain`` as long as nothing was done to a value that its merge does not commute with.
    """

    algebra: str | None = None
    is_plain: bool = True


def roles(levels: Sequence[Level]) -> tuple[Role, ...]:
    """The role of each stateful operator, bottom up.

    Examples
    --------
    Per-sensor sum by panes, then by windows, then the largest over sensors (Q3-4):

    >>> pane = Level("pane sum", (Value("s", "sum", "volume"),), frozenset({"sensor"}), (10, 10))
    >>> window = Level(
    ...     "sum", (Value("s", "sum", "s", is_merge=True),), frozenset({"sensor"}), (30, 10)
    ... )
    >>> top = Level("max", (Value("m", "max", "s"),), window=(30, 10))
    >>> [str(role) for role in roles([pane, window, top])]
    ['incremental', 'accumulating', 'top']
    """
    if not levels:
        raise SlackwaterError("PLAN_INVALID", "roles: the plan has no stateful operator")
    found = [
        Role.INCREMENTAL if why_not_incremental(low, high) is None else Role.ACCUMULATING
        for low, high in pairwise(levels)
    ]
    return (*found, Role.TOP)


def why_not_incremental(low: Level, high: Level) -> str | None:
    """Why increments of ``low`` would spoil ``high``; ``None`` if they would not."""
    if not low.values:
        return None
    if not high.values:
        return f"{high.name} does not merge partials"
    columns = {
        **dict.fromkeys((*low.key, WINDOW_START, WINDOW_END), Origin()),
        **{value.name: Origin(value.algebra) for value in low.values},
    }
    for step in low.above:
        if isinstance(step, Filter):
            if not _is_key(columns, step.reads):
                return f"a filter above {low.name} reads an aggregate"
        else:
            columns[step.name] = _computed(columns, step)
    return _why_not_met(high, columns) or _why_not_merged(high, columns)


def _is_key(columns: dict[str, Origin], names: frozenset[str]) -> bool:
    return all(name in columns and columns[name].algebra is None for name in names)


def _computed(columns: dict[str, Origin], step: Compute) -> Origin:
    if _is_key(columns, step.reads):
        return Origin()
    known = columns.get(next(iter(step.reads))) if len(step.reads) == 1 else None
    if known is None or known.algebra is None:
        return Origin("?", is_plain=False)
    commutes = step.how == "copy" or (
        step.how == "linear"
        if known.algebra in ("sum", "count")
        else step.how == "increasing" and known.algebra in ("max", "min")
    )
    return Origin(known.algebra, known.is_plain and commutes)


def _why_not_met(high: Level, columns: dict[str, Origin]) -> str | None:
    """(ii) fragments of one entry meet only if key and window above look at nothing else."""
    if not _is_key(columns, high.key):
        return f"{high.name} groups by more than the keys below"
    if high.window is not None and not _is_key(columns, frozenset({high.time})):
        return f"{high.name} is windowed by {high.time}, which is no window below"
    return None


def _why_not_merged(high: Level, columns: dict[str, Origin]) -> str | None:
    """(i) and (iii): each value above merges the partials of one value below, untouched."""
    for value in high.values:
        known = columns.get(value.of) if value.of is not None else None
        if known is None or known.algebra is None:
            return f"{value.name} of {high.name} does not merge a value below"
        if not known.is_plain:
            return f"{value.of} is computed in a way that its merge does not survive"
        same = value.is_merge and value.algebra == known.algebra
        if not same and (value.is_merge or (known.algebra, value.algebra) not in MERGING):
            return f"{value.algebra} does not merge partials of {known.algebra}"
    return None
