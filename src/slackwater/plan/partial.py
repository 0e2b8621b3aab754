"""Partials: the columns that a pane of state has beside its keys."""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.units import fingerprint


@dataclass(frozen=True, slots=True)
class Partial:
    """One column of pane state.

    ``merge`` is an SQL aggregate, a sketch (``hll``, ``kll``), or ``exact``/``mean``/``m2``, which
    need the count and mean beside them (``count``, ``mean`` name those columns). ``first`` and
    ``last`` keep a value with its event time. ``value`` merges nothing: state has a row for each
    distinct value, and how many rows had it. ``kind`` is its type; ``exact`` is a sum of decimals
    that may get too long, and is null from then on. A sum that ``wraps`` may leave the range of its
    type.
    """

    name: str
    sql: str
    merge: str
    count: str = ""
    mean: str = ""
    kind: str = ""
    wraps: bool = False

    @property
    def is_sketch(self) -> bool:
        return self.merge in ("hll", "kll")

    @property
    def is_value(self) -> bool:
        """Whether rows of state are kept apart by it, as by a key."""
        return self.merge == "value"

    @property
    def is_timed(self) -> bool:
        """Whether it is a value with its event time."""
        return self.merge in ("first", "last")


@dataclass(frozen=True, slots=True)
class Split:
    """An aggregate call taken apart: its partials and the expression that reads the answer.

    Aggregates in ``final`` are over partials that are values, or have an event time.
    """

    partials: tuple[Partial, ...]
    final: str


def partial_of(kind: str, sql: str, merge: str, *, count: str = "", mean: str = "") -> Partial:
    """A partial that is named after what it is."""
    return Partial(f"{kind}_{fingerprint([kind, sql])[:8]}", sql, merge, count, mean)
