"""The six ways to treat an overload, as an admission and an order of work (spec precedence A21).

All run on the same engine: what differs is which rows are let in, whether there is a plan for
ranks, and who among the waiting is next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from slackwater.precede.construction import PP, PR, PR_PRUNE, Strategy
from slackwater.precede.level import NO_RANK, StaticLevel, potential_rank
from slackwater.precede.predicate import Row


@dataclass(frozen=True, slots=True)
class Waiting:
    """A row in front of an operator: its queue, how far along that is, and when it came there."""

    queue: int
    position: int
    arrival: int


@dataclass(frozen=True, slots=True)
class Arrival:
    """A row that comes in. ``draw`` is a random number from 0 to 1 that belongs to it.

    ``processable`` is how many of the rows that arrive can be served before they expire, a share.
    """

    stream: str
    row: Row
    draw: float
    processable: float


Admission = Callable[[Arrival, Iterable[StaticLevel]], bool]
Order = Callable[[Waiting], tuple[int, ...]]


def everything(arrival: Arrival, levels: Iterable[StaticLevel]) -> bool:
    """Nothing is dropped at arrival; rows are lost only when their time is over."""
    del arrival, levels  # every admission has one shape
    return True


def chance(arrival: Arrival, levels: Iterable[StaticLevel]) -> bool:
    """As many as can be served, drawn at random."""
    del levels
    return arrival.draw < min(1.0, arrival.processable)


def significance(arrival: Arrival, levels: Iterable[StaticLevel]) -> bool:
    """Rows that meet some level; all rows of streams of which no level says anything."""
    mine = [level for level in levels if level.stream == arrival.stream]
    return not mine or potential_rank(arrival.row, mine) != NO_RANK


def first_come(waiting: Waiting) -> tuple[int, ...]:
    """First come, first served."""
    return (waiting.arrival,)


def rank_major(waiting: Waiting) -> tuple[int, ...]:
    """The most critical rank, then the operator furthest along, then the oldest (A3, G22).

    Only where some rank is active; else it would not be first come, first served.
    """
    return (waiting.queue, -waiting.position, waiting.arrival)


@dataclass(frozen=True, slots=True)
class Discipline:
    """Who is let in, by which strategy ranks are planned (``None``: no ranks), and who is next."""

    name: str
    admission: Admission = everything
    strategy: Strategy | None = None

    def order(self, last_active: int | None) -> Order:
        """Ranks count only where there is a plan in which some are active."""
        return first_come if self.strategy is None or last_active is None else rank_major


TRAD = Discipline("Trad")
DISCIPLINES = (
    TRAD,  # does nothing about it
    Discipline("Rand", chance),  # drops blindly
    Discipline("Sem", significance),  # drops by what rows are worth, once, at arrival
    Discipline("PP", strategy=PP),  # orders by what rows are worth
    Discipline("PR", strategy=PR),  # and by what they promise
    Discipline("PR-Prune", strategy=PR_PRUNE),  # the same, planned sooner
)


def next_of(waiting: Iterable[Waiting], order: Order) -> Waiting | None:
    """Who is served next."""
    return min(waiting, key=order, default=None)
