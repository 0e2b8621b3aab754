"""Partials: what a window aggregate holds for one window and group.

Besides the state of the aggregate itself they tell how many tuples are in, when the first one
arrived and how old the oldest is. Reference: Bhat 2011, ch. 3, 1.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from slackwater.papers.stream.monoids import MAX, MIN, Monoid, paired


class Partial(NamedTuple):
    """A part of an answer.

    ``slide`` is the newest slide that a tuple of it belongs to, ``slide_arrival`` when the first
    tuple of that slide arrived.
    """

    state: Any
    rows: int
    first_arrival: int
    oldest: int
    slide: int
    slide_arrival: int


def merge(monoid: Monoid[Any, Any, Any], one: Partial, other: Partial) -> Partial:
    """Both together."""
    if one.slide == other.slide:
        slide, arrival = one.slide, min(one.slide_arrival, other.slide_arrival)
    else:
        slide, arrival = max(one[4:], other[4:])
    return Partial(
        monoid.merge(one.state, other.state),
        one.rows + other.rows,
        min(one.first_arrival, other.first_arrival),
        min(one.oldest, other.oldest),
        slide,
        arrival,
    )


_BOTH = paired(MAX, MIN)


def _distance(state: tuple[Any, Any]) -> Any:
    return state[0] - state[1]


# High minus low: the query that tells a trend, and suffers most from a bad estimate.
SPAN: Monoid[Any, tuple[Any, Any], Any] = Monoid(_BOTH.zero, _BOTH.lift, _BOTH.merge, _distance)
