"""Join graphs of the workloads: chain, star, tree, cycle, random.

Reference: Zhu 2006, ch. 3 and 8. A graph is the pairs of streams that a predicate connects.
"""

from __future__ import annotations

from itertools import combinations, pairwise
from random import Random
from typing import Literal

Shape = Literal["chain", "star", "tree", "cycle", "random"]
Pairs = tuple[tuple[str, str], ...]


def graph(shape: Shape, streams: str, seed: int = 0) -> Pairs:
    """The pairs of a graph over some streams; trees and random graphs by a seed.

    >>> graph("cycle", "ABC")
    (('A', 'B'), ('B', 'C'), ('A', 'C'))
    """
    if shape == "star":
        return tuple((streams[0], one) for one in streams[1:])
    chain = tuple(pairwise(streams))
    if shape == "chain":
        return chain
    if shape == "cycle":
        return (*chain, (streams[0], streams[-1])) if len(streams) > 2 else chain
    random = Random(seed)
    spanning = [(streams[random.randrange(n)], streams[n]) for n in range(1, len(streams))]
    if shape == "tree":
        return tuple(spanning)
    others = [pair for pair in combinations(streams, 2) if pair not in spanning]
    return (*spanning, *random.sample(others, random.randint(0, len(others))))
