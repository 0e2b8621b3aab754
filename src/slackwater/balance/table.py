"""The distribution table: which machines have which partition groups (spec adaptive 5.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from slackwater.balance.rule import Move, Thresholds, decide
from slackwater.balance.select import select


@dataclass(frozen=True, slots=True)
class Load:
    """What a group costs: ``whole`` is done by one machine, ``divisible`` may be by several."""

    whole: float
    divisible: float = 0.0

    @property
    def total(self) -> float:
        return self.whole + self.divisible


@dataclass(frozen=True, slots=True)
class Distribution:
    """The machines of each group, by its number; one that is split has several."""

    machines: tuple[tuple[int, ...], ...]

    @classmethod
    def even(cls, groups: int, machines: int) -> Distribution:
        """As many groups for each, neighbours together."""
        return cls(tuple((group * machines // groups,) for group in range(groups)))

    def of(self, machine: int) -> frozenset[int]:
        """The groups of which a machine has anything."""
        return frozenset(group for group, mine in enumerate(self.machines) if machine in mine)

    def loads(self, groups: Sequence[Load], machines: int) -> dict[int, float]:
        """The load of each machine, given that of each group."""
        found = dict.fromkeys(range(machines), 0.0)
        for load, mine in zip(groups, self.machines, strict=True):
            found[mine[0]] += load.whole
            for machine in mine:
                found[machine] += load.divisible / len(mine)
        return found

    def moved(self, groups: Mapping[int, tuple[int, ...]]) -> Distribution:
        """With some groups at other machines."""
        return Distribution(
            tuple(groups.get(group, mine) for group, mine in enumerate(self.machines))
        )


def balanced(
    table: Distribution, groups: Sequence[Load], machines: int, thresholds: Thresholds
) -> Distribution:
    """Move whole groups, from the most to the least loaded machine, as long as the rule says so.

    Each round brings the two closer; it ends where no group fits into what is to be moved.
    """
    for _ in range(len(groups)):
        move = decide(table.loads(groups, machines), thresholds)
        if not isinstance(move, Move):
            break
        mine = {
            group: groups[group].total
            for group in table.of(move.sender)
            if table.machines[group] == (move.sender,)
        }
        chosen = select(mine, move.amount)
        if not chosen:
            break
        table = table.moved(dict.fromkeys(chosen, (move.receiver,)))
    return table
