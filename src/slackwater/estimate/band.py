"""Whether finals lie within the bands of their estimates, and how wide bands are planned for that.

A quantile of the past holds for a future that is like it. Where it is not (values drift, the first
windows were calm), bands that keep to it miss more than they say. So the share of misses that a
band is *planned* with follows what was seen: adaptive conformal inference, as for slacks
(``disorder/conformal.py``), of the same sum: a pair outside takes from it, one inside gives.

Below ``LEAST`` of the allowed misses the quantiles of a short memory say little: from there on the
band is stretched beyond what was ever seen. What follows for any sequence: the share of pairs
outside comes to what was allowed, as long as some finite band would do.

Reference: I. Gibbs, E. Candès: Adaptive Conformal Inference Under Distribution Shift, 2021.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from slackwater.estimate.ratios import Ratios

Array = npt.NDArray[np.float64]
GAIN = 0.02  # of a pair, if it comes alone
MOST_GAIN = 0.1  # of all that meet their finals together: they tend to be off alike
LEAST, LARGEST = 0.25, 3.0  # of the allowed misses
WIDEST = -3.0  # planned below: a band is stretched to 26 times


@dataclass(frozen=True, slots=True)
class Hits:
    """How many finals lay inside of their bands, and the share of the misses to plan with.

    That is about bands of one ``level``; of another one nothing is known.
    """

    pairs: int = 0
    inside: int = 0
    planned: float = 1.0
    level: float | None = None

    def add(self, band: tuple[float, float] | None, ratios: Array, level: float) -> Hits:
        """With finals that were ``ratios`` of their estimates, by the band of their age.

        >>> Hits().add((0.9, 1.1), np.array([1.0, 1.2]), 0.9).planned
        0.84
        """
        if self.level not in (None, level):
            return Hits().add(band, ratios, level)
        if band is None or not ratios.size:
            return self
        inside = int(((ratios >= band[0]) & (ratios <= band[1])).sum())
        missed = (1 - inside / ratios.size) / (1 - level)
        planned = self.planned + min(MOST_GAIN, GAIN * ratios.size) * (1 - missed)
        return Hits(
            self.pairs + ratios.size,
            self.inside + inside,
            round(min(LARGEST, max(WIDEST, planned)), 6),
            level,
        )

    def widened(self, ratios: Ratios, level: float) -> tuple[float, float] | None:
        """The band that is said: as planned, and stretched where that is not enough."""
        if self.level != level:
            return ratios.band(level)
        risk = (1 - level) * max(LEAST, self.planned)
        found = ratios.band(max(0.0, 1 - risk)) or ratios.band(level)
        if found is None or self.planned >= LEAST:
            return found
        low, high = (math.log(end) for end in found)
        middle, half = (low + high) / 2, (high - low) / 2 * math.exp(LEAST - self.planned)
        return math.exp(middle - half), math.exp(middle + half)

    def to_json(self) -> list[float | None]:
        return [self.pairs, self.inside, self.planned, self.level]
