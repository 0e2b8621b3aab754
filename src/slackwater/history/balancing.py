"""How load was balanced between tasks: which batches moved groups, and how long that went on.

Read from ``batch`` events alone. Batches one after the other that move groups are one balancing:
the rule moves them pair by pair, and what rows cost is learned meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from slackwater.history.number import number_of
from slackwater.units import SECOND

Json = dict[str, Any]
MOST = 400  # batches that moved groups; older ones are forgotten
_BEFORE = ("observe", "decide")  # verbs that are over when it is decided who has what


@dataclass(frozen=True, slots=True)
class Moved:
    """So many groups changed their tasks in a batch; wall times of its decision and its end."""

    batch: int
    groups: int
    at: float
    until: float


@dataclass(frozen=True, slots=True)
class Balancing:
    """``groups`` changed their tasks in so many ``batches``, the first of them decided ``at``.

    ``seconds`` is its length, T_LB_end - T_LB_start: wall time from that decision until the last of
    these batches was done.
    """

    batch: int
    at: float
    batches: int
    groups: int
    seconds: float

    @classmethod
    def of(cls, moves: Sequence[Moved]) -> Balancing:
        first, last = moves[0], moves[-1]
        groups, seconds = sum(one.groups for one in moves), (last.until - first.at) / SECOND
        return cls(first.batch, first.at, len(moves), groups, seconds)


@dataclass(slots=True)
class BalanceCourse:
    """All balancing of a run, oldest first."""

    moves: list[Moved] = field(default_factory=list)

    @property
    def balancings(self) -> list[Balancing]:
        found: list[list[Moved]] = []
        for one in self.moves:
            if found and found[-1][-1].batch + 1 == one.batch:
                found[-1].append(one)
            else:
                found.append([one])
        return [Balancing.of(moves) for moves in found]

    def add(self, batch: Json) -> None:
        """Take in a batch."""
        tasks = batch.get("tasks")
        moved = number_of(tasks.get("moved")) if isinstance(tasks, dict) else None
        if moved:
            at = float(batch["at"])
            self.moves.append(Moved(batch["batch"], int(moved), at, at + _rest(batch)))
            del self.moves[:-MOST]

    def cut(self, batch: int) -> None:
        """Batches after this one never happened."""
        self.moves = [one for one in self.moves if one.batch <= batch]


def _rest(batch: Json) -> float:
    """How long a batch took after it was decided."""
    spent = batch.get("ms")
    told = spent.items() if isinstance(spent, dict) else ()
    known = [number_of(took) for verb, took in told if verb not in _BEFORE]
    return sum(took for took in known if took is not None) * SECOND / 1000
