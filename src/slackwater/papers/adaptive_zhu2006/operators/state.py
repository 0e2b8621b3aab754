"""The state of one input of a join: rows in the order they came, found by key, purged by a rule.

Reference: Zhu 2006, ch. 10 and 15 (purging). Three rules are the source work's. ``tight`` is an
addition: with synchronised execution every later partner has a timestamp of now or more, so that
the oldest sub-tuple decides.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Literal

from slackwater.papers.adaptive_zhu2006.operators.query import Column
from slackwater.papers.adaptive_zhu2006.operators.row import Row

Purge = Literal["max", "min-max", "tight"]
Dead = Callable[[Row, Row, int], bool]

# by(arrived, kept, window): whether the kept one can be forgotten. For singletons they are one.
PURGES: Mapping[Purge, Dead] = {
    "max": lambda arrived, kept, window: arrived.max_ts - kept.max_ts > window,
    "min-max": lambda arrived, kept, window: arrived.min_ts - kept.max_ts > window,
    "tight": lambda arrived, kept, window: arrived.max_ts - kept.min_ts > window,
}
Key = tuple[Column, ...]


class State:
    """Rows, and an index for every combination of columns that somebody looked for."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self.rows: deque[Row] = deque(rows)
        self._indexes: dict[Key, dict[Hashable, deque[Row]]] = {}

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def copy(self) -> State:
        return State(self.rows)

    def insert(self, row: Row) -> None:
        self.rows.append(row)
        for key, index in self._indexes.items():
            index.setdefault(_values(key, row), deque()).append(row)

    def find(self, key: Key, values: Hashable) -> Iterable[Row]:
        """The rows with these values, by hash."""
        if key not in self._indexes:
            index: dict[Hashable, deque[Row]] = {}
            for row in self.rows:
                index.setdefault(_values(key, row), deque()).append(row)
            self._indexes[key] = index
        return self._indexes[key].get(values, ())

    def purge(self, arrived: Row, rule: Purge, window: int) -> int:
        """Forget what the arrived row shows to be dead; how many that were."""
        is_dead = PURGES[rule]
        if rule == "max":  # rows are in this order, so the first that lives ends it
            count = 0
            while self.rows and is_dead(arrived, self.rows[0], window):
                self._forget(self.rows.popleft())
                count += 1
            return count
        dead = [row for row in self.rows if is_dead(arrived, row, window)]
        self.remove(dead)
        return len(dead)

    def purge_before(self, ts: float) -> int:
        """Forget the rows whose newest sub-tuple is older; how many that were."""
        dead = [row for row in self.rows if row.max_ts < ts]
        self.remove(dead)
        return len(dead)

    def remove(self, rows: Iterable[Row]) -> None:
        gone = {id(row) for row in rows}
        if gone:
            self.rows = deque(row for row in self.rows if id(row) not in gone)
            self._indexes = {}

    def _forget(self, row: Row) -> None:
        for key, index in self._indexes.items():
            values = _values(key, row)
            index[values].remove(row)
            if not index[values]:
                del index[values]


def _values(key: Key, row: Row) -> tuple[object, ...]:
    return tuple(column.of(row) for column in key)
