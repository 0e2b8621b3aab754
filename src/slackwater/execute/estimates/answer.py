"""Estimates for several prods at once; one that fails is left out and the others are answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pyarrow as pa
import pyarrow.compute as pc

from slackwater.control.orders import ProdCall
from slackwater.control.prods import ProdMemory
from slackwater.errors import Problem
from slackwater.execute.duck import FAULTS
from slackwater.execute.estimates.fault import fault
from slackwater.execute.estimates.read import Estimator


@dataclass(slots=True)
class Speaker:
    """Answers the prods of a batch.

    ``failed`` has, by prod, what it ran into; those to be ``skipped`` have failed elsewhere. The
    same prods over the same rows fail again in the
    same way, so a batch that is repeated ends the same.
    """

    estimator: Estimator
    calls: Sequence[ProdCall]
    before: ProdMemory
    emitted_at: int
    skipped: frozenset[str] = frozenset()
    failed: dict[str, Problem] = field(default_factory=dict)

    def speak(self) -> tuple[pa.Table | None, dict[str, int]]:
        """Estimates with what only the engine sees beside them, and rows by prod."""
        asks = [n for n, call in enumerate(self.calls) if call.id not in self.skipped]
        parts = self._parts(asks) if asks else []
        rows = {self.calls[ask].id: n for _, found in parts for ask, n in found.items()}
        said = [part for part, _ in parts]
        if not said:
            return None, rows
        return said[0] if len(said) == 1 else pa.concat_tables(said), rows

    def _parts(self, asks: Sequence[int]) -> list[tuple[pa.Table, dict[int, int]]]:
        """Answers to these prods: together, or if that fails each half of them by itself."""
        try:
            return self._answered(self.calls, asks)
        except FAULTS as error:
            if len(asks) > 1:
                half = len(asks) // 2
                return [*self._parts(asks[:half]), *self._parts(asks[half:])]
            self._blame(asks[0], error)
            return []

    def _answered(
        self, calls: Sequence[ProdCall], asks: Sequence[int]
    ) -> list[tuple[pa.Table, dict[int, int]]]:
        said = self.estimator.said(calls, self.before, self.emitted_at, asks)
        if said is None:
            return []
        counts = {
            one["values"]: one["counts"] for one in pc.value_counts(said["__ask"]).to_pylist()
        }
        return [(said, {ask: counts.get(ask, 0) for ask in asks})]

    def _blame(self, ask: int, error: Exception) -> None:
        """Blame a prod, unless its windows cannot be read at all, whatever is asked of them."""
        call = self.calls[ask]
        problem = fault(error, f"prod of query {self.estimator.reading.query!r}", call.where)
        if call.where is None:
            raise error
        plain = [replace(one, where=None) for one in self.calls]
        self._answered(plain, [ask])
        self.failed[call.id] = problem
