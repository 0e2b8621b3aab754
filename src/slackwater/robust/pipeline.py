"""Operators one after the other, each of which lets through, or multiplies, what it gets.

The cost of an order, its best order by ranks, the load of each operator (spec robust 1.5.2). An
operator is a filter, or a probe of a window: then what it gives of one row follows from the rate
of the stream that it holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from slackwater.robust.space import Point

Order = tuple[int, ...]
"""Operators, by their numbers, as rows meet them."""


@dataclass(frozen=True, slots=True)
class Operator:
    """Work for a row that comes, and how many rows it becomes.

    A probe keeps a ``share`` of the rows that it holds, which are ``rate`` times ``window``; of a
    filter these are 1.
    """

    cost: float
    share: float
    rate: float = 1.0
    window: float = 1.0

    @property
    def fan_out(self) -> float:
        """δ: rows that leave for each that comes."""
        return self.share * self.rate * self.window


@dataclass(frozen=True, slots=True)
class Axis:
    """What a dimension of the space sets: a number of an operator, or the driving rate (``-1``)."""

    of: Literal["share", "rate"]
    operator: int = -1


@dataclass(frozen=True, slots=True)
class Pipeline:
    """An optimizer of orders. ``axes`` say what the values of a point mean."""

    operators: tuple[Operator, ...]
    rate: float
    axes: tuple[Axis, ...] = ()

    def optimize(self, point: Point) -> Order:
        """Ascending rank (δ - 1) / c; of equal ones the smaller number first."""
        _, grown = self.statistics(point)
        ranks = [(d - 1) / one.cost for d, one in zip(grown, self.operators, strict=True)]
        return tuple(sorted(range(len(ranks)), key=lambda number: (ranks[number], number)))

    def cost(self, plan: Order, point: Point) -> float:
        rate, grown = self.statistics(point)
        rows, total = rate, 0.0
        for number in plan:
            total += rows * self.operators[number].cost
            rows *= grown[number]
        return total

    def loads(self, plan: Order, point: Point) -> tuple[float, ...]:
        rows, grown = self.statistics(point)
        found = [0.0] * len(grown)
        for number in plan:
            found[number] = rows * self.operators[number].cost
            rows *= grown[number]
        return tuple(found)

    def given(self, plan: Order, point: Point) -> float:
        """Rows that leave the last operator in a unit of time, whatever the order."""
        rows, grown = self.statistics(point)
        for number in plan:
            rows *= grown[number]
        return rows

    def statistics(self, point: Point) -> tuple[float, list[float]]:
        """The driving rate, and rows that leave each operator for one that comes."""
        rate = self.rate
        shares = [one.share for one in self.operators]
        rates = [one.rate for one in self.operators]
        for axis, value in zip(self.axes, point, strict=True):
            if axis.operator < 0:
                rate = value
            else:
                (shares if axis.of == "share" else rates)[axis.operator] = value
        held = zip(shares, rates, self.operators, strict=True)
        grown = [share * of * one.window for share, of, one in held]
        return rate, grown

    def slope(self, plan: Order, point: Point, dimension: int) -> float:
        """The derivative of the cost; it is linear in each statistic by itself."""
        axis, value = self.axes[dimension], point[dimension]
        if axis.operator < 0:
            return self.cost(plan, point) / value
        behind = plan[plan.index(axis.operator) + 1 :]
        loads = self.loads(plan, point)
        return sum(loads[number] for number in behind) / value
