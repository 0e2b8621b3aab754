"""Whether load is to be moved, from whom to whom, and how much (spec adaptive 5.4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Reason = Literal["nobody is overloaded", "everybody is overloaded", "the difference is small"]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """``highest``: a machine with less is not overloaded. ``lowest``: one with more has no room for
    others. ``difference``: less than that between the two is not worth a move.
    """

    highest: float
    lowest: float
    difference: float


@dataclass(frozen=True, slots=True)
class Move:
    """An amount of load goes from one machine to another."""

    sender: int
    receiver: int
    amount: float


def decide(loads: Mapping[int, float], thresholds: Thresholds) -> Move | Reason:
    """One move between the most and the least loaded machine, or why there is none.

    Where everybody is overloaded, moving helps nobody: then plans must get cheaper, or rows wait.
    """
    sender = max(loads, key=lambda machine: (loads[machine], -machine))
    receiver = min(loads, key=lambda machine: (loads[machine], machine))
    high, low = loads[sender], loads[receiver]
    if high < thresholds.highest:
        return "nobody is overloaded"
    if low > thresholds.lowest:
        return "everybody is overloaded"
    if high - low < thresholds.difference:
        return "the difference is small"
    return Move(sender, receiver, (high - low) / 2)
