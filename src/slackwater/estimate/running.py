"""Running accuracy: what the estimates so far were worth, in five numbers and the newest ones.

All accuracies are kept in steps of 0.001 %, so that sums of them are exact and short in JSON.
Reference: Bhat 2011, sections 3.4, 4.4 (M9).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
PLACES = 3


@dataclass(frozen=True, slots=True)
class Running:
    """Accuracy of estimates that met their finals; percent.

    Parameters
    ----------
    pairs
        How many pairs of estimate and final there were.
    total
        Sum of their accuracies.
    weighted
        Mean with exponentially falling weights, newest pair first.
    worst
        The least accuracy so far.
    recent
        The newest accuracies, oldest first.

    Examples
    --------
    >>> seen = Running().add(np.array([90.0, 100.0]), last=10, weight=0.5)
    >>> seen.mean, seen.last_mean, seen.weighted, seen.worst
    (95.0, 95.0, 95.0, 90.0)
    """

    pairs: int = 0
    total: float = 0.0
    weighted: float | None = None
    worst: float | None = None
    recent: tuple[float, ...] = ()

    @property
    def mean(self) -> float | None:
        """Cumulative mean, ``None`` before the first pair."""
        return self.total / self.pairs if self.pairs else None

    @property
    def last_mean(self) -> float | None:
        """Mean of the newest pairs, ``None`` before the first."""
        return sum(self.recent) / len(self.recent) if self.recent else None

    def add(self, accuracies: Array, *, last: int, weight: float) -> Running:
        """With more pairs, in the order given; ``last`` of them are remembered one by one."""
        if not accuracies.size:
            return self
        new = np.round(accuracies, PLACES)
        lowest = float(new.min())
        return Running(
            self.pairs + new.size,
            round(self.total + float(new.sum()), PLACES),
            _weighted(self.weighted, new, weight),
            lowest if self.worst is None else min(self.worst, lowest),
            (*self.recent, *new[-last:].tolist())[-last:],
        )

    def to_json(self) -> list[Any]:
        return [self.pairs, self.total, self.weighted, self.worst, list(self.recent)]

    @classmethod
    def from_json(cls, form: Sequence[Any]) -> Running:
        pairs, total, weighted, lowest, recent = form
        return cls(pairs, total, weighted, lowest, tuple(recent))


def _weighted(before: float | None, new: Array, weight: float) -> float:
    """The exponentially weighted mean after all of ``new``; the first value ever starts it."""
    first, rest = (before, new) if before is not None else (float(new[0]), new[1:])
    fading = (1.0 - weight) ** np.arange(rest.size - 1, -1, -1)
    found = first * (1.0 - weight) ** rest.size + weight * float(fading @ rest)
    return round(float(found), PLACES)
