"""Random joins, in shapes that have names."""

from __future__ import annotations

import random
from itertools import combinations, permutations
from math import inf
from typing import Literal

from slackwater.optimize.cost import Units, probes
from slackwater.optimize.known import Known, pairwise

Shape = Literal["chain", "star", "tree", "cyclic"]


def drawn(draw: random.Random, count: int, shape: Shape = "tree", window: float = 1.0) -> Known:
    """A join of some inputs with rates, predicates and selectivities at random."""
    names = "ABCDEFGHIJKLMNOPQRST"[:count]
    parents = {
        "chain": lambda n: n - 1,
        "star": lambda n: 0,
        "tree": draw.randrange,
        "cyclic": draw.randrange,
    }[shape]
    edges = {(names[parents(n)], names[n]) for n in range(1, count)}
    if shape == "cyclic":
        others = [pair for pair in combinations(names, 2) if pair not in edges]
        edges |= set(draw.sample(others, min(len(others), max(1, count // 2))))
    rates = {name: draw.uniform(1, 100) for name in names}
    return pairwise(rates, {edge: draw.random() ** 3 for edge in sorted(edges)}, window)


def best_sequence(known: Known, first: int, units: Units, *, products: bool = False) -> float:
    """Fewest pairs of any order of single inputs, with products only if asked for."""
    others = [n for n in range(len(known.names)) if n != first]
    best = inf
    for order in permutations(others):
        sequence, bound, is_allowed = [1 << first], 1 << first, True
        for number in order:
            is_allowed = is_allowed and (products or known.touches(bound, 1 << number))
            sequence.append(1 << number)
            bound |= 1 << number
        if is_allowed:
            best = min(best, probes(known, sequence, units))
    return best
