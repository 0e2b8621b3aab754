"""In which order the inputs of an m-way join probe each other (spec adaptive 3.5.1 to 3.5.4).

Where predicates form a tree, ranks give the best order without Cartesian products (Ibaraki and
Kameda; Krishnamurthy, Boral and Zaniolo): a row is not worth less because what makes it worth it
comes only one step later. Other graphs are cut down to a spanning tree first, which is a heuristic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from slackwater.optimize.cost import Units, probes
from slackwater.optimize.known import Known

Edges = list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Block:
    """Inputs that are probed one after the other; ``grown`` rows leave for each that enters."""

    sequence: tuple[int, ...]
    grown: float
    work: float

    @property
    def rank(self) -> float:
        return (self.grown - 1) / self.work if self.work else -inf

    def then(self, other: Block) -> Block:
        work = self.work + self.grown * other.work
        return Block(self.sequence + other.sequence, self.grown * other.grown, work)


def best_orders(known: Known, parts: Sequence[int], units: Units) -> list[tuple[int, ...]]:
    """For each of some sets: itself, then the others as it probes them.

    By ranks, with Cartesian products and without: neither is always better (errata E7).
    """
    trees = [spanning_tree(known, parts, cartesian=True)]
    inside = spanning_tree(known, parts, cartesian=False)
    if len(inside) == len(parts) - 1:
        trees.append(inside)

    def met(order: Sequence[int]) -> float:
        return probes(known, [parts[number] for number in order], units)

    return [
        min((by_rank(known, parts, first, units, tree) for tree in trees), key=met)
        for first in range(len(parts))
    ]


def by_rank(
    known: Known, parts: Sequence[int], first: int, units: Units, edges: Edges
) -> tuple[int, ...]:
    """All parts in the order of their ranks, as far as a tree of edges from the first allows."""
    near: list[list[int]] = [[] for _ in parts]
    for one, other in edges:
        near[one].append(other)
        near[other].append(one)

    def below(node: int, above: int | None) -> list[Block]:
        found: list[Block] = []
        for child in near[node]:
            if child != above:
                rest = below(child, node)
                size = known.size(parts[child])
                grown = size * known.kept(parts[node], parts[child])
                block = Block((child,), grown, grown if units.pairs == "produced" else size)
                while rest and block.rank > rest[0].rank:
                    block = block.then(rest.pop(0))
                found += [block, *rest]
        return sorted(found, key=lambda block: block.rank)

    return (first, *(number for block in below(first, None) for number in block.sequence))


def spanning_tree(known: Known, parts: Sequence[int], *, cartesian: bool) -> Edges:
    """The lightest edges that connect all parts; light are those that make few combinations."""
    edges = [
        (known.size(parts[a] | parts[b]), a, b)
        for a in range(len(parts))
        for b in range(a)
        if cartesian or known.touches(parts[a], parts[b])
    ]
    group = list(range(len(parts)))
    chosen: Edges = []
    for _, a, b in sorted(edges):
        if group[a] != group[b]:
            old, new = group[b], group[a]
            group = [new if one == old else one for one in group]
            chosen.append((a, b))
    return chosen


def greedy_order(known: Known, parts: Sequence[int], first: int) -> tuple[int, ...]:
    """Next is what leaves the fewest combinations, products last: a baseline, and not the best."""
    order, bound, left = [first], parts[first], set(range(len(parts))) - {first}
    while left:

        def next_best(number: int, bound: int = bound) -> tuple[bool, float, int]:
            grown = known.size(parts[number]) * known.kept(bound, parts[number])
            return not known.touches(bound, parts[number]), grown, number

        chosen = min(left, key=next_best)
        order.append(chosen)
        left.discard(chosen)
        bound |= parts[chosen]
    return tuple(order)
