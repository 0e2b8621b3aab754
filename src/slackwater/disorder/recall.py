"""Expected recall of an m-way window join as a function of the common slack K.

*Recall* is the share of the true results that are produced. A combination is produced if its
newest tuple reaches the join in order (share ``F_i``) and its partners are in their windows by
then (expected coverage ``cov_j``). Summed over who is the newest, rates and the length of the
interval cancel:

    γ(K) = ratio(K) · Σ_i F_i(s_i) Π_{j≠i} W_j·cov_j(K) / Σ_i Π_{j≠i} W_j

where ``s_i = ⌊(K + K_i^sync) / g⌋``. The ratio tells whether late tuples have more partners than
others: 1 (*EqSel*), or learned from the output (*NonEqSel*, in ``papers.recall_ji2018``).

Delays come as rows by coarse delay at granularity g, one array per stream, as delay histograms
keep them. Reference: Ji 2018, ch. 4 (eq. 4.4 to 4.6).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from slackwater.disorder.coverage import ROUNDING, CoverageModel
from slackwater.errors import SlackwaterError
from slackwater.stats.histogram import Counts, Shares


@dataclass(frozen=True, slots=True)
class RecallModel:
    """Expected recall of one join.

    Parameters
    ----------
    windows
        Window ``W_i`` of every stream, microseconds.
    granularity
        Granularity ``g`` of the histograms and of the search for K.
    basic
        Length ``b`` of a basic window; a larger one is more conservative. ``g`` by default.

    Examples
    --------
    >>> import numpy as np
    >>> delays = [np.array([6, 2, 1, 1])] * 2
    >>> model = RecallModel((4, 4), granularity=1)
    >>> model.curve(delays)[:4].round(4).tolist()
    [0.495, 0.74, 0.8775, 1.0]
    >>> model.smallest(delays, 0.8)
    2
    """

    windows: tuple[int, ...]
    granularity: int
    basic: int | None = None

    def __post_init__(self) -> None:
        if len(self.windows) < 2:
            raise SlackwaterError(
                "RECALL_INVALID",
                f"recall model: windows are {list(self.windows)}",
                "a join has two streams or more, each with a window",
            )
        self._coverages()

    def _coverages(self) -> list[CoverageModel]:
        return [CoverageModel(window, self.granularity, self.basic) for window in self.windows]

    def expected(
        self,
        delays: Sequence[Counts],
        k: int,
        leads: Sequence[float] | None = None,
        ratios: Shares | None = None,
    ) -> float:
        """``γ(K)`` for one K, literally by eq. (4.6).

        Parameters
        ----------
        delays
            Rows by coarse delay, an array for every stream.
        k
            The common slack K, microseconds.
        leads
            ``K_i^sync`` of every stream, microseconds; none by default.
        ratios
            Ratio of selectivities by K/g, 1 beyond its end; none for EqSel.
        """
        in_order, covered = [], []
        for model, rows, lead in zip(self._coverages(), delays, self._leads(leads), strict=True):
            wait = k + math.floor(lead)
            total, inside = int(rows.sum()), int(rows[: wait // self.granularity + 1].sum())
            in_order.append(inside / total if total else 1.0)
            covered.append(model.window * model.expected_of(rows, wait))
        share: float = self._weigh(in_order, covered) / self._weigh(
            [1.0] * len(covered), self.windows
        )
        step = k // self.granularity
        return share * (1.0 if ratios is None or step >= ratios.size else float(ratios[step]))

    def curve(
        self,
        delays: Sequence[Counts],
        leads: Sequence[float] | None = None,
        ratios: Shares | None = None,
    ) -> Shares:
        """``γ(K)`` for K = 0, g, 2g … one step beyond the largest delay, all at once."""
        steps = np.arange(max(rows.size for rows in delays) + 1)
        in_order, covered = [], []
        for model, rows, lead in zip(self._coverages(), delays, self._leads(leads), strict=True):
            reach = steps + math.floor(lead) // self.granularity
            cumulative = np.cumsum(rows)
            shares = cumulative / cumulative[-1] if cumulative[-1] else np.ones(1)
            in_order.append(shares[np.minimum(reach, shares.size - 1)])
            coverage = model.curve_of(rows)
            covered.append(model.window * coverage[np.minimum(reach, coverage.size - 1)])
        whole = self._weigh([1.0] * len(covered), self.windows)
        recall: Shares = np.asarray(self._weigh(in_order, covered) / whole)
        if ratios is not None:
            known = min(ratios.size, recall.size)
            recall[:known] *= ratios[:known]
        return recall

    def smallest(
        self,
        delays: Sequence[Counts],
        required: float,
        leads: Sequence[float] | None = None,
        ratios: Shares | None = None,
    ) -> int:
        """The first K, a multiple of g, with enough recall: AM-adt, vectorised.

        With learned ratios recall need not grow with K; what counts is the first sufficient K.
        """
        return self.first_enough(self.curve(delays, leads, ratios), required)

    def first_enough(self, curve: Shares, required: float) -> int:
        """Where a curve first reaches what is required; its last K if it never does."""
        enough = curve >= required - ROUNDING
        steps = int(np.argmax(enough)) if enough.any() else curve.size - 1
        return steps * self.granularity

    def smallest_literal(
        self,
        delays: Sequence[Counts],
        required: float,
        leads: Sequence[float] | None = None,
        ratios: Shares | None = None,
    ) -> int:
        """The same by trial: K = 0, g, 2g … while the recall is too low."""
        largest = (max(rows.size for rows in delays) - 1) * self.granularity
        k = 0
        while k <= largest and self.expected(delays, k, leads, ratios) < required - ROUNDING:
            k += self.granularity
        return k

    def _leads(self, leads: Sequence[float] | None) -> Sequence[float]:
        return [0.0] * len(self.windows) if leads is None else leads

    @staticmethod
    def _weigh(in_order: Sequence[Any], windows: Sequence[Any]) -> Any:
        """``Σ_i f_i Π_{j≠i} w_j`` over numbers or over arrays."""
        return sum(
            share * math.prod(window for j, window in enumerate(windows) if j != i)
            for i, share in enumerate(in_order)
        )


def true_results(
    selectivity: float, rates: Sequence[float], windows: Sequence[int], *, span: int
) -> float:
    """Results that a join of ordered streams gives while they progress by ``span``, eq. (4.4).

    Parameters
    ----------
    selectivity
        Share of the cross product that satisfies the join condition.
    rates, windows
        ``r_i`` in tuples per microsecond, and ``W_i`` in microseconds.

    Examples
    --------
    >>> true_results(0.5, [2, 3], [4, 5], span=10)
    270.0
    """
    per_newest = [
        math.prod(window for j, window in enumerate(windows) if j != i) for i in range(len(windows))
    ]
    return selectivity * math.prod(rates) * span * sum(per_newest)
