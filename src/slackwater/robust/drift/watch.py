"""A cheap look at what comes in, that says when a dear look at plans is due (spec robust 3.5.1).

The first tier samples values and rates of rows that arrive, always. Only when these change are
selectivities and costs of operators measured plan by plan, the second tier.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from slackwater.robust.drift.observed import divergence, histogram

APART = 0.1  # divergence that counts as a change
CALM = 3  # looks without a change, after which the second tier is off again


@dataclass(frozen=True, slots=True)
class Watched:
    """Values as they were when plans were made, in parts between two bounds."""

    lo: float
    hi: float
    shares: tuple[float, ...]

    @classmethod
    def of(cls, values: Sequence[float], lo: float, hi: float) -> Watched:
        return cls(lo, hi, tuple(histogram(values, lo, hi)))

    def distance(self, values: Sequence[float]) -> float:
        return divergence(self.shares, histogram(values, self.lo, self.hi))


@dataclass(frozen=True, slots=True)
class Watch:
    """What is watched, by name; ``calm`` looks have shown no change since one did."""

    known: Mapping[str, Watched]
    calm: int | None = None

    @property
    def is_second_tier(self) -> bool:
        """Whether plans and operators are measured now."""
        return self.calm is not None

    def after(self, sample: Mapping[str, Sequence[float]]) -> Watch:
        """With a sample of what came."""
        apart = (self.known[name].distance(v) for name, v in sample.items() if len(v))
        if max(apart, default=0.0) > APART:
            return replace(self, calm=0)
        if self.calm is None or self.calm + 1 >= CALM:
            return replace(self, calm=None)
        return replace(self, calm=self.calm + 1)
