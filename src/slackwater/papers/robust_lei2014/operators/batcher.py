"""Rows in batches: as many as share a route at least, and as many as are taken at most."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Generic, TypeVar

LEAST, MOST = 100, 1000
Row = TypeVar("Row")


class Batcher(Generic[Row]):
    """Rows wait until there are enough for a batch of their own (a ruster)."""

    def __init__(self, least: int = LEAST, most: int = MOST) -> None:
        self._least, self._most = least, most
        self._waiting: deque[Row] = deque()

    def put(self, row: Row) -> None:
        self._waiting.append(row)

    def take(self, *, is_end: bool = False) -> Iterator[list[Row]]:
        """Batches that are complete; at the end of a stream also what is left."""
        while len(self._waiting) >= self._least or (is_end and self._waiting):
            size = min(self._most, len(self._waiting))
            yield [self._waiting.popleft() for _ in range(size)]
