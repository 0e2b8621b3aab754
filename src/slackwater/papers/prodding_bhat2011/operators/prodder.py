"""The prodder: an operator that watches the clock and puts prods into the stream.

Each window gets a prod ``p·S`` before its end, or prods come at a fixed interval for the window
that ends next. It is also where feedback turns into prods, at once. The aggressiveness may be
changed while it runs, and may differ between groups.

Reference: Bhat 2011, ch. 3 (P3–P5).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from slackwater.errors import SlackwaterError
from slackwater.estimate.schedule import ends_prodded, next_point, next_prod, points_passed
from slackwater.papers.prodding_bhat2011.operators.element import Output
from slackwater.papers.prodding_bhat2011.operators.operator import Operator
from slackwater.papers.prodding_bhat2011.operators.predicate import Eq, Le, Predicate
from slackwater.papers.prodding_bhat2011.operators.prod import Feedback, Prod

Attributes = tuple[tuple[str, Predicate], ...]


@dataclass(frozen=True, slots=True)
class ProdderParams:
    """When prods come.

    Parameters
    ----------
    size, slide
        Of the windows.
    aggressiveness
        ``p`` as a share of the slide: prods come ``p·slide`` before a window's end.
    interval
        Instead: a prod every so often, for the window that ends next after it (or then).
    is_bound
        Ask for all windows up to that one, not for that one alone.
    groups
        Aggressiveness of substreams that have one of their own: group-wise prods.
    skew
        System time minus application time.
    begin, end
        System times between which it acts.
    """

    size: int
    slide: int
    aggressiveness: float | None = 0.0
    interval: int | None = None
    is_bound: bool = False
    groups: tuple[tuple[Attributes, float], ...] = ()
    skew: int = 0
    begin: int = 0
    end: int | None = None

    def __post_init__(self) -> None:
        if self.interval is not None and self.interval <= 0:
            raise SlackwaterError("PRODDER_INVALID", f"prodder: interval is {self.interval}")


class Prodder(Operator):
    """Forwards everything, injects prods, ends feedback."""

    def __init__(self, params: ProdderParams, name: str = "prodder") -> None:
        self.params = params
        self.aggressiveness = params.aggressiveness
        self._name = name
        self._clock = params.begin - params.skew  # application time
        self._count = 0
        self._next: tuple[int, float | None, int | None] | None = None

    def due(self) -> int | None:
        if self._next is None or self._next[:2] != (self._clock, self.aggressiveness):
            self._next = (self._clock, self.aggressiveness, self._find_due())
        return self._next[2]

    def _find_due(self) -> int | None:
        found = min(self._dues(), default=None)
        if found is None:
            return None
        found += self.params.skew
        is_over = self.params.end is not None and found > self.params.end
        return None if is_over else found

    def _dues(self) -> Iterator[int]:
        for _, p in self._schedules():
            yield next_prod(self._clock, p, size=self.params.size, slide=self.params.slide)
        if self.params.interval is not None:
            yield next_point(self._clock, self.params.interval)

    def _schedules(self) -> Iterator[tuple[Attributes, float]]:
        if self.aggressiveness is not None and self.params.interval is None:
            yield (), self.aggressiveness
        yield from self.params.groups

    def fire(self, now: int) -> list[Output]:
        before, self._clock = self._clock, now - self.params.skew
        out: list[Output] = []
        size, slide = self.params.size, self.params.slide
        for attributes, p in self._schedules():
            ends = ends_prodded(before, self._clock, p, size=size, slide=slide)
            out += [self._prod(end, attributes) for end in ends]
        if self.params.interval is not None:
            for point in points_passed(before, self._clock, self.params.interval):
                out.append(self._prod(-(-point // slide) * slide, ()))
        return out

    def _prod(self, end: int, attributes: Attributes) -> Prod:
        self._count += 1
        time = Le(end) if self.params.is_bound else Eq(end)
        return Prod(f"{self._name} {self._count}", time, attributes)

    def back(self, feedback: Feedback, now: int) -> Prod:
        return Prod.of(feedback)
