"""Prudence: with how much of the allowed risk a controller plans, and what it does beyond that.

What the past would have needed is not always enough for the future. While measured results break
their bound too often, the share of the risk that is planned with (``margin``) shrinks; it grows
back slowly. A margin that has become very small stretches the slack itself: the past is then no
guide any more, as in a drift.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Prudence:
    """How fast the margin moves, and between which values.

    Parameters
    ----------
    gain
        Speed: the margin grows by this factor's exponential while nothing breaks.
    mildest, strictest
        The largest share of the risk that is planned with, and where stretching begins.
    """

    gain: float = 0.05
    mildest: float = 0.5
    strictest: float = 0.1

    def after(self, margin: float, broken: float, risk: float) -> float:
        """The margin after a share ``broken`` of results broke a bound that allows ``risk``.

        It comes to rest where half of the risk is used.
        """
        moved = margin * math.exp(self.gain * (1 - 2 * broken / risk))
        return min(self.mildest, max(self.strictest / 20, moved))

    def planned(self, margin: float) -> float:
        """The share of the risk to plan with."""
        return max(self.strictest, margin)

    def stretch(self, margin: float) -> float:
        """By how much to exceed what the past would have needed."""
        return max(1.0, math.pow(self.strictest / margin, 0.3))
