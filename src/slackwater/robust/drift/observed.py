"""The space as it was observed, and how far it has left the one that was planned for (3.5.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import log2

from slackwater.robust.space import ParameterSpace, Point

Covered = Callable[[ParameterSpace], float]
"""The share of a space where one of the known plans is good, and can be carried."""
PARTS = 8  # of each dimension, at which coverage is looked at
MOST = 4096  # points of such a grid; beyond, so many at random as the next says
SAMPLE = 1000


def observed_space(space: ParameterSpace, seen: Sequence[Point]) -> ParameterSpace:
    """S': by dimension the mean of what was seen, between the least and the most."""
    found = []
    for one, values in zip(space.dimensions, zip(*seen, strict=True), strict=True):
        middle = sum(values) / len(values)
        found.append(replace(one, estimate=middle, lo=min(values), hi=max(values)))
    return ParameterSpace(tuple(found), space.units)


def overlap(space: ParameterSpace, other: ParameterSpace) -> float:
    """|S' ∩ S| as a share of ``space``, S'."""
    share = 1.0
    for mine, theirs in zip(space.dimensions, other.dimensions, strict=True):
        common = min(mine.hi, theirs.hi) - max(mine.lo, theirs.lo)
        width = mine.hi - mine.lo
        share *= max(0.0, common) / width if width else float(common >= 0)
    return share


@dataclass(frozen=True, slots=True)
class Thresholds:
    """``loss`` of coverage that counts as drift (θ_space), and how often in a row it is seen."""

    loss: float = 0.1
    in_a_row: int = 2


@dataclass(frozen=True, slots=True)
class Analysis:
    """What was planned for and what is there, in shares that are covered."""

    space: ParameterSpace
    before: float
    now: float
    is_alarm: bool


@dataclass(frozen=True, slots=True)
class Analyzer:
    """Alarms in a row, and whether these are enough to call it drift; saved with a pipeline."""

    alarms: int = 0

    def after(self, analysis: Analysis) -> Analyzer:
        return Analyzer(self.alarms + 1 if analysis.is_alarm else 0)

    def is_drift(self, thresholds: Thresholds) -> bool:
        return self.alarms >= thresholds.in_a_row


def analyse(
    space: ParameterSpace, seen: Sequence[Point], covered: Covered, thresholds: Thresholds
) -> Analysis:
    """How much of the observed space the known plans cover, beside how much of the planned one."""
    there = observed_space(space, seen)
    before, now = covered(space), covered(there)
    return Analysis(there, before, now, before - now > thresholds.loss)


def histogram(values: Sequence[float], lo: float, hi: float, parts: int = 16) -> list[float]:
    """Shares of values in equal parts between two bounds; what is beyond counts at the end."""
    found = [0.0] * parts
    for value in values:
        place = int((value - lo) / (hi - lo) * parts) if hi > lo else 0
        found[min(parts - 1, max(0, place))] += 1 / len(values)
    return found


def divergence(one: Sequence[float], other: Sequence[float]) -> float:
    """Jensen-Shannon, between 0 and 1: the distance that the source work names and does not use."""
    middle = [(p + q) / 2 for p, q in zip(one, other, strict=True)]

    def bits(shares: Sequence[float]) -> float:
        parts = zip(shares, middle, strict=True)
        return sum(p * log2(p / m) for p, m in parts if p > 0)

    return (bits(one) + bits(other)) / 2
