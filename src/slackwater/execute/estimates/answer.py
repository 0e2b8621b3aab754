"""Estimates for several prods at once; one that fails is left out and the others are answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Generic

from slackwater.control.orders import ProdCall
from slackwater.control.prods import ProdMemory
from slackwater.errors import Problem
from slackwater.execute.engine import R
from slackwater.execute.estimates.arrow import tally
from slackwater.execute.estimates.fault import fault
from slackwater.execute.estimates.read import Estimator


@dataclass(slots=True)
class Speaker(Generic[R]):
    """Answers the prods of a batch.

    ``failed`` has, by prod, what it ran into. The same prods over the same rows fail again in the
    same way, so a batch that is repeated ends the same.
    """

    estimator: Estimator[R]
    calls: Sequence[ProdCall]
    before: ProdMemory
    emitted_at: int
    failed: dict[str, Problem] = field(default_factory=dict)

    def speak(self) -> tuple[R | None, dict[str, int]]:
        """Estimates with what only the engine sees beside them, and rows by prod."""
        parts = self._parts(range(len(self.calls)))
        rows = {self.calls[ask].id: n for _, found in parts for ask, n in found.items()}
        said = [part for part, _ in parts]
        if not said:
            return None, rows
        return said[0] if len(said) == 1 else self.estimator.engine.concat(said), rows

    def _parts(self, asks: range) -> list[tuple[R, dict[int, int]]]:
        """Answers to these prods: together, or if that fails each half of them by itself."""
        try:
            return self._answered(self.calls, asks)
        except self.estimator.engine.faults.kinds as error:
            if len(asks) > 1:
                half = len(asks) // 2
                return [*self._parts(asks[:half]), *self._parts(asks[half:])]
            self._blame(asks[0], error)
            return []

    def _answered(self, calls: Sequence[ProdCall], asks: range) -> list[tuple[R, dict[int, int]]]:
        said = self.estimator.said(calls, self.before, self.emitted_at, asks)
        if said is None:
            return []
        engine = self.estimator.engine
        held = engine.hold(said)
        counts = tally(engine, held, "__ask")  # now it is computed, wherever that is done
        return [(held, {ask: counts.get(ask, 0) for ask in asks})]

    def _blame(self, ask: int, error: Exception) -> None:
        """Blame a prod, unless its windows cannot be read at all, whatever is asked of them."""
        call = self.calls[ask]
        query, faults = self.estimator.reading.query, self.estimator.engine.faults
        problem = fault(error, f"prod of query {query!r}", call.where, faults)
        if call.where is None:
            raise error
        plain = [replace(one, where=None) for one in self.calls]
        self._answered(plain, range(ask, ask + 1))
        self.failed[call.id] = problem
