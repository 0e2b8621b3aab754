"""A chain of K-slack buffers below one operator, and what it gives to each child.

All buffers of a source go by the clock of the source, and a buffer releases what the clock has
passed by its *level*, the wait since the source. So every child gets what one buffer of that size
would give it, at the same moment and in the same order (Ji 2018, ch. 5, states it for clocks of
their own, where it only nearly holds).

**Changing it.** Buffers get other levels and children other places while tuples wait. A tuple is
stamped with the number of changes so far; ``T(v_c)`` is the largest timestamp given to a child. One
that was stamped before the last change and is not newer than ``T(v_c)`` is taken to be a duplicate.
That is wrong for one that was late itself and has never left: ``by="identity"`` knows every tuple
that was given instead, for comparison.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heappop, heappush
from typing import Any, Literal, NamedTuple

from slackwater.share.change import can_stay
from slackwater.share.configuration import Chain
from slackwater.stats.arrival import Delayed

Reuse = Literal["naive", "smart"]
Suppression = Literal["stamp", "identity"]


class Held(NamedTuple):
    """A tuple that waits; ``stamp`` is the number of changes when the operator gave it."""

    ts: int
    seq: int
    stamp: int
    row: Delayed[Any]


Given = dict[str, list[Delayed[Any]]]
"""Tuples by the child that gets them."""


class SharedChain:
    """The buffers; ``copies`` hold what a child would miss because it reads further up now."""

    def __init__(self, chain: Chain, by: Suppression = "stamp") -> None:
        self.chain = chain
        self.changes = 0
        self.suppressed = 0
        self._heaps: list[list[Held]] = [[] for _ in chain.levels]
        self._copies: dict[str, list[Held]] = {child: [] for child, _ in chain.targets}
        self._newest: dict[str, int] = {}
        self._known: dict[str, set[int]] | None = None
        if by == "identity":
            self._known = {child: set() for child, _ in chain.targets}

    @property
    def held(self) -> int:
        """Tuples in all buffers."""
        return sum(map(len, self._heaps)) + sum(map(len, self._copies.values()))

    def newest(self, child: str) -> int | None:
        """``T(v_c)``."""
        return self._newest.get(child)

    def update(self, rows: Sequence[Delayed[Any]], clock: int | None) -> Given:
        """Take tuples of the operator in; give what leaves. ``clock`` is that of the source if it
        has just advanced: else only children that read at once get anything.
        """
        fresh = [Held(row.ts, row.arrival.seq, self.changes, row) for row in rows]
        if self._heaps:
            for held in fresh:
                heappush(self._heaps[0], held)
        left = [fresh] if clock is None else [fresh, *self._released(clock)]
        given: Given = {}
        for child, level in self.chain.targets:
            place = self.chain.place(child)
            found = left[place] if place < len(left) else []
            copies = self._copies[child]
            if clock is not None and copies:
                found = sorted([*found, *_due(copies, level, clock)])
            if found:
                given[child] = self._without_duplicates(child, found)
        return given

    def _released(self, clock: int) -> list[list[Held]]:
        """What leaves each buffer, first to last."""
        left = []
        for number, level in enumerate(self.chain.levels):
            due = _due(self._heaps[number], level, clock)
            if number + 1 < len(self._heaps):
                for held in due:
                    heappush(self._heaps[number + 1], held)
            left.append(due)
        return left

    def _without_duplicates(self, child: str, found: Iterable[Held]) -> list[Delayed[Any]]:
        before, last, kept = self._newest.get(child), -1, []
        for held in found:
            if held.seq == last or self._was_given(child, held, before):
                self.suppressed += 1
                continue
            last = held.seq
            kept.append(held.row)
            self._newest[child] = max(held.ts, self._newest.get(child, held.ts))
            if self._known is not None:
                self._known[child].add(held.seq)
        return kept

    def _was_given(self, child: str, held: Held, before: int | None) -> bool:
        if self._known is not None:
            return held.seq in self._known[child]
        return held.stamp < self.changes and before is not None and held.ts <= before

    def change(self, new: Chain, reuse: Reuse) -> int:
        """Other levels and targets from now on; gives how many tuples were moved or copied.

        What is due by them leaves with the next advance of the clock.
        """
        is_smart = reuse == "smart" and can_stay(self.chain, new)
        moved = self._stay(new) if is_smart else self._rebuild(new)
        self.chain = new
        self.changes += 1
        return moved

    def _stay(self, new: Chain) -> int:
        """Smart re-use: buffers stay; children that read further up get copies."""
        moved = 0
        for child, _ in new.targets:
            for heap in self._heaps[new.place(child) : self.chain.place(child)]:
                moved += self._copy(child, heap)
        missing = len(new.levels) - len(self._heaps)
        self._heaps = [*self._heaps[: len(new.levels)], *([] for _ in range(missing))]
        return moved

    def _rebuild(self, new: Chain) -> int:
        """Naive re-use: the old tail is the first buffer of the new chain, and takes in the rest.

        All tuples pass the whole chain, so that nobody misses any; most are duplicates.
        """
        *others, tail = self._heaps or [[]]
        rest = [held for heap in others for held in heap]
        for held in rest:
            heappush(tail, held)
        moved = len(rest)
        for child, _ in new.targets:
            if new.place(child) == 0:
                moved += self._copy(child, tail)
        self._heaps = [tail if number == 0 else [] for number in range(len(new.levels))]
        return moved

    def _copy(self, child: str, held: Iterable[Held]) -> int:
        """Copies wait until they are due for the child, as they would in its buffer."""
        before = len(self._copies[child])
        for one in held:
            heappush(self._copies[child], one)
        return len(self._copies[child]) - before


def _due(heap: list[Held], level: int, clock: int) -> list[Held]:
    due = []
    while heap and heap[0].ts + level <= clock:
        due.append(heappop(heap))
    return due
