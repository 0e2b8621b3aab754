"""How often values meet a join, and how often as a significant row (F_Sig, F_Prom; spec 1.11)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from slackwater.precede.shared import Shared


@dataclass(frozen=True)
class Frequencies:
    """Counts of one period. What expired on its way to a join counts as if it had come there.

    ``significant`` has rows by join, stream, rank and value, ``arrived`` all rows by join, stream
    and value.
    """

    significant: Mapping[tuple[str, str, int, Hashable], float] = field(default_factory=dict)
    arrived: Mapping[tuple[str, str, Hashable], float] = field(default_factory=dict)

    def partners(self, shared: Shared, join: str, stream: str, value: Hashable) -> dict[int, float]:
        """Significant rows of the other streams that a value meets at a join, by rank (G4)."""
        found: dict[int, float] = {}
        others = {*shared.streams(join)} - {stream}
        for partner, rank, count in self.critical.get((join, value), ()):
            if partner in others:
                found[rank] = found.get(rank, 0.0) + count
        return found

    @cached_property
    def critical(self) -> Mapping[tuple[str, Hashable], list[tuple[str, int, float]]]:
        """Streams, ranks and counts of significant rows, by join and value."""
        found: dict[tuple[str, Hashable], list[tuple[str, int, float]]] = {}
        for (join, stream, rank, value), count in self.significant.items():
            if count > 0:
                found.setdefault((join, value), []).append((stream, rank, count))
        return found

    def come(self, join: str, stream: str, value: Hashable) -> float:
        """How many rows of a stream with a value come to a join."""
        return self.arrived.get((join, stream, value), 0.0)
