"""Queues with several producers and several consumers, each with a cursor of its own.

Reference: Zhu 2006, ch. 10. An item is dropped when all cursors have passed it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from slackwater.papers.adaptive_zhu2006.operators.row import Item, Row, time_of


@dataclass(eq=False, slots=True)
class SharedQueue:
    """Items from position ``first`` on; earlier ones were read by everybody."""

    items: deque[Item] = field(default_factory=deque)
    first: int = 0
    cursors: list[Cursor] = field(default_factory=list)

    @property
    def end(self) -> int:
        return self.first + len(self.items)

    def append(self, item: Item) -> None:
        if self.cursors:
            self.items.append(item)
        else:
            self.first += 1

    def insert_in_order(self, item: Item) -> None:
        """Behind all items that are not later. Cursors that are past the place see it next."""
        times = [time_of(one) for one in self.items]
        place = self.first + bisect_right(times, time_of(item))
        place = max([place, *(cursor.position for cursor in self.cursors)])
        self.items.insert(place - self.first, item)
        for cursor in self.cursors:
            if cursor.mark is not None and cursor.mark[0] >= place:
                cursor.mark = (cursor.mark[0] + 1, cursor.mark[1])

    def open(self, *, at_end: bool = True) -> Cursor:
        cursor = Cursor(self, self.end if at_end else self.first)
        self.cursors.append(cursor)
        return cursor

    def trim(self) -> None:
        passed = min((cursor.position for cursor in self.cursors), default=self.end)
        while self.first < passed:
            self.items.popleft()
            self.first += 1


@dataclass(eq=False, slots=True)
class Cursor:
    """Where one consumer is. ``mark``: from this position on, rows are new in this epoch."""

    queue: SharedQueue
    position: int
    mark: tuple[int, int] | None = None

    def __len__(self) -> int:
        return self.queue.end - self.position

    def front(self) -> Item | None:
        return self.queue.items[self.position - self.queue.first] if len(self) else None

    def pending(self) -> Iterator[Item]:
        """What is still to be read."""
        skipped = self.position - self.queue.first
        return (item for number, item in enumerate(self.queue.items) if number >= skipped)

    def next(self) -> Item:
        item = self.queue.items[self.position - self.queue.first]
        if self.mark is not None and self.position >= self.mark[0] and isinstance(item, Row):
            item = item.stamped(self.mark[1])
        self.position += 1
        self.queue.trim()
        return item

    def fork(self, *, at_end: bool) -> Cursor:
        """A second consumer of the same queue, from here or from the end on."""
        other = self.queue.open()
        other.position = self.queue.end if at_end else self.position
        return other

    def close(self) -> None:
        self.queue.cursors.remove(self)
        self.queue.trim()
