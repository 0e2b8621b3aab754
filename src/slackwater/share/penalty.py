"""What a re-configuration costs in latency, learned from those that were made (Ji 2018, ch. 5).

``LP = a + b·(rows to migrate)``, by least squares. A change that only lets queries wait less is
profitless if it takes longer than it saves.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from slackwater.share.change import Move

VERSION = 1


@dataclass(frozen=True, slots=True)
class Penalty:
    """Sums over the migrations seen: how many, their rows, and the time that they took."""

    count: int = 0
    rows: float = 0.0
    time: float = 0.0
    squares: float = 0.0
    products: float = 0.0
    version: int = VERSION

    def after(self, rows: int, time: float) -> Penalty:
        """With one migration; time in the unit of slacks."""
        return Penalty(
            self.count + 1,
            self.rows + rows,
            self.time + time,
            self.squares + rows * rows,
            self.products + rows * time,
        )

    def expected(self, rows: float) -> float | None:
        """``LP`` of a migration; ``None`` before the first."""
        if not self.count:
            return None
        spread = self.squares - self.rows * self.rows / self.count
        shared = self.products - self.rows * self.time / self.count
        slope = max(0.0, shared / spread) if spread > 0 else 0.0
        base = max(0.0, (self.time - slope * self.rows) / self.count)
        return base + slope * rows


def is_worth(penalty: Penalty, rows: float, changes: Iterable[tuple[int, int]]) -> bool:
    """Whether to make a change; each query's slack before and after.

    Longer waits are needed for quality, whatever they cost.
    """
    known = list(changes)
    if any(after > before for before, after in known):
        return True
    saved = max((before - after for before, after in known), default=0)
    expected = penalty.expected(rows)
    return saved > 0 and (expected is None or expected < saved)


def to_migrate(moved: Iterable[Move], rates: dict[str, float]) -> float:
    """Rows that are expected between the old and the new place of readers that wait less."""
    return sum(
        rates[move.operator] * (move.before - move.after)
        for move in moved
        if move.danger == "missing"
    )
