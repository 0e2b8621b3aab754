"""How probable a part of the space is, dimensions taken as independent (spec robust 1.8)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import erf, prod, sqrt
from typing import Literal, Protocol

from slackwater.robust.box import Box
from slackwater.robust.space import ParameterSpace

Tails = Literal["fold", "raw", "truncate"]
"""What lies beyond the space: counts at its boundary, is lost, or all else is scaled up."""


class Distribution(Protocol):
    """Of one statistic."""

    def below(self, value: float) -> float:
        """How probable it is that the statistic is not greater."""
        ...


@dataclass(frozen=True, slots=True)
class Normal:
    """Around the estimate.

    >>> unit = Normal(0.5, 0.2)
    >>> round(unit.below(0.5) - unit.below(0.3), 4)
    0.3413
    """

    mean: float
    deviation: float

    def below(self, value: float) -> float:
        return (1 + erf((value - self.mean) / (self.deviation * sqrt(2)))) / 2


@dataclass(frozen=True, slots=True)
class Uniform:
    """Anything between two bounds."""

    lo: float
    hi: float

    def below(self, value: float) -> float:
        return min(1.0, max(0.0, (value - self.lo) / (self.hi - self.lo)))


@dataclass(frozen=True, slots=True)
class Empirical:
    """As it was seen; ``values`` are sorted."""

    values: tuple[float, ...]

    def below(self, value: float) -> float:
        return bisect_right(self.values, value) / len(self.values)


def normals(space: ParameterSpace) -> tuple[Normal, ...]:
    """The space spans two deviations to the side where it is wider."""
    found = []
    for number in space.free:
        one = space.dimensions[number]
        deviation = max(one.hi - one.estimate, one.estimate - one.lo) / 2
        found.append(Normal(one.estimate, deviation))
    return tuple(found)


def probability(
    space: ParameterSpace,
    box: Box,
    distributions: Sequence[Distribution],
    tails: Tails = "fold",
) -> float:
    """Pr: how probable it is that the statistics lie in a box.

    A distribution for each dimension that is free. Folded tails are what the classifier makes of
    statistics beyond the space; all boxes of a space then are 1 together.
    """
    return prod(
        _between(space, axis, (box.lo[axis], box.hi[axis]), one, tails)
        for axis, one in enumerate(distributions)
    )


def _between(
    space: ParameterSpace, axis: int, lines: tuple[int, int], one: Distribution, tails: Tails
) -> float:
    known = space.dimensions[space.free[axis]]

    def below(line: int) -> float:
        if tails == "fold" and line in (0, space.units):
            return float(line > 0)
        return one.below(known.lo + (known.hi - known.lo) * line / space.units)

    share = below(lines[1]) - below(lines[0])
    if tails != "truncate":
        return share
    inside = below(space.units) - below(0)
    return share / inside if inside else 0.0
