"""Which task has which groups of state in a batch: a decision like any other."""

from __future__ import annotations

from dataclasses import dataclass, field

from slackwater.balance.cost import Cost, Spent
from slackwater.balance.rule import Thresholds
from slackwater.balance.split import split
from slackwater.balance.table import Distribution, Load, balanced

UNEVEN = 0.1  # a difference between tasks worth a move, of what each has on average


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows by group: ``fresh`` ones of a batch, and those that are ``held``."""

    fresh: tuple[int, ...]
    held: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Loads:
    """What the groups have to do in a batch, for so many ``tasks``.

    The rows of ``divisible`` may be done by several tasks, if those of the states ``divided``, one
    for each join, are parted between them.
    """

    tasks: int
    whole: Rows
    divisible: Rows
    divided: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Share:
    """The tasks of each group; by join, the state whose rows are parted where there are several."""

    tasks: tuple[tuple[int, ...], ...]
    divided: dict[str, str] = field(default_factory=dict)

    @classmethod
    def even(cls, groups: int, tasks: int) -> Share:
        return cls(Distribution.even(groups, tasks).machines)

    @property
    def is_split(self) -> bool:
        return any(len(mine) > 1 for mine in self.tasks)


@dataclass(frozen=True, slots=True)
class Shared:
    """What is remembered: who had which groups, and what rows cost."""

    tasks: tuple[tuple[int, ...], ...] = ()
    cost: Cost = field(default_factory=Cost)

    def learned(self, spent: tuple[Spent, ...]) -> Shared:
        return Shared(self.tasks, self.cost.after(spent)) if spent else self


def share(loads: Loads, before: Shared) -> Share:
    """Groups stay where they are, unless tasks would have too different loads."""
    groups, held = _groups(loads, before.cost.held), len(loads.whole.fresh)
    known = Distribution(before.tasks) if before.tasks else Distribution.even(held, loads.tasks)
    table = split(known, groups, loads.tasks)
    fair = sum(load.total for load in groups) / loads.tasks
    if fair:
        limits = Thresholds(highest=fair, lowest=fair, difference=UNEVEN * fair)
        table = balanced(table, groups, loads.tasks, limits)
    return Share(table.machines, loads.divided)


def _groups(loads: Loads, held: float) -> list[Load]:
    def weight(rows: Rows) -> list[float]:
        return [f + held * h for f, h in zip(rows.fresh, rows.held, strict=True)]

    pairs = zip(weight(loads.whole), weight(loads.divisible), strict=True)
    return [Load(whole, divisible) for whole, divisible in pairs]
