"""Ratios of finals to estimates: a small histogram that slowly forgets.

A cell holds ratios whose logarithm is about the same. Cells are narrow (0.2 %) around a centre and
widen with the distance from it, to a third of the deviation. The centre is about the median: an
early sum is too low by much and reliably so, and the reliability is what a band must show.

Weights are multiples of 1/8; when their sum exceeds ``MEMORY`` all are halved, and what falls below
1/8 is gone. So the newest five hundred ratios or more count, whatever came before.

A pair whose ratio is not above 0 and finite (estimate 0, other sign) has no cell: it is ``odd``,
and counts as outside of every band.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

MEMORY = 1024.0
SMALLEST = 0.125
CELLS = 20  # on each side of 1
FINEST = 0.005  # log ratio at which cells begin to widen
WIDENING = 0.35


@dataclass(frozen=True, slots=True)
class Ratios:
    """Weights of cells ``first``, ``first + 1``, …; cell 0 holds the log ratio ``centre``."""

    first: int = 0
    weights: tuple[float, ...] = ()
    odd: float = 0.0
    centre: float = 0.0

    @property
    def total(self) -> float:
        return sum(self.weights)

    def add(self, ratios: Array) -> Ratios:
        """With more ratios; one call never counts for more than a quarter of the memory.

        >>> [round(factor, 3) for factor in Ratios().add(np.full(50, 1.25)).band(0.9) or ()]
        [1.249, 1.251]
        """
        if not ratios.size:
            return self
        usable = np.log(ratios[np.isfinite(ratios) & (ratios > 0)])
        start = self._around(float(np.median(usable))) if usable.size and not self.weights else self
        scale = 1.0
        while ratios.size * scale > MEMORY / 4:
            scale /= 2
        cells = start._cells()
        np.add.at(cells, _cell(usable - start.centre) + CELLS, scale)
        odd = start.odd + scale * (ratios.size - usable.size)
        return _trimmed(cells, odd, start.centre)._centred()

    def band(self, level: float) -> tuple[float, float] | None:
        """Factors between which the final was for a share ``level`` of estimates.

        ``None`` where that many estimates had no ratio at all.
        """
        inside = self.total
        wanted = level * (inside + self.odd)
        if inside <= 0 or wanted > inside:
            return None
        tail = (1.0 - wanted / inside) / 2
        low, high = self._quantiles(tail, 1.0 - tail)
        return float(np.exp(low)), float(np.exp(high))

    def to_json(self) -> list[Any]:
        plain = [int(weight) if weight == int(weight) else weight for weight in self.weights]
        return [self.centre, self.first, self.odd, plain]

    @classmethod
    def from_json(cls, form: Sequence[Any]) -> Ratios:
        centre, first, odd, weights = form
        return cls(first, tuple(map(float, weights)), float(odd), centre)

    def _cells(self) -> Array:
        cells = np.zeros(2 * CELLS + 1)
        cells[self.first + CELLS : self.first + CELLS + len(self.weights)] = self.weights
        return cells

    def _quantiles(self, *shares: float) -> list[float]:
        edges = _edge(np.arange(len(self.weights) + 1) + self.first) + self.centre
        upto = np.concatenate(([0.0], np.cumsum(self.weights))) / self.total
        return [float(np.interp(share, upto, edges)) for share in shares]

    def _centred(self) -> Ratios:
        """Around the median, if that has moved away from the centre by more than two cells."""
        if not self.weights:
            return self
        [median] = self._quantiles(0.5)
        if abs(int(_cell(np.array([median - self.centre]))[0])) <= 2:
            return self
        return self._around(median)

    def _around(self, centre: float) -> Ratios:
        centre = round(centre, 4)
        numbers = np.arange(len(self.weights)) + self.first
        middles = (_edge(numbers) + _edge(numbers + 1)) / 2 + self.centre
        cells = np.zeros(2 * CELLS + 1)
        np.add.at(cells, _cell(middles - centre) + CELLS, np.asarray(self.weights))
        return _trimmed(cells, self.odd, centre)


def _cell(deviation: Array) -> npt.NDArray[np.int64]:
    far = np.log1p(np.abs(deviation) / FINEST) / WIDENING
    cell = np.asarray(np.sign(deviation) * np.floor(far + 0.5), dtype=np.int64)
    return np.clip(cell, -CELLS, CELLS)


def _edge(cell: npt.NDArray[np.int64]) -> Array:
    """Lower edge of a cell, as deviation from the centre."""
    place = cell - 0.5
    return np.asarray(np.sign(place) * FINEST * np.expm1(np.abs(place) * WIDENING))


def _trimmed(cells: Array, odd: float, centre: float) -> Ratios:
    while cells.sum() + odd > MEMORY:
        cells, odd = cells / 2, odd / 2
    cells = np.floor(cells / SMALLEST) * SMALLEST
    odd = float(np.floor(odd / SMALLEST) * SMALLEST)
    filled = np.flatnonzero(cells)
    if not filled.size:
        return Ratios(0, (), odd, centre)
    low, high = int(filled[0]), int(filled[-1])
    return Ratios(low - CELLS, tuple(cells[low : high + 1].tolist()), odd, centre)
