"""Plans of a join with what they cost. A join costs what its inputs are, however they were made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import prod

from slackwater.optimize.cost import Cost, Units, Work, probes
from slackwater.optimize.known import Known, members
from slackwater.optimize.order import best_orders
from slackwater.plan.tree import JoinNode, Tree, nodes_of


@dataclass(frozen=True, slots=True)
class Plan:
    """A tree, and its cost."""

    tree: Tree
    cost: Cost


@dataclass(frozen=True, slots=True)
class Space:
    """The plans of a join. What was worked out for a join of some sets is not worked out again.

    ``widths`` are bytes of a row, by input; without them memory is counted in rows. Combinations
    take ``bulk`` times what their rows do. ``growth`` says by what factor more of an input will be
    held when it matters whether memory suffices.
    """

    known: Known
    units: Units = field(default_factory=Units)
    widths: tuple[float, ...] | None = None
    bulk: float = 1.0
    growth: tuple[float, ...] | None = None
    _orders: dict[tuple[int, ...], tuple[tuple[int, ...], ...]] = field(default_factory=dict)
    _works: dict[tuple[object, ...], Work] = field(default_factory=dict)

    def node(self, children: Sequence[Tree]) -> JoinNode:
        """A join of some trees, each of which probes the others in the best order that is found."""
        parts = tuple(self.known.set_of(child) for child in children)
        if parts not in self._orders:
            found = best_orders(self.known, parts, self.units)
            self._orders[parts] = tuple(order[1:] for order in found)
        return JoinNode(tuple(children), self._orders[parts])

    def best(self, tree: Tree) -> Tree:
        """The same shape with the best orders."""
        return tree if isinstance(tree, str) else self.node([*map(self.best, tree.children)])

    def plan(self, tree: Tree) -> Plan:
        return Plan(tree, self.cost(tree))

    def cost(self, tree: Tree) -> Cost:
        held = sum(
            self.held(self.known.set_of(c)) for node in nodes_of(tree) for c in node.children
        )
        return Cost(self.work(tree).cost(self.units), held)

    def work(self, tree: Tree) -> Work:
        """What a plan does in a unit of time."""
        return sum(map(self._node_work, nodes_of(tree)), Work())

    def held(self, some: int) -> float:
        """What the state of a set takes, or will take soon."""
        rows, inside = self.known.size(some), [*members(some)]
        if self.growth is not None:
            rows *= prod(self.growth[number] for number in inside)
        if self.widths is None:
            return rows
        width = sum(self.widths[number] for number in inside)
        return rows * width * (self.bulk if len(inside) > 1 else 1.0)

    def _node_work(self, node: JoinNode) -> Work:
        """One join: its inputs are held, and each of them probes the others."""
        parts = tuple(self.known.set_of(child) for child in node.children)
        key = (parts, node.orders)
        if key not in self._works:
            known, rows, pairs, scanned, probed = self.known, 0.0, 0.0, 0.0, 0
            for number, part in enumerate(parts):
                sequence = [part, *(parts[other] for other in node.order(number))]
                rows += known.rate(part)
                pairs += known.rate(part) * probes(known, sequence, self.units)
                scanned += sum(known.size(other) for other in sequence[1:])
                probed += len(sequence) - 1
            self._works[key] = Work(rows, pairs, scanned, probed)
        return self._works[key]


Strategy = Callable[[Space, Cost], Iterator[Plan]]
"""Plans one after the other, each as good an answer as was found so far; ends within the limits."""


def answer(strategy: Strategy, space: Space, limits: Cost) -> Plan:
    """The last plan of a strategy."""
    *_, found = strategy(space, limits)
    return found
