"""What counts as a number in a log, which may be damaged or come from elsewhere."""

from __future__ import annotations

from typing import TypeGuard

HUGE = 1 << 63  # no number of ours is that large


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a number that can be kept and drawn.

    >>> is_number(1), is_number(float("nan")), is_number("1"), is_number(10**30)
    (True, False, False, False)
    """
    return isinstance(value, int | float) and abs(value) < HUGE


def number_of(value: object) -> float | None:
    """The number that a value is, ``None`` if it is none."""
    return float(value) if is_number(value) else None
