"""How good was a join: recall over a period, and whether a requirement was kept.

Recall counts results by their event time. A period-based recall is stricter than one over all of
history: a long good phase cannot hide a bad one.

Reference: Ji 2018, ch. 4 (eq. 4.3; eq. 4.11).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from slackwater.stats.arrival import Instants

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class ResultTimes:
    """Results by event time: instants in order, and how many results up to each."""

    ts: Instants
    upto: Floats

    @classmethod
    def of(cls, results: Mapping[int, float]) -> ResultTimes:
        """From numbers of results by event time."""
        ts = np.array(sorted(results), dtype=np.int64)
        numbers = np.array([results[instant] for instant in ts.tolist()], dtype=np.float64)
        return cls(ts, np.concatenate([[0.0], np.cumsum(numbers)]))

    @property
    def total(self) -> float:
        return float(self.upto[-1])

    def within(self, ends: Instants, period: int) -> Floats:
        """Results of each ``(end - period, end]``."""
        until = np.searchsorted(self.ts, ends, side="right")
        since = np.searchsorted(self.ts, ends - period, side="right")
        inside: Floats = self.upto[until] - self.upto[since]
        return inside


def period_recall(
    produced: ResultTimes, true: ResultTimes, ends: Iterable[int], period: int
) -> Floats:
    """``γ(P_meas)`` at each instant; unknown (NaN) where a period has no true result.

    >>> produced, true = ResultTimes.of({1: 1, 4: 1}), ResultTimes.of({1: 2, 4: 1})
    >>> period_recall(produced, true, [2, 4, 9], period=4).tolist()
    [0.5, 0.6666666666666666, nan]
    """
    instants = np.array(list(ends), dtype=np.int64)
    found, wanted = produced.within(instants, period), true.within(instants, period)
    recalls: Floats = np.full(found.size, np.nan)
    np.divide(found, wanted, out=recalls, where=wanted > 0)
    return recalls


def measured_recall(
    produced: ResultTimes, true: ResultTimes, ends: Iterable[int], period: int
) -> Floats:
    """The measurements that count: those of the first period are left out, unknown ones too."""
    if not true.ts.size:
        return np.array([])
    begun = int(true.ts[0]) + period
    recalls = period_recall(produced, true, [end for end in ends if end >= begun], period)
    known: Floats = recalls[~np.isnan(recalls)]
    return known


def recall_fulfilment(recalls: Floats, required: float) -> float:
    """``Φ(Γ)``: the share of the measurements with enough recall."""
    return float((recalls >= required - 1e-12).mean()) if recalls.size else 1.0
