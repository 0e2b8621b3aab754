"""When to stop looking for plans that are not known yet (spec robust 2.5.1).

What is missing is a share of the space, in sum over all missing plans. Both theorems speak of
independent probes all over the space; corners of boxes are not such probes, so what they promise
of a search is a rule of thumb unless it is verified by uniform ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, exp, sqrt


@dataclass(frozen=True, slots=True)
class Guarantee:
    """With probability 1 - ``alpha`` less than ``missing`` of the space is for plans not found."""

    alpha: float = 0.05
    missing: float = 0.05

    @property
    def threshold(self) -> float:
        """Δ0: so many probes in a row without a new plan are enough (Theorem 4.1)."""
        return (1 + 1 / sqrt(self.alpha)) / self.missing

    @property
    def probes(self) -> int:
        """Δ0 as a number of probes.

        >>> Guarantee(0.05, 0.05).probes
        110
        """
        return ceil(self.threshold)

    def miss_bound(self, gamma: float) -> float:
        """How probable it is at most to miss a plan for γ times ``missing`` (Theorem 4.2)."""
        return exp(-gamma * (1 + 1 / sqrt(self.alpha)))


def upper_root(probes: int, alpha: float) -> float:
    """What is missing is less with probability 1 - α, after so many probes without a new plan."""
    k2 = 1 / alpha
    inner = k2 + 4 * probes * (probes - 1)
    return (2 * probes - k2 + sqrt(k2) * sqrt(inner)) / (2 * probes**2)
