"""Boxes of a parameter space, between lines of its grid (spec robust 2.0)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod

Lines = tuple[int, ...]  # a point of the grid, by the number of its line in each dimension


@dataclass(frozen=True, slots=True, order=True)
class Box:
    """From one point of the grid to another, which is greater in every dimension."""

    lo: Lines
    hi: Lines

    @property
    def volume(self) -> int:
        """How many cells of the grid lie in it."""
        return prod(hi - lo for lo, hi in zip(self.lo, self.hi, strict=True))

    @property
    def center(self) -> Lines:
        return tuple((lo + hi) // 2 for lo, hi in zip(self.lo, self.hi, strict=True))

    @property
    def is_unit(self) -> bool:
        """Whether it is a single cell, that cannot be cut."""
        return all(hi - lo == 1 for lo, hi in zip(self.lo, self.hi, strict=True))

    def contains(self, cell: Lines) -> bool:
        """Whether a cell lies in it, by its lower corner."""
        return all(lo <= x < hi for lo, x, hi in zip(self.lo, cell, self.hi, strict=True))

    def split(self, at: Lines) -> list[Box]:
        """Cut in every dimension where the point lies inside: up to 2^d boxes, together this."""
        parts = []
        for lo, cut, hi in zip(self.lo, at, self.hi, strict=True):
            parts.append([(lo, cut), (cut, hi)] if lo < cut < hi else [(lo, hi)])
        found = [Box(tuple(a for a, _ in one), tuple(b for _, b in one)) for one in product(*parts)]
        if len(found) == 1:
            raise ValueError(f"{at} cuts nothing of {self}")
        return found
