"""What a plan costs: work in a unit of time, and rows that it holds (spec adaptive 3.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from slackwater.optimize.known import Known

Pairs = Literal["produced", "inspected"]


@dataclass(frozen=True, slots=True)
class Units:
    """Work of one row put into a state, taken out of it, and of one pair.

    Pairs are those ``produced`` (Part I of the source work) or all that a probe without an index
    ``inspects`` (its Part II). An engine that works by batches also looks through what it probes:
    ``scan`` is for a row of that, ``probe`` for each time.
    """

    insert: float = 1.0
    delete: float = 1.0
    pair: float = 1.0
    pairs: Pairs = "produced"
    scan: float = 0.0
    probe: float = 0.0


@dataclass(frozen=True, slots=True)
class Work:
    """What a plan does in a unit of time.

    ``rows`` are put into a state and taken out of it, ``pairs`` are made, rows of states are
    ``scanned`` by that many ``probes``.
    """

    rows: float = 0.0
    pairs: float = 0.0
    scanned: float = 0.0
    probes: float = 0.0

    def __add__(self, other: Work) -> Work:
        return Work(
            self.rows + other.rows,
            self.pairs + other.pairs,
            self.scanned + other.scanned,
            self.probes + other.probes,
        )

    def cost(self, units: Units) -> float:
        rows = self.rows * (units.insert + units.delete)
        looked = self.scanned * units.scan + self.probes * units.probe
        return rows + self.pairs * units.pair + looked


@dataclass(frozen=True, slots=True, order=True)
class Cost:
    """Work in a unit of time, and rows held."""

    cpu: float
    memory: float

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.cpu + other.cpu, self.memory + other.memory)

    def dominates(self, other: Cost) -> bool:
        """No worse in either, better in one."""
        no_worse = self.cpu <= other.cpu and self.memory <= other.memory
        return no_worse and self != other

    def within(self, limits: Cost) -> bool:
        return self.cpu <= limits.cpu and self.memory <= limits.memory


def probes(known: Known, sequence: Sequence[int], units: Units) -> float:
    """Pairs that one row of the first of some sets meets, probing the others in their order."""
    total, size, bound = 0.0, 1.0, sequence[0]
    for part in sequence[1:]:
        met = size * known.size(part)
        size = met * known.kept(bound, part)
        total += size if units.pairs == "produced" else met
        bound |= part
    return total
