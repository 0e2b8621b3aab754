"""What a plan costs, and which of two is better (Ji 2018, ch. 6).

Each operator works for itself: its cost is the share of a second that it needs for one second of
arrivals, and above 1 it falls behind. A plan is *feasible* if no operator does.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from slackwater.hybrid.algebra import Relation, Step


@dataclass(frozen=True, slots=True)
class Composite:
    """R2R operators that the column engine does as one statement.

    Parameters
    ----------
    root
        The operator whose rows are shipped back.
    members
        All of them, each behind its inputs.
    ports
        What feeds them from outside: windows, or operators of the row engine. Their rows are
        shipped.
    """

    root: Step
    members: tuple[Step, ...]
    ports: tuple[Relation, ...]


class CostModel(Protocol):
    """Shares of a second. That of a row operator must not depend on the plan around it."""

    def row(self, step: Step) -> float: ...
    def column(self, composite: Composite) -> float: ...


@dataclass(frozen=True, slots=True)
class Cost:
    """``C_b``, the busiest operator, and ``C_u``, all of them."""

    bottleneck: float = 0.0
    total: float = 0.0

    def plus(self, use: float) -> Cost:
        """With one operator more."""
        return Cost(max(self.bottleneck, use), self.total + use)

    @property
    def is_feasible(self) -> bool:
        return self.bottleneck <= 1.0

    @property
    def rank(self) -> tuple[bool, float]:
        """Less is better: feasible ones by what they use, others by their bottleneck."""
        return (False, self.total) if self.is_feasible else (True, self.bottleneck)


def together(costs: Iterable[Cost]) -> Cost:
    """Of plans side by side."""
    known = list(costs)
    return Cost(max((c.bottleneck for c in known), default=0.0), sum(c.total for c in known))


def better(one: Cost, other: Cost) -> bool:
    """Whether a plan is strictly better than another."""
    return one.rank < other.rank
