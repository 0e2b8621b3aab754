"""Panes: each tuple is aggregated once, and windows combine the panes they are made of.

Reference: Ji 2018, ch. 4, Bhat 2011, ch. 2.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from slackwater.papers.stream.monoids import Monoid
from slackwater.papers.stream.windows import TimeWindow


@dataclass(frozen=True, slots=True)
class Pane:
    """Rows and partial aggregate of a pane, or of several combined."""

    rows: int
    partial: Any


class Panes:
    """The panes of a sliding-window aggregate that windows to come still need."""

    def __init__(
        self,
        window: TimeWindow,
        aggregate: Monoid[Any, Any, Any],
        panes: Iterable[tuple[int, Pane]] = (),
    ) -> None:
        self._window = window
        self._aggregate = aggregate
        self._empty = Pane(0, aggregate.zero)
        self._panes = dict(panes)

    def snapshot(self) -> tuple[tuple[int, Pane], ...]:
        """Panes by number."""
        return tuple(sorted(self._panes.items(), key=lambda item: item[0]))

    @property
    def oldest(self) -> int | None:
        """Upper end of the oldest pane that holds tuples."""
        return min(self._panes) * self._window.pane if self._panes else None

    @property
    def newest(self) -> int | None:
        """Upper end of the newest pane that holds tuples."""
        return max(self._panes) * self._window.pane if self._panes else None

    def add(self, ts: int, value: Any) -> None:
        number = self._window.pane_of(ts)
        pane = self._panes.get(number, self._empty)
        self._panes[number] = Pane(pane.rows + 1, self._aggregate.add(pane.partial, value))

    def combine(self, end: int) -> Pane:
        """The panes of the window with this upper endpoint as one, oldest first."""
        rows, partial = 0, self._aggregate.zero
        for number in self._window.panes_of(end):
            pane = self._panes.get(number, self._empty)
            rows, partial = rows + pane.rows, self._aggregate.merge(partial, pane.partial)
        return Pane(rows, partial)

    def forget_before(self, end: int) -> None:
        """Drop panes that the window with this upper endpoint, and later ones, do not cover."""
        first = self._window.panes_of(end).start
        for number in [number for number in self._panes if number < first]:
            del self._panes[number]
