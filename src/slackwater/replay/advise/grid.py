"""Fixed slacks worth showing: 0, then about geometric up to the largest delay."""

from __future__ import annotations

import numpy as np

from slackwater.units import MILLISECOND

POINTS = 16
SPAN = 2_000  # the largest delay over the smallest slack shown, unless the answer is below


def grid(largest: int, *answers: int) -> tuple[int, ...]:
    """Slacks in microseconds, with the answers among them.

    >>> grid(10_000_000, 1_234_567)[:4], grid(0)
    ((0, 5000, 8300, 14000), (0,))
    """
    if largest <= 0:
        return tuple(sorted({0, *answers}))
    marks = [max(answer / 8, MILLISECOND) for answer in answers if answer]
    least = min([largest / SPAN, *marks])
    points = np.geomspace(max(1.0, min(least, largest)), largest, POINTS)[:-1]
    return tuple(sorted({0, *(_round(point) for point in points), largest, *answers}))


def _round(value: float) -> int:
    """To two digits: a slack is something people type."""
    digits = max(0, int(np.floor(np.log10(value))) - 1)
    return int(round(value / 10**digits) * 10**digits)
