"""A multiset of results as two numbers, so that runs of millions of results can be compared.

Reference: Zhu 2006, ch. 10 (no missing, no duplicate, no incorrect result). The order in which
results came does not matter; which tuples each is made of, with which values, and how often, does.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from slackwater.papers.adaptive_zhu2006.operators.row import Row

MASK = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Digest:
    """How many results, and the sum of their hashes; it is good within one process."""

    count: int = 0
    total: int = 0

    def with_rows(self, rows: Iterable[Row]) -> Digest:
        count, total = self.count, self.total
        for row in rows:
            members = frozenset((one.stream, one.seq, one.values) for one in row.parts.values())
            count += 1
            total += hash(members)
        return Digest(count, total & MASK)
