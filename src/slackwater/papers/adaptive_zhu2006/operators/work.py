"""Work in units, as the source work's cost models count it, and a processor that does so many.

Reference: Zhu 2006, ch. 12 (T_j per pair looked at, T_s per tuple inserted or purged).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Work:
    """What was done so far: pairs looked at, results made, tuples inserted and purged."""

    probed: int = 0
    produced: int = 0
    inserted: int = 0
    purged: int = 0


@dataclass(frozen=True, slots=True)
class UnitCost:
    """Units for a pair (T_j) and for a tuple put into a state or taken out of it (T_s)."""

    pair: float = 1.0
    tuple: float = 1.0

    def of(self, work: Work) -> float:
        return self.pair * work.probed + self.tuple * (work.inserted + work.purged)
