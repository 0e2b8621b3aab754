"""From an error bound to the coverage a window needs.

*Coverage* is the share of a window's rows that are in when its result is given. If each row is
present with probability C, independently, the result is a random sample of the true one; the
threshold is the smallest C for which the relative error exceeds ``epsilon`` with probability
``delta`` at most.

Reference: Ji 2018, ch. 4: SUM is eq. (4.1) in closed form, COUNT a sum of ones, AVG and QUANTILE
the error of a sample mean and of a sample's rank. VAR, STDDEV, MIN and MAX have no error model; ``1
- epsilon`` stands in for them and is labelled a heuristic.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

from slackwater.query.contract import ErrorKind


@dataclass(frozen=True, slots=True)
class Requirement:
    """``Pr[error > epsilon] <= delta`` for one kind of aggregate; ``share`` is p of a quantile."""

    kind: ErrorKind
    epsilon: float
    delta: float = 0.05
    share: float = 0.5

    @property
    def is_heuristic(self) -> bool:
        return self.kind == "heuristic"


@dataclass(frozen=True, slots=True)
class Moments:
    """What is known about the values of one window: how many, their mean and variance."""

    rows: float
    mean: float = 1.0
    variance: float = 0.0

    @classmethod
    def of_sums(cls, rows: float, total: float, squares: float) -> Moments:
        """From count, sum and sum of squares (population variance)."""
        if rows <= 0:
            return cls(0.0, 0.0, 0.0)
        mean = total / rows
        return cls(rows, mean, max(0.0, squares / rows - mean * mean))


def critical_value(delta: float) -> float:
    """``c_δ`` with ``Pr[|Z| > c_δ] = δ`` for a standard normal Z.

    >>> round(critical_value(0.05), 6)
    1.959964
    """
    return NormalDist().inv_cdf(1 - delta / 2)


def coverage_threshold(requirement: Requirement, moments: Moments) -> float:
    """The smallest coverage that keeps the requirement; 1 if nothing is known yet.

    >>> sums = Requirement("sum", 0.01)
    >>> round(coverage_threshold(sums, Moments(555, mean=2, variance=1)), 6)
    0.995925
    """
    epsilon, delta = requirement.epsilon, requirement.delta
    if requirement.kind == "heuristic":
        return 1 - epsilon
    if moments.rows <= 0:
        return 1.0
    if requirement.kind == "count":
        moments = Moments(moments.rows)
    if requirement.kind == "quantile":
        spread = critical_value(delta) ** 2 * requirement.share * (1 - requirement.share)
        return spread / (spread + epsilon**2 * moments.rows)
    if moments.mean == 0:
        return 1.0
    if requirement.kind == "avg":
        spread = critical_value(delta) ** 2 * moments.variance
        return spread / (spread + epsilon**2 * moments.rows * moments.mean**2)
    return _sum_threshold(epsilon, delta, moments)


def _sum_threshold(epsilon: float, delta: float, moments: Moments) -> float:
    """Eq. (4.1) solved for the coverage."""
    a = critical_value(delta) ** 2 * _scatter(moments)
    root = math.sqrt(a * a + 4 * a * epsilon * (1 - epsilon))
    return 1 - ((a + 2 * epsilon) - root) / (2 * (1 + a))


def _scatter(moments: Moments) -> float:
    square = moments.mean**2
    return (moments.variance + square) / (moments.rows * square)
