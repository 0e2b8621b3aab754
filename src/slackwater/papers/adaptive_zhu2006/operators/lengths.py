"""How long a migration takes, by the source work's models.

Reference: Zhu 2006, ch. 12 (12.3, 12.4) and 16 (16.1). T_MS in units for the example that makes
S_BC and then S_BCD; T_PT in the unit of the window.
"""

from __future__ import annotations

from slackwater.papers.adaptive_zhu2006.operators.plan import Plan, height_of


def track_length(window: float, old: Plan) -> float:
    """T_PT: one window if the old box is a single join, else two."""
    return window if height_of(old) == 1 else 2 * window


def moving_units(
    rates: tuple[float, float, float],
    window: float,
    selectivities: tuple[float, float],
    pair: float = 1.0,
    kept: float = 1.0,
) -> float:
    """T_MS for S_BC and S_BCD; rates of B, C, D per second, the window in seconds.

    >>> moving_units((10, 10, 10), 1, (0.05, 0.02))
    207.0
    """
    rate_b, rate_c, rate_d = rates
    bc, cd = selectivities
    lower = rate_b * rate_c * window**2 * (pair + kept * bc)
    upper = 2 * rate_b * rate_c * rate_d * window**3 * (pair * bc + kept * bc * cd)
    return lower + upper
