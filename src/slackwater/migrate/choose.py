"""Moving state or parallel track: what each takes, and which to choose (Zhu 2006, spec 4.9, 4.10).

Formulas are numbered as in the source work. Rates are rows per second, windows seconds, the rest
seconds per thing done.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

How = Literal["moving", "parallel"]
HOWS: tuple[How, ...] = ("moving", "parallel")


@dataclass(frozen=True, slots=True)
class Effort:
    """Seconds to join a pair, to put a row into a state, to compare two names, to hand one on."""

    join: float = 1.0
    insert: float = 1.0
    compare: float = 0.0
    cursor: float = 0.0


@dataclass(frozen=True, slots=True)
class Side:
    """One input of a join: rows per second."""

    rate: float


@dataclass(frozen=True, slots=True)
class Pair:
    """A binary join whose state is to be made: its two sides, and the share of pairs it keeps."""

    left: Side | Pair
    right: Side | Pair
    share: float


def rate(of: Side | Pair, window: float) -> float:
    """Rows per second; of a join those it gives (12.2)."""
    if isinstance(of, Side):
        return of.rate
    return 2 * rate(of.left, window) * rate(of.right, window) * window * of.share


def making(state: Pair, window: float, effort: Effort) -> float:
    """Seconds to make a state from those of its sides (12.1)."""
    pairs = rate(state.left, window) * rate(state.right, window) * window**2
    return pairs * (effort.join + effort.insert * state.share)


def moving_seconds(
    made: Sequence[Pair], window: float, effort: Effort, operators: tuple[int, int] = (0, 0)
) -> float:
    """Seconds without an answer if state is moved (12.3; for two states in a chain 16.1).

    ``made`` are the states that the new plan lacks; ``operators`` counts joins of both plans.
    """
    old, new = operators
    matched = 4 * old * new * effort.compare + 2 * min(old, new) * effort.cursor
    return matched + sum(making(state, window, effort) for state in made)


def parallel_seconds(window: float, height: int, *, tight: bool = False) -> float:
    """How long both plans run side by side (12.4), ``height`` being that of the old one.

    The source work lets go of a combination by its newest member: one that was made late holds an
    old row for another window. ``tight`` lets go of it by its oldest, as the engine does.
    """
    return window if height == 1 or tight else 2 * window


def old_work(left: float, right: float, window: float, effort: Effort) -> float:
    """Seconds that a join of the old plan works while both run (12.5)."""
    return 2 * window * _steady(left, right, window, effort)


def new_work(left: float, right: float, window: float, effort: Effort) -> float:
    """The same of the new plan, whose states begin empty (12.6, in the form that adds up)."""
    filling = window * effort.insert * (left + right) + effort.join * left * right * window**2
    return filling + window * _steady(left, right, window, effort)


def _steady(left: float, right: float, window: float, effort: Effort) -> float:
    return 2 * effort.join * left * right * window + 2 * effort.insert * (left + right)


@dataclass(frozen=True, slots=True)
class Situation:
    """What a choice depends on, in seconds.

    ``pause`` is how long nothing comes out if state is moved, ``overlap`` how long two plans would
    run side by side if there is enough of the machine; ``load`` is the share of it that both need.
    ``longest`` is the pause that answers may make, if that matters. ``only`` is the one way that
    operators of the plan allow.
    """

    pause: float
    overlap: float
    load: float = 1.0
    longest: float | None = None
    only: How | None = None


@dataclass(frozen=True, slots=True)
class Chosen:
    """How to change, why, and how long the change takes."""

    how: How
    why: str
    seconds: float


def choose(found: Situation) -> Chosen:
    """The way that is possible, makes no pause that is too long, and is over first."""
    overlap = found.overlap * max(1.0, found.load)  # short of time, both plans fall behind
    taken = {"moving": found.pause, "parallel": overlap}
    if found.only is not None:
        return Chosen(found.only, "the plan allows no other", taken[found.only])
    if found.longest is not None and found.pause > found.longest:
        return Chosen("parallel", "moving state would pause for too long", overlap)
    if found.pause <= overlap:
        return Chosen("moving", "it is over first", found.pause)
    return Chosen("parallel", "it is over first", overlap)
