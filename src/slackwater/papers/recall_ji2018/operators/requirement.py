"""Instant recall requirement: what the next interval must reach, for the period to be right.

A user asks for a recall Γ over any period ``P_meas``. The slack is decided for one interval ``L``
at a time; the intervals before it have been good or bad already. ``Γ'`` is the recall that the
next one needs, so that the period which it ends has Γ.

With P = 60 L this amplifies a shortfall sixtyfold. Three modes: ``literal``; ``off`` (Γ' = Γ);
``damped``, which repays a shortfall over several intervals instead of the next one.

Reference: Ji 2018, ch. 4 (eq. 4.9; at most 1, at least 0).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from slackwater.errors import SlackwaterError

Calibration = Literal["literal", "off", "damped"]


@dataclass(frozen=True, slots=True)
class RecallRequirement:
    """What a user asks of a join.

    Parameters
    ----------
    recall
        ``Γ``: least share of the true results of a period that must be produced.
    calibration
        How past intervals bear on the next one.
    spread
        ``damped`` only: intervals over which a shortfall is repaid.
    """

    recall: float
    calibration: Calibration = "literal"
    spread: int = 10

    def __post_init__(self) -> None:
        if not 0 < self.recall <= 1 or self.spread < 1:
            raise SlackwaterError(
                "RECALL_INVALID",
                f"recall requirement: recall is {self.recall}, spread is {self.spread}",
                "recall is above 0 and at most 1, spread is 1 or more",
            )


@dataclass(frozen=True, slots=True)
class ResultCounts:
    """Results so far: produced and true over ``P - L`` before now, true over the next ``L``."""

    produced_before: float
    true_before: float
    true_next: float


def instant_requirement(requirement: RecallRequirement, results: ResultCounts) -> float | None:
    """``Γ'`` for the next interval, ``None`` if nothing is known about it.

    >>> asked = RecallRequirement(0.95)
    >>> round(instant_requirement(asked, ResultCounts(5640, 5900, 100)), 6)
    0.6
    """
    asked = requirement.recall
    if requirement.calibration == "off":
        return asked
    if results.true_next <= 0:
        return None
    owed = (asked * results.true_before - results.produced_before) / results.true_next
    spread = requirement.spread if requirement.calibration == "damped" else 1
    return min(1.0, max(0.0, asked + owed / spread))


def estimated_recall(produced: float, true: float) -> float | None:
    """``γ(P_meas)`` as PD-adt sees it: results counted over results estimated.

    ``None`` if no result is thought to be true.

    >>> estimated_recall(95, 100)
    0.95
    """
    return produced / true if true > 0 else None
