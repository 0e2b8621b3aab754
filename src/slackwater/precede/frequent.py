"""Values that come often: counted exactly, or in little memory (spec precedence A18).

The source work counts with lossy counting; a sketch of frequent items keeps the same promises. A
value that has at least a share s of all rows is reported, and no count is too large, nor too small
by more than a share ε of all rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from math import ceil, log2
from typing import Protocol

import datasketches

SMALLEST = 3  # of the sketch, as a power of two


class Tally(Protocol):
    """Counts values."""

    @property
    def total(self) -> int: ...

    def update(self, value: Hashable) -> None: ...

    def get(self, least: float) -> dict[Hashable, int]:
        """Counts of all values with ``least`` rows or more, and perhaps of some with fewer."""
        ...


class ExactTally:
    """Every value; the oracle."""

    def __init__(self) -> None:
        self.counts: Counter[Hashable] = Counter()

    @property
    def total(self) -> int:
        return self.counts.total()

    def update(self, value: Hashable) -> None:
        self.counts[value] += 1

    def get(self, least: float) -> dict[Hashable, int]:
        return {value: count for value, count in self.counts.items() if count >= least}


class SketchTally:
    """Frequent values only; ``error`` is the share of all rows by which counts may be too small."""

    def __init__(self, error: float) -> None:
        largest = datasketches.frequent_items_sketch.get_epsilon_for_lg_size(SMALLEST)
        size = SMALLEST + max(0, ceil(log2(largest / error)))
        self._sketch = datasketches.frequent_items_sketch(size)

    @property
    def total(self) -> int:
        return int(self._sketch.total_weight)

    def update(self, value: Hashable) -> None:
        self._sketch.update(value)

    def get(self, least: float) -> dict[Hashable, int]:
        kind = datasketches.frequent_items_error_type.NO_FALSE_NEGATIVES
        found = self._sketch.get_frequent_items(kind, max(ceil(least) - 1, 0))
        return {value: lowest for value, _, lowest, _ in found}
