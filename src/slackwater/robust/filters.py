"""Filters that commute: what an order of them costs, and which order is best.

Where shares of filters are independent, ranks (cost over what is dropped) give the best order. They
seldom are: what one filter drops, another might have dropped as well. So rows are counted by which
filters let them pass, on some rows that all of them see, and an order costs what it would have cost
on those. Orders by conditional shares: Babu et al. 2004 (A-Greedy), which chooses by rank
given what was dropped before; of few filters all orders are looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

from slackwater.robust.pipeline import Operator, Order, Pipeline
from slackwater.robust.space import Point

FEW = 5  # filters, all of whose orders are looked at
LEAST_SHARE = 1e-3  # of rows that pass: fewer cannot be told from none

Patterns = tuple[tuple[int, int], ...]
"""Rows that all filters saw, by which let them pass (the n-th filter is the n-th bit)."""


def shares(patterns: Patterns, filters: int) -> tuple[float, ...]:
    """By filter the share of all rows that pass it, whatever others say."""
    rows = sum(count for _, count in patterns)
    found = (sum(count for mask, count in patterns if mask >> n & 1) for n in range(filters))
    return tuple(max(LEAST_SHARE, one / rows) if rows else 1.0 for one in found)


def work(order: Sequence[int], costs: Sequence[float], patterns: Patterns) -> float:
    """What an order costs for a row, on average."""
    rows = sum(count for _, count in patterns)
    left, total = list(patterns), 0.0
    for number in order:
        total += costs[number] * sum(count for _, count in left)
        left = [(mask, count) for mask, count in left if mask >> number & 1]
    return total / rows if rows else 0.0


def best_order(costs: Sequence[float], patterns: Patterns) -> Order:
    """The order that costs least on some rows; of equal ones the first by number."""
    if len(costs) <= FEW:
        orders = permutations(range(len(costs)))
        return min(orders, key=lambda order: (work(order, costs, patterns), order))
    return _greedy(costs, patterns)


def _greedy(costs: Sequence[float], patterns: Patterns) -> Order:
    """One filter after the other, by rank among the rows that are left."""
    order: list[int] = []
    left = list(patterns)
    while len(order) < len(costs):
        open_ones = [number for number in range(len(costs)) if number not in order]
        rows = sum(count for _, count in left)

        def rank(number: int, rows: int = rows, left: Patterns = tuple(left)) -> float:
            dropped = sum(count for mask, count in left if not mask >> number & 1)
            return -(dropped / rows if rows else 0.0) / max(costs[number], 1e-12)

        order.append(min(open_ones, key=lambda number: (rank(number), costs[number], number)))
        left = [(mask, count) for mask, count in left if mask >> order[-1] & 1]
    return tuple(order)


@dataclass(frozen=True, slots=True)
class FilterCosts:
    """Orders as searches ask for them: points are shares of rows that pass, then costs of a row.

    Filters are taken for independent here: points say nothing else.
    """

    filters: int

    def optimize(self, point: Point) -> Order:
        return self._pipeline(point).optimize(())

    def cost(self, plan: Order, point: Point) -> float:
        return self._pipeline(point).cost(plan, ())

    def loads(self, plan: Order, point: Point) -> tuple[float, ...]:
        return self._pipeline(point).loads(plan, ())

    def _pipeline(self, point: Point) -> Pipeline:
        pairs = zip(point[: self.filters], point[self.filters :], strict=True)
        return Pipeline(tuple(Operator(cost, share) for share, cost in pairs), 1.0)
