"""The best order of probes along any join graph: what was joined before decides what a step gives.

Dynamic programming over the sets that are joined; exact for costs that depend on the set alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from slackwater.robust.pipeline import Order
from slackwater.robust.space import Point

Edge = tuple[int, int]


@dataclass(frozen=True, slots=True)
class LeftDeep:
    """An optimizer of orders in which the first stream probes all others.

    ``windows`` say how long each stream keeps a row, ``costs`` what probing it takes, ``edges``
    which pairs a predicate connects. The dimensions of a point are the rates of all streams, then
    what is kept of each of these pairs.
    """

    windows: tuple[float, ...]
    costs: tuple[float, ...]
    edges: tuple[Edge, ...]

    def optimize(self, point: Point) -> Order:
        size = len(self.windows)
        best: dict[int, tuple[float, Order]] = {1: (0.0, ())}
        for some in range(3, 1 << size, 2):
            ways = []
            for last in range(1, size):
                if some >> last & 1:
                    before = some & ~(1 << last)
                    paid, order = best[before]
                    work = self.rows(before, point) * self.costs[last]
                    ways.append((paid + work, (*order, last)))
            best[some] = min(ways)
        return best[(1 << size) - 1][1]

    def cost(self, plan: Order, point: Point) -> float:
        return sum(self.loads(plan, point))

    def loads(self, plan: Order, point: Point) -> tuple[float, ...]:
        """By stream, as it is probed; nobody probes the first."""
        found, bound = [0.0] * len(self.windows), 1
        for number in plan:
            found[number] = self.rows(bound, point) * self.costs[number]
            bound |= 1 << number
        return tuple(found)

    def rows(self, some: int, point: Point) -> float:
        """Combinations of a set that come in a unit of time, each with a new row of the first."""
        size = len(self.windows)
        rates, shares = point[:size], point[size:]
        held = prod(rates[n] * self.windows[n] for n in range(1, size) if some >> n & 1)
        kept = prod(
            share
            for (one, other), share in zip(self.edges, shares, strict=True)
            if some >> one & 1 and some >> other & 1
        )
        return rates[0] * held * kept
