"""Union: several inputs, one stream; and how their patterns agree.

An estimate needs no agreement of inputs: a prod from either one goes on at once (or, if *aligned*,
when it came on all). A punctuation holds above only as far as all inputs have asserted it.

Reference: Bhat 2011, ch. 3.
"""

from __future__ import annotations

from dataclasses import replace

from slackwater.papers.prodding_bhat2011.operators.element import Ident, Output, Punctuation
from slackwater.papers.prodding_bhat2011.operators.operator import Operator
from slackwater.papers.prodding_bhat2011.operators.predicate import Le
from slackwater.papers.prodding_bhat2011.operators.prod import Prod


class Alignment:
    """Bounds of several inputs, and prods that wait for their likes."""

    def __init__(self, inputs: int, *, is_aligned: bool) -> None:
        self._bounds: list[int | None] = [None] * inputs
        self._waiting: dict[Ident, set[int]] = {}
        self._is_aligned = is_aligned
        self.bound: int | None = None

    def punctuate(self, punctuation: Punctuation, port: int) -> list[Punctuation]:
        """The punctuation that holds for all inputs; only plain bounds can be aligned."""
        if not isinstance(punctuation.time, Le) or punctuation.attributes:
            return []
        self._bounds[port] = int(punctuation.time.bound)
        known = [bound for bound in self._bounds if bound is not None]
        common = min(known) if len(known) == len(self._bounds) else None
        if common is None or (self.bound is not None and common <= self.bound):
            return []
        self.bound = common
        return [replace(punctuation, time=Le(common))]

    def ask(self, prod: Prod, port: int) -> list[Prod]:
        if not self._is_aligned:
            return [prod]
        came = self._waiting.setdefault(prod.id, set())
        came.add(port)
        if len(came) < len(self._bounds):
            return []
        del self._waiting[prod.id]
        return [prod]


class Union(Operator):
    """All tuples of several inputs."""

    def __init__(self, inputs: int = 2, *, is_aligned: bool = False) -> None:
        self._alignment = Alignment(inputs, is_aligned=is_aligned)

    def take(self, element: Output, now: int, port: int = 0) -> list[Output]:
        match element:
            case Punctuation():
                return [*self._alignment.punctuate(element, port)]
            case Prod():
                return [*self._alignment.ask(element, port)]
        return [element]
