"""A budget of time in units of work, by the seconds that batches took before.

Seconds are observations; no clock is read here.
"""

from __future__ import annotations

from slackwater.plan.costly import CostPlan

FIRST = 1_000  # units in the first batch
RESERVE = 0.1  # of a trigger interval is left for what is not measured: Spark's own logs
SHARE = 0.1  # of it is for work at least, whatever the rest of a batch takes


def time_of(plan: CostPlan, rest: float | None) -> float | None:
    """Seconds to work in a batch, nothing if its budget is a number of rows.

    A measured budget leaves of the trigger interval what the ``rest`` of a batch takes.
    """
    if plan.interval is None:
        return plan.seconds
    left = (1 - RESERVE) * plan.interval - (rest or 0.0)
    return max(SHARE * plan.interval, left)


def units(plan: CostPlan, pace: float | None, rest: float | None) -> int:
    """Units of work that a batch may do, if one takes ``pace`` seconds."""
    time = time_of(plan, rest)
    if time is None:
        return plan.budget
    return max(1, int(time / pace)) if pace else FIRST


def expected(before: float | None, now: float) -> float:
    """What is expected next: half of it is what was measured now."""
    return now if before is None else (before + now) / 2


def is_crowded(plan: CostPlan, rest: float | None) -> bool:
    """Whether the rest of a batch leaves no time for work but the least share."""
    if plan.interval is None or rest is None:
        return False
    return rest > (1 - RESERVE - SHARE) * plan.interval


def crowded(plan: CostPlan, rest: float | None) -> str:
    """That in words."""
    return (
        f"hardly any time to work: all else takes {rest or 0:.3f} s of a batch, and one is "
        f"triggered every {plan.interval or 0:g} s; {SHARE:.0%} of that is used for work. "
        "A longer trigger interval helps"
    )
