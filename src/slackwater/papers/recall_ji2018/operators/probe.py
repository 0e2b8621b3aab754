"""How many results a tuple has, without making them: counters over the windows of a join.

For many joins the number of matches follows from numbers of tuples per key. Tuples are named by
their place in a recording. Reference: Ji 2018, ch. 4 (only ``n^⋈`` is needed to adapt).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import prod
from typing import Protocol


class Probe(Protocol):
    """Windows of a join, reduced to what counting needs."""

    def insert(self, port: int, number: int) -> None: ...
    def remove(self, port: int, number: int) -> None: ...
    def count(self, port: int, number: int) -> int: ...


class CommonKey:
    """All streams agree on one key.

    Examples
    --------
    >>> probe = CommonKey(streams=3, keys=["x", "x", "x", "y"])
    >>> for port, number in ((0, 0), (1, 1), (1, 2), (1, 3)):
    ...     probe.insert(port, number)
    >>> probe.count(2, 0)
    2
    """

    def __init__(self, streams: int, keys: Sequence[Hashable]) -> None:
        self._keys = keys
        self._counts = [dict.fromkeys(keys, 0) for _ in range(streams)]
        self._others = [
            [counts for other, counts in enumerate(self._counts) if other != port]
            for port in range(streams)
        ]

    def insert(self, port: int, number: int) -> None:
        self._counts[port][self._keys[number]] += 1

    def remove(self, port: int, number: int) -> None:
        self._counts[port][self._keys[number]] -= 1

    def count(self, port: int, number: int) -> int:
        key = self._keys[number]
        return prod(counts[key] for counts in self._others[port])


class Star:
    """The first stream has a key for each of the others, which do not know each other.

    Tuples of the centre with equal keys are counted together: where keys are skewed there are few
    kinds of them, where they are not few of them match.

    Examples
    --------
    >>> probe = Star(arms=2, keys=[("x", "p"), ("x", "q"), "x", "p", "q", "q"])
    >>> for port, number in ((0, 0), (0, 1), (2, 3), (2, 4), (2, 5)):
    ...     probe.insert(port, number)
    >>> probe.count(1, 2)
    3
    """

    def __init__(self, arms: int, keys: Sequence[Hashable]) -> None:
        self._keys = keys
        self._arms = range(arms)
        self._counts: list[dict[Hashable, int]] = [{} for _ in self._arms]
        self._kinds: list[dict[Hashable, dict[tuple[Hashable, ...], int]]]
        self._kinds = [{} for _ in self._arms]

    def insert(self, port: int, number: int) -> None:
        self._add(port, number, 1)

    def remove(self, port: int, number: int) -> None:
        self._add(port, number, -1)

    def _add(self, port: int, number: int, by: int) -> None:
        key = self._keys[number]
        if port:
            counts = self._counts[port - 1]
            counts[key] = counts.get(key, 0) + by
            return
        assert isinstance(key, tuple)
        for arm in self._arms:
            kinds = self._kinds[arm].setdefault(key[arm], {})
            left = kinds.get(key, 0) + by
            if left:
                kinds[key] = left
            else:
                del kinds[key]

    def count(self, port: int, number: int) -> int:
        key = self._keys[number]
        if port == 0:
            assert isinstance(key, tuple)
            return prod(self._counts[arm].get(key[arm], 0) for arm in self._arms)
        others = [(arm, self._counts[arm]) for arm in self._arms if arm != port - 1]
        found = 0
        for kind, multiplicity in self._kinds[port - 1].get(key, {}).items():
            for arm, counts in others:
                multiplicity *= counts.get(kind[arm], 0)
            found += multiplicity
        return found
