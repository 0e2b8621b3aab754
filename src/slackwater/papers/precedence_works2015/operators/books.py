"""What a run is charged and what it counts: units of work, results, rows that expired (PR-89)."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from slackwater.precede.level import NO_RANK


@dataclass(slots=True)
class Books:
    """Units by activity; results by level and time; rows by what became of them.

    A result has the level of its members, whatever rank they were given.
    """

    units: Counter[str] = field(default_factory=Counter)
    results: Counter[int] = field(default_factory=Counter)
    series: dict[int, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    significant: Counter[int] = field(default_factory=Counter)
    promising: Counter[int] = field(default_factory=Counter)
    rows: Counter[str] = field(default_factory=Counter)
    tests: Counter[str] = field(default_factory=Counter)
    spent: float = 0.0

    def charge(self, activity: str, units: float) -> None:
        if units:
            self.units[activity] += units  # type: ignore[assignment]
            self.spent += units

    def give(self, level: int, moment: int, count: int = 1) -> None:
        self.results[level] += count
        self.series[moment][level] += count

    @property
    def insignificant(self) -> int:
        return self.results[NO_RANK]
