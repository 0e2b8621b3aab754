"""Every placement, as far as nodes that are alike are not told apart (spec robust 2.10)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, factorial, inf

from slackwater.robust.placement.placement import (
    Demand,
    Placement,
    score_joint,
    supports,
)

Score = Callable[[Demand, Placement], float]


@dataclass(frozen=True, slots=True)
class Searched:
    """The best placement found, and its score.

    ``is_finished`` if none is better. ``visited`` vertices or placements were looked at, ``pruned``
    were left with all that follows from them.
    """

    placement: Placement
    score: float
    visited: int
    pruned: int = 0
    is_finished: bool = True


def placements(operators: int, capacities: Sequence[float]) -> Iterator[Placement]:
    """All of them; the first operator of a node goes to the first free one of its kind."""

    def further(found: Placement) -> Iterator[Placement]:
        if len(found) == operators:
            yield found
            return
        used, offered = set(found), set()
        for node, capacity in enumerate(capacities):
            if node in used:
                yield from further((*found, node))
            elif capacity not in offered:
                offered.add(capacity)
                yield from further((*found, node))

    return further(())


def exhaustive(
    demand: Demand,
    score: Score = score_joint,
    *,
    seconds: float = inf,
    clock: Callable[[], float] = time.monotonic,
) -> Searched:
    """The best of all placements, or the best of those that time allows to look at."""
    until = clock() + seconds
    best: tuple[float, Placement] | None = None
    visited, is_finished = 0, True
    for found in placements(demand.operators, demand.capacities):
        visited += 1
        reached = score(demand, found)
        if best is None or reached > best[0]:
            best = (reached, found)
        if clock() >= until:
            is_finished = False
            break
    assert best is not None  # a demand has an operator and a node
    return Searched(best[1], best[0], visited, is_finished=is_finished)


def intersection(demand: Demand) -> tuple[Placement | None, tuple[int, ...]]:
    """The heaviest plans that one placement supports, from all placements that support each.

    For tiny demands: what the source work sketches with sets, and an oracle of the others.
    """
    every = list(placements(demand.operators, demand.capacities))
    plans = range(len(demand.loads))
    able = [{one for one in every if supports(demand, one, plan)} for plan in plans]
    some = [s for size in range(len(plans), 0, -1) for s in combinations(plans, size)]
    for chosen in sorted(some, key=lambda one: -sum(demand.weights[plan] for plan in one)):
        common = set.intersection(*(able[plan] for plan in chosen))
        if common:
            return min(common), chosen
    return None, ()


def stirling(operators: int, nodes: int) -> int:
    """Ways to place operators on nodes that are alike: Stirling numbers, up to so many nodes.

    >>> stirling(5, 2), stirling(10, 5)
    (16, 86472)
    """
    return sum(_surjections(operators, k) // factorial(k) for k in range(1, nodes + 1))


def _surjections(operators: int, nodes: int) -> int:
    return sum((-1) ** i * comb(nodes, i) * (nodes - i) ** operators for i in range(nodes + 1))
