"""The window of one input of a join: tuples until they expire, found by scan or by key."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from heapq import heappop, heappush
from itertools import count

from slackwater.papers.recall_ji2018.operators.combined import Combined

KeyOf = Callable[[Combined], Hashable]


class WindowState:
    """Tuples by the last instant at which they can still find a partner.

    An index is built when it is first asked for, and kept up to date from then on.
    """

    def __init__(self, items: Iterable[tuple[int, Combined]] = ()) -> None:
        self._ties = count()
        self._expiry: list[tuple[int, int]] = []
        self._items: dict[int, Combined] = {}
        self._keys: dict[Hashable, KeyOf] = {}
        self._index: dict[Hashable, dict[Hashable, dict[int, Combined]]] = {}
        for last, item in items:
            self.insert(item, last)

    def snapshot(self) -> tuple[tuple[int, Combined], ...]:
        return tuple((last, self._items[tie]) for last, tie in sorted(self._expiry))

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Combined]:
        return iter(self._items.values())

    def insert(self, item: Combined, last: int) -> None:
        """Keep a tuple until an instant has passed."""
        tie = next(self._ties)
        heappush(self._expiry, (last, tie))
        self._items[tie] = item
        for name, key_of in self._keys.items():
            self._index[name].setdefault(key_of(item), {})[tie] = item

    def purge(self, now: int) -> None:
        """Drop what can find no partner from now on."""
        while self._expiry and self._expiry[0][0] < now:
            _, tie = heappop(self._expiry)
            item = self._items.pop(tie)
            for name, key_of in self._keys.items():
                key = key_of(item)
                bucket = self._index[name][key]
                del bucket[tie]
                if not bucket:
                    del self._index[name][key]

    def matching(self, name: Hashable, key_of: KeyOf, key: Hashable) -> Iterable[Combined]:
        """The tuples with a key, through the index of a name."""
        if name not in self._keys:
            self._keys[name] = key_of
            index: dict[Hashable, dict[int, Combined]] = {}
            for tie, item in self._items.items():
                index.setdefault(key_of(item), {})[tie] = item
            self._index[name] = index
        return self._index[name].get(key, {}).values()
