"""What runs tell of statistics: smoothed, aged, independent of the order or as it comes (3.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Statistic:
    """A value that was measured in one period after the other.

    ``half_life`` in periods; after ``stale_after`` periods without rows it is the estimate again.
    """

    estimate: float
    half_life: float = 2.0
    stale_after: int = 6
    raw: float | None = None
    smooth: float | None = None
    age: int = 0

    @property
    def value(self) -> float:
        fresh = self.smooth is not None and self.age <= self.stale_after
        return self.smooth if fresh and self.smooth is not None else self.estimate

    def after(self, measured: float | None) -> Statistic:
        """With one period more; ``None`` if there was nothing to measure."""
        fixed = (self.estimate, self.half_life, self.stale_after)
        if measured is None:
            return Statistic(*fixed, self.raw, self.smooth, self.age + 1)
        kept = 0.5 ** (1 / self.half_life)
        smooth = measured if self.smooth is None else measured + kept * (self.smooth - measured)
        return Statistic(*fixed, measured, smooth)


@dataclass(frozen=True, slots=True)
class Seen:
    """Of one operator in one period."""

    rows_in: int = 0
    rows_out: int = 0
    busy_seconds: float = 0.0
    queued: int = 0
    state_bytes: int = 0

    @property
    def selectivity(self) -> float | None:
        return self.rows_out / self.rows_in if self.rows_in else None


@dataclass(frozen=True, slots=True)
class Monitor:
    """The newest values by name, in the order of the dimensions of a space."""

    statistics: Mapping[str, Statistic] = field(default_factory=dict)

    def after(self, measured: Mapping[str, float | None]) -> Monitor:
        known = self.statistics.items()
        return Monitor({name: one.after(measured.get(name)) for name, one in known})

    @property
    def point(self) -> tuple[float, ...]:
        return tuple(one.value for one in self.statistics.values())


Keeps = Callable[[Row], bool]


def independent(rows: Sequence[Row], operators: Sequence[Keeps[Row]]) -> list[float]:
    """Selectivities by a marked batch, that goes through all operators and loses nothing."""
    return [sum(map(keeps, rows)) / len(rows) for keeps in operators]


def correlated(
    rows: Sequence[Row], operators: Sequence[Keeps[Row]], order: Sequence[int]
) -> list[float | None]:
    """Selectivities of what reaches each operator in an order; none where nothing does."""
    found: list[float | None] = [None] * len(operators)
    for number in order:
        kept = [row for row in rows if operators[number](row)]
        found[number] = len(kept) / len(rows) if rows else None
        rows = kept
    return found
