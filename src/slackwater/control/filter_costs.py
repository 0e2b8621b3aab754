"""What a function costs for a call and for a row, by the calls that were seen.

Orders of filters differ in the rows that each is given, and hardly in calls, so what a row costs
has to be told from what a call does: few rows would seem dear otherwise. Least squares of relative
errors, older batches counting less.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from slackwater.stats.calls import CallSeen

KEPT = 0.7  # of what older batches count, with each batch
CHEAPEST = 1e-9  # seconds a row: less cannot be measured
OTHER = 4.0  # times what was expected: then older batches say nothing any more
ALIKE = 1e-6  # calls of one size: what is a call's and what a row's cannot be told


@dataclass(frozen=True, slots=True)
class Effort:
    """Sums over what was seen: calls and rows for a second, and their products."""

    calls: float = 0.0
    rows: float = 0.0
    calls_calls: float = 0.0
    calls_rows: float = 0.0
    rows_rows: float = 0.0

    def after(self, seen: Iterable[CallSeen]) -> Effort:
        """With the calls of a batch."""
        told = [one for one in seen if one.rows and one.times]
        if not told:
            return self
        largest = max(told, key=lambda one: one.rows)
        kept = 0.0 if self._is_other(largest) else KEPT
        sums = [kept * one for one in (self.calls, self.rows)]
        products = [kept * one for one in (self.calls_calls, self.calls_rows, self.rows_rows)]
        for one in told:
            seconds = max(one.seconds, CHEAPEST)
            calls, rows = one.times / seconds, one.rows / seconds
            sums = [sums[0] + calls, sums[1] + rows]
            more = (calls * calls, calls * rows, rows * rows)
            products = [a + b for a, b in zip(products, more, strict=True)]
        return Effort(*sums, *products)

    def _is_other(self, seen: CallSeen) -> bool:
        if not self.rows_rows:
            return False
        call, row = self.fit()
        expected = call * seen.times + row * seen.rows
        return not expected / OTHER <= max(seen.seconds, CHEAPEST) <= expected * OTHER

    def fit(self) -> tuple[float, float]:
        """Seconds for a call, and for a row of it; neither is below 0."""
        if not self.rows_rows:
            return 0.0, CHEAPEST
        spread = self.calls_calls * self.rows_rows - self.calls_rows**2
        if spread <= ALIKE * self.calls_calls * self.rows_rows:
            return 0.0, max(CHEAPEST, self.rows / self.rows_rows)
        call = (self.calls * self.rows_rows - self.rows * self.calls_rows) / spread
        row = (self.rows * self.calls_calls - self.calls * self.calls_rows) / spread
        if row <= 0:
            return max(0.0, self.calls / self.calls_calls), CHEAPEST
        if call <= 0:
            return 0.0, max(CHEAPEST, self.rows / self.rows_rows)
        return call, max(CHEAPEST, row)
