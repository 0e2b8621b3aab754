"""Numbers of many batches, one array per column; long runs are thinned, totals stay exact."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
MOST = 1 << 17  # rows kept; beyond, neighbours are merged in pairs


class Key(NamedTuple):
    """A column: of what (``query``), which one (its name), which number (``slack``)."""

    group: str
    owner: str
    field: str


AT, BATCH = Key("run", "", "at"), Key("run", "", "batch")
_SUMS = {
    "batches", "rows", "null_time", "far_future", "late", "dropped", "aside", "emitted",
    "measured", "within", "prods", "refused", "shed", "worked", "moved", "expired", "used",
}  # fmt: skip
_MAXIMA = {"max_lateness", "lag", "latency_max", "slowest_ms", "held", "present"}
_MEANS = {"latency", "ms", "skew", "predicted_ms", "measured_ms", "budget"}
NAMED = {  # fields are names that people or controllers gave
    "accuracy_pairs", "accuracy_mean", "accuracy_recent", "accuracy_worst", "aggressiveness",
    "controller",
}  # fmt: skip
_RANKED = {"rank_waiting": "last", "rank_criteria": "last", "rank_yield": "last"}  # others: sums
_LEVELS = {("backlog", "aside"), ("state", "rows")}  # called like a count, but what is there now


def rule(key: Key) -> str:
    """How neighbouring rows of a column become one."""
    if key.group in NAMED:
        return "last"
    if key.group.startswith("rank_"):
        return _RANKED.get(key.group, "sum")
    if (key.group, key.field) in _LEVELS:
        return "last"
    if key.group == "lateness" or key.field in _SUMS:
        return "sum"
    if key.field in _MAXIMA:
        return "max"
    return "mean" if key.field in _MEANS else "last"


def merged(values: Array, starts: NDArray[np.intp], how: str) -> Array:
    """Groups of neighbours, beginning at ``starts``, as one value each; unknown is NaN."""
    if how == "sum":
        return np.asarray(np.add.reduceat(np.nan_to_num(values), starts))
    if how == "max":
        return np.asarray(np.fmax.reduceat(values, starts))
    if how == "mean":
        known = np.add.reduceat((~np.isnan(values)).astype(float), starts)
        total = np.add.reduceat(np.nan_to_num(values), starts)
        return np.where(known > 0, total / np.maximum(known, 1), np.nan)
    ends = np.append(starts[1:], len(values)) - 1
    return np.asarray(values[ends])


class Table:
    """Columns that grow together; a column that comes later is unknown before."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._columns: dict[Key, Array] = {}
        self._room = 0
        self.size = 0

    def __contains__(self, key: object) -> bool:
        return key in self._columns

    @property
    def keys(self) -> list[Key]:
        return list(self._columns)

    def column(self, key: Key) -> Array:
        """The values of a column; all unknown if there is no such column."""
        if key not in self._columns:
            return np.full(self.size, np.nan)
        return self._columns[key][: self.size]

    def last(self, key: Key) -> float | None:
        """The newest value, ``None`` if it is unknown."""
        column = self._columns.get(key)
        if column is None or self.size == 0 or np.isnan(column[self.size - 1]):
            return None
        return float(column[self.size - 1])

    def total(self, key: Key) -> float:
        return float(np.nansum(self.column(key)))

    def append(self, frame: Mapping[Key, Array], rows: int) -> bool:
        """Add rows; whether older ones were thinned."""
        self._make_room(rows)
        for key, values in frame.items():
            if key not in self._columns:
                self._columns[key] = np.full(self._room, np.nan)
            self._columns[key][self.size : self.size + rows] = values
        self.size += rows
        thinned = self.size > self._most
        while self.size > self._most:
            self._halve()
        return thinned

    def _make_room(self, rows: int) -> None:
        if self.size + rows <= self._room:
            return
        self._room = max(self._room * 3 // 2, self.size + rows, 64)
        for key, values in self._columns.items():
            grown = np.full(self._room, np.nan)
            grown[: self.size] = values[: self.size]
            self._columns[key] = grown

    def _halve(self) -> None:
        starts = np.arange(0, self.size, 2)
        for key, values in self._columns.items():
            fewer = merged(values[: self.size], starts, rule(key))
            values[: len(fewer)] = fewer
            values[len(fewer) :] = np.nan
        self.size = len(starts)

    def cut(self, batch: int) -> bool:
        """Forget batches after this one; whether there were any."""
        kept = int(np.searchsorted(self.column(BATCH), batch, side="right"))
        if kept == self.size:
            return False
        for values in self._columns.values():
            values[kept:] = np.nan
        self.size = kept
        return True

    def between(self, low: float, high: float) -> slice:
        """The rows of a span of wall time."""
        at = self.column(AT)
        first, last = np.searchsorted(at, low, "left"), np.searchsorted(at, high, "right")
        return slice(int(first), int(last))

    def sampled(self, rows: slice, points: int) -> dict[Key, Array]:
        """A span of rows as ``points`` at most."""
        count = rows.stop - rows.start
        if count <= points:
            return {key: values[rows] for key, values in self._columns.items()}
        starts = np.unique(np.linspace(0, count, points, endpoint=False).astype(np.intp))
        return {
            key: merged(values[rows], starts, rule(key)) for key, values in self._columns.items()
        }
