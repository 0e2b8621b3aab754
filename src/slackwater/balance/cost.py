"""What rows cost, learned from how long machines took."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

FADING = 0.8  # the weight of what was known, with every batch
HELD = 0.2  # a row that is held is looked at; one that is new is also written
RIDGE = 0.001  # the weight of the first guess: it counts where rows of both kinds grow alike


@dataclass(frozen=True, slots=True)
class Spent:
    """How long a machine took for so many rows, new and held."""

    machine: int
    fresh: int
    held: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Cost:
    """Sums over what was spent, by which the cost of a row is the least squares answer."""

    new: float = 0.0
    both: float = 0.0
    old: float = 0.0
    new_seconds: float = 0.0
    old_seconds: float = 0.0

    def after(self, spent: Iterable[Spent]) -> Cost:
        """With what a batch has shown."""
        new, both, old, first, second = (
            FADING * value
            for value in (self.new, self.both, self.old, self.new_seconds, self.old_seconds)
        )
        for one in spent:
            new += one.fresh * one.fresh
            both += one.fresh * one.held
            old += one.held * one.held
            first += one.fresh * one.seconds
            second += one.held * one.seconds
        return Cost(new, both, old, first, second)

    @property
    def held(self) -> float:
        """What a row that is held costs, beside one that is new."""
        rows = self.new + 2 * HELD * self.both + HELD * HELD * self.old
        if rows == 0.0:
            return HELD
        guess = (self.new_seconds + HELD * self.old_seconds) / rows
        new, old = self.new * (1 + RIDGE), self.old * (1 + RIDGE)
        first = self.new_seconds + RIDGE * self.new * guess
        second = self.old_seconds + RIDGE * self.old * guess * HELD
        across = new * old - self.both * self.both
        each_new, each_old = first * old - second * self.both, second * new - first * self.both
        if across <= 0 or each_new <= 0 or each_old <= 0:
            return HELD
        return min(1.0, each_old / each_new)
