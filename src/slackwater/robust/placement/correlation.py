"""How the loads of operators change together from plan to plan (spec robust 2.8, Eq. 11 to 14).

Each plan counts once. The source work prints sample standard deviations under the name of a
variance; here deviations are those of the population.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt


def mean(values: Sequence[float]) -> float:
    """μ (Eq. 11)."""
    return sum(values) / len(values)


def deviation(values: Sequence[float]) -> float:
    """σ, of the population (Eq. 12)."""
    middle = mean(values)
    return sqrt(sum((value - middle) ** 2 for value in values) / len(values))


def correlation(one: Sequence[float], other: Sequence[float]) -> float:
    """ρ (Eq. 13); what does not change is correlated with nothing."""
    spread = deviation(one) * deviation(other)
    if spread == 0:
        return 0.0
    a, b = mean(one), mean(other)
    both = sum((x - a) * (y - b) for x, y in zip(one, other, strict=True)) / len(one)
    return both / spread


def joint_deviation(one: Sequence[float], other: Sequence[float]) -> float:
    """The deviation of the sum of two (Eq. 14, called correlated variance)."""
    return deviation([x + y for x, y in zip(one, other, strict=True)])
