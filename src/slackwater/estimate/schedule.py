"""When scheduled prods fire: pure arithmetic on a clock that jumps.

A clock moves from ``before`` to ``now``; a point has been *passed* if ``before < point <= now``. A
clock that has only just begun (``before`` is None) has passed nothing. Answers are ranges, so a
jump over a million points costs no more than one over two; ``points[-3:]`` are the newest.

All times in microseconds. Reference: Bhat 2011, ch. 3, sections 3.4, 4.4 (M7).
"""

from __future__ import annotations

from slackwater.errors import SlackwaterError

NOTHING = range(0)


def points_passed(before: int | None, now: int, every: int, origin: int = 0) -> range:
    """Points ``origin + n·every`` that were passed.

    >>> list(points_passed(9, 31, every=10)), points_passed(None, 31, every=10)
    ([10, 20, 30], range(0, 0))
    """
    _check("every", every)
    if before is None or now <= before:
        return NOTHING
    first = next_point(before, every, origin)
    return range(first, now + 1, every)


def next_point(now: int, every: int, origin: int = 0) -> int:
    """The first point that is still to come."""
    _check("every", every)
    return now + every - (now - origin) % every


def lead(aggressiveness: float, slide: int) -> int:
    """``o = p·S``: how long before the end of its window a prod comes, negative for after it."""
    _check("slide", slide)
    return round(aggressiveness * slide)


def ends_prodded(
    before: int | None,
    now: int,
    aggressiveness: float,
    *,
    size: int,
    slide: int,
    offset: int = 0,
) -> range:
    """Ends of the windows whose prod was due: those with ``end − p·slide`` passed.

    Parameters
    ----------
    aggressiveness
        ``p`` as a share of the slide; below 0 for prods after the window's end.
    size, slide, offset
        Windows begin at ``offset + n·slide`` and are ``size`` long.

    Examples
    --------
    A prod 90 s into every slide of 120 s, windows of 10 minutes:

    >>> list(ends_prodded(500, 820, 0.25, size=600, slide=120))
    [600, 720, 840]
    """
    _check("size", size)
    ahead = lead(aggressiveness, slide)
    shifted = None if before is None else before + ahead
    return points_passed(shifted, now + ahead, slide, origin=offset + size)


def next_prod(now: int, aggressiveness: float, *, size: int, slide: int, offset: int = 0) -> int:
    """When the next of these prods is due."""
    ahead = lead(aggressiveness, slide)
    return next_point(now + ahead, slide, offset + size) - ahead


def _check(name: str, length: int) -> None:
    if length <= 0:
        raise SlackwaterError(
            "SCHEDULE_INVALID",
            f"schedule of prods: {name} is {length}, it must be above 0",
            "give a duration in microseconds",
        )
