"""Which partition groups make up an amount of load (spec adaptive 5.4)."""

from __future__ import annotations

from collections.abc import Mapping


def select(loads: Mapping[int, float], amount: float) -> tuple[int, ...]:
    """Groups whose load together is close to the amount and not above: the largest that fits, then
    the next.
    """
    chosen, left = [], amount
    for group in sorted(loads, key=lambda one: (-loads[one], one)):
        if 0 < loads[group] <= left:
            chosen.append(group)
            left -= loads[group]
    return tuple(sorted(chosen))
