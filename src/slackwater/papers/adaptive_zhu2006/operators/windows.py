"""Time windows between streams: one for all pairs, or local ones completed by shortest paths.

Reference: Zhu 2006, ch. 2 and 10. A combined tuple is valid if every pair of its sub-tuples is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations, product

from slackwater.papers.adaptive_zhu2006.operators.row import Row

Pair = frozenset[str]


@dataclass(frozen=True, slots=True, eq=False)
class Windows:
    """``everywhere`` if all pairs have one length, else the length of every pair, milliseconds."""

    everywhere: int | None
    pairs: Mapping[Pair, int]

    @classmethod
    def same(cls, length: int) -> Windows:
        return cls(length, {})

    @classmethod
    def local(cls, lengths: Mapping[tuple[str, str], int]) -> Windows:
        """Pairs that are not given get the shortest path between their streams.

        >>> Windows.local({("A", "B"): 2, ("B", "C"): 5}).between("A", "C")
        7
        """
        pairs = {frozenset(pair): length for pair, length in lengths.items()}
        streams = sorted({stream for pair in pairs for stream in pair})
        for middle, one, other in product(streams, repeat=3):
            legs = (frozenset((one, middle)), frozenset((middle, other)))
            if len({one, middle, other}) == 3 and all(leg in pairs for leg in legs):
                way = pairs[legs[0]] + pairs[legs[1]]
                direct = frozenset((one, other))
                pairs[direct] = min(pairs.get(direct, way), way)
        return cls(None, pairs)

    @property
    def longest(self) -> int:
        return max(self.pairs.values()) if self.everywhere is None else self.everywhere

    def between(self, one: str, other: str) -> int:
        return self.pairs[frozenset((one, other))] if self.everywhere is None else self.everywhere

    def reach(self, left: Iterable[str], right: Iterable[str]) -> int:
        """How far apart a tuple over some streams and one over others may be at most."""
        if self.everywhere is not None:
            return self.everywhere
        return max(self.between(one, other) for one, other in product(left, right))

    def may_join(self, left: Row, right: Row) -> bool:
        """Whether two valid rows make a valid one."""
        if self.everywhere is not None:
            oldest, newest = min(left.min_ts, right.min_ts), max(left.max_ts, right.max_ts)
            return newest - oldest <= self.everywhere
        return all(
            abs(one.ts - other.ts) <= self.between(one.stream, other.stream)
            for one, other in product(left.parts.values(), right.parts.values())
        )

    def is_valid(self, row: Row) -> bool:
        """By definition: every pair of sub-tuples."""
        return all(
            abs(one.ts - other.ts) <= self.between(one.stream, other.stream)
            for one, other in combinations(row.parts.values(), 2)
        )
