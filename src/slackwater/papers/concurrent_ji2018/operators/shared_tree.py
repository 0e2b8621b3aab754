"""The operators behind one source, with the chains between them, tuple by tuple."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from slackwater.papers.concurrent_ji2018.operators.chain import Reuse, SharedChain, Suppression
from slackwater.share.configuration import Configuration
from slackwater.share.tree import Operator
from slackwater.stats.arrival import Arrival, Delayed

Predicate = Callable[[Any], bool]
Reader = Callable[[Delayed[Any]], None]


class SharedTree:
    """Filters and chains of a source; a window is whoever takes its rows.

    Examples
    --------
    >>> from slackwater.share.opt import opt
    >>> from slackwater.share.tree import Facts, source, window
    >>> from slackwater.stats.arrival import arrivals
    >>> root, got = source("s", window("a"), window("b")), {"a": [], "b": []}
    >>> tree = SharedTree(
    ...     root,
    ...     opt(root, Facts({"a": 1, "b": 3}, {})),
    ...     {},
    ...     {name: (lambda row, seen=seen: seen.append(row.ts)) for name, seen in got.items()},
    ... )
    >>> for arrival in arrivals([1, 4, 3, 5, 8]):
    ...     tree.update(arrival)
    >>> got
    {'a': [1, 3, 4, 5], 'b': [1, 3, 4, 5]}
    """

    def __init__(
        self,
        root: Operator,
        configuration: Configuration,
        predicates: Mapping[str, Predicate],
        readers: Mapping[str, Reader],
        by: Suppression = "stamp",
    ) -> None:
        self._root, self._predicates, self._readers = root, predicates, readers
        self.clock: int | None = None
        self.chains = {
            operator.name: [SharedChain(one, by) for one in configuration.below(operator.name)]
            for operator in root.walk()
            if operator.kind != "window"
        }
        self._all = [chain for chains in self.chains.values() for chain in chains]
        self.counted = {name: [0, 0] for name in predicates}  # rows seen and kept since last asked

    @property
    def held(self) -> int:
        """Tuples in all buffers."""
        return sum(chain.held for chain in self._all)

    @property
    def suppressed(self) -> int:
        """Tuples that were taken for duplicates."""
        return sum(chain.suppressed for chain in self._all)

    def update(self, arrival: Arrival[Any]) -> None:
        """Take in the next tuple of the source."""
        has_advanced = self.clock is None or arrival.ts > self.clock
        self.clock = clock = arrival.ts if self.clock is None else max(self.clock, arrival.ts)
        row = Delayed(arrival, clock - arrival.ts)
        self._receive(self._root, [row], clock if has_advanced else None)

    def flush(self) -> None:
        """End of the stream: everything that waits leaves, in order of time."""
        beyond = 1 << 62
        self._receive(self._root, [], beyond)

    def change(self, configuration: Configuration, reuse: Reuse) -> int:
        """Another configuration from now on; gives how many tuples were moved or copied."""
        moved = 0
        for operator, chains in self.chains.items():
            for old, new in zip(chains, configuration.below(operator), strict=True):
                if old.chain != new:
                    moved += old.change(new, reuse)
        return moved

    def take_counts(self) -> dict[str, tuple[int, int]]:
        """Rows that reached each filter and those it kept, since this was asked last."""
        found = {name: (seen, kept) for name, (seen, kept) in self.counted.items() if seen}
        self.counted = {name: [0, 0] for name in self.counted}
        return found

    def _receive(self, operator: Operator, rows: list[Delayed[Any]], clock: int | None) -> None:
        if operator.kind == "window":
            for row in rows:
                self._readers[operator.name](row)
            return
        if operator.kind == "filter" and rows:
            rows = self._kept(operator.name, rows)
        given: dict[str, list[Delayed[Any]]] = {}
        for chain in self.chains[operator.name]:
            given |= chain.update(rows, clock)
        for child in operator.children:
            found = given.get(child.name, [])
            if found or clock is not None:
                self._receive(child, found, clock)

    def _kept(self, name: str, rows: list[Delayed[Any]]) -> list[Delayed[Any]]:
        keeps = self._predicates[name]
        kept = [row for row in rows if keeps(row.arrival.payload)]
        count = self.counted[name]
        count[0] += len(rows)
        count[1] += len(kept)
        return kept
