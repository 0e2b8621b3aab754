"""Which rows are worth what: levels people write, and levels found in what arrives (1.6, 1.7).

Rank 1 is the most critical. A row without a rank has ``NO_RANK``, which is behind all others, so
that the more critical of two is always the smaller number (G1).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from slackwater.precede.predicate import Predicate, Row

NO_RANK = 2**31 - 1


@dataclass(frozen=True, slots=True)
class StaticLevel:
    """A rank, and the condition under which rows of a stream have it (*significant*, sml)."""

    rank: int
    condition: Predicate
    stream: str

    @property
    def attributes(self) -> frozenset[str]:
        return self.condition.attributes


@dataclass(frozen=True, slots=True)
class DynamicLevel:
    """Rows of a stream with a value promise to meet significant ones at a join (dml).

    ``until`` is how far along that join is, the designated operator: there the promise ends.
    ``gain`` is how many critical results are expected of it (the yield, F_Sig · F_Prom).
    """

    stream: str
    until: int
    rank: int
    attribute: str
    value: Hashable
    gain: float = 0.0


def potential_rank(row: Row, levels: Iterable[StaticLevel]) -> int:
    """The most critical rank whose condition a row meets, active or not (A1)."""
    return min((one.rank for one in levels if one.condition.holds(row)), default=NO_RANK)
