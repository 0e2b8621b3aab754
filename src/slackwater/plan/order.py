"""The order in which the inputs of an m-way join probe each other, from first statistics.

Greedy: of the inputs that are left, probe the one that leaves the fewest combinations. Sizes are
rows held per input; a class of equal columns keeps one combination in as many as the larger side
has distinct values, any other predicate one in three (nothing is known about it), none at all
keeps everything. Reference: Zhu 2006.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from slackwater.plan.graph import JoinGraph
from slackwater.plan.tree import JoinNode

UNKNOWN = 1 / 3


@dataclass(frozen=True, slots=True)
class JoinStatistics:
    """Rows held of each input, and distinct values of its columns."""

    rows: Mapping[str, float]
    distinct: Mapping[str, float]


def selectivity(
    graph: JoinGraph, left: frozenset[str], right: frozenset[str], known: JoinStatistics
) -> float:
    """Share of the cross product of two sides that their predicates keep."""
    share = 1.0
    for one, other in graph.equalities(left, right):
        share /= max(known.distinct.get(one, 1.0), known.distinct.get(other, 1.0), 1.0)
    return float(share * UNKNOWN ** len(graph.conditions(left, right)))


def probe_order(
    graph: JoinGraph, first: str, known: JoinStatistics
) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """The other inputs in the order ``first`` probes them, and combinations per row after each."""
    bound, size = frozenset({first}), 1.0
    order: list[str] = []
    sizes: list[float] = []
    while len(order) < len(graph.names) - 1:
        left = [name for name in graph.names if name not in bound]
        grown = {n: _grown(graph, bound, n, known) for n in left}
        best = min(left, key=lambda n: (not graph.touches(bound, frozenset({n})), grown[n]))
        size *= grown[best]
        order.append(best)
        sizes.append(size)
        bound |= {best}
    return tuple(order), tuple(sizes)


def _grown(graph: JoinGraph, bound: frozenset[str], name: str, known: JoinStatistics) -> float:
    return known.rows.get(name, 1.0) * selectivity(graph, bound, frozenset({name}), known)


def ordered_mjoin(graph: JoinGraph, known: JoinStatistics) -> JoinNode:
    """One m-way join of all inputs, each with its own order."""
    place = {name: number for number, name in enumerate(graph.names)}
    orders = tuple(
        tuple(place[other] for other in probe_order(graph, name, known)[0]) for name in graph.names
    )
    return JoinNode(graph.names, orders)
