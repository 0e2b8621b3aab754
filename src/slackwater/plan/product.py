"""Products: inputs that meet with no predicate between them, so that every pair is made.

A node with three children or more has orders that avoid most of them. A binary join of inputs that
share no predicate has none, and is told of.
"""

from __future__ import annotations

from collections.abc import Iterator

from slackwater.plan.graph import JoinGraph
from slackwater.plan.tree import JoinNode, Tree, inputs_of, mjoin, nodes_of, show_tree

Inputs = frozenset[str]


def followed(graph: JoinGraph, tree: JoinNode) -> JoinNode:
    """The same tree, each child probing along predicates; as listed among those, or without any."""
    children = tuple(
        child if isinstance(child, str) else followed(graph, child) for child in tree.children
    )
    sets = [frozenset(inputs_of(child)) for child in children]
    orders = tuple(_order(graph, sets, first) for first in range(len(sets)))
    return JoinNode(children, orders, tree.is_grouped)


def _order(graph: JoinGraph, sets: list[Inputs], first: int) -> tuple[int, ...]:
    bound, order = sets[first], [first]
    while len(order) < len(sets):
        left = [number for number in range(len(sets)) if number not in order]
        chosen = next((one for one in left if graph.touches(bound, sets[one])), left[0])
        order.append(chosen)
        bound |= sets[chosen]
    return tuple(order[1:])


def products(graph: JoinGraph, tree: Tree) -> list[tuple[Inputs, Inputs]]:
    """What meets in a tree with no predicate between it, though predicates connect it somehow."""
    parts = graph.parts()
    found: dict[frozenset[Inputs], tuple[Inputs, Inputs]] = {}
    for node in nodes_of(tree):
        for one, other in _met(node):
            whole = any(part & one and part & other for part in parts)
            if whole and not graph.touches(one, other):
                found.setdefault(frozenset({one, other}), (one, other))
    return list(found.values())


def _met(node: JoinNode) -> Iterator[tuple[Inputs, Inputs]]:
    """What each child brings so far, and what that meets next."""
    sets = [frozenset(inputs_of(child)) for child in node.children]
    for first in range(len(sets)):
        bound = sets[first]
        for other in node.order(first):
            yield bound, sets[other]
            bound |= sets[other]


def warning(graph: JoinGraph, tree: JoinNode) -> str:
    """What to say of a tree with products; nothing if it has none."""
    found = products(graph, tree)
    if not found:
        return ""
    met = "; ".join(f"{_shown(graph, one)} and {_shown(graph, other)}" for one, other in found)
    said = (
        f"joined by {show_tree(tree)}, these meet without a predicate between them, "
        f"so that every pair within the window is made: {met}"
    )
    if products(graph, followed(graph, mjoin(graph.names))):
        return said
    return f'{said}; order="adaptive" or order="written" avoids it'


def _shown(graph: JoinGraph, some: Inputs) -> str:
    names = [name for name in graph.names if name in some]
    return names[0] if len(names) == 1 else f"({' '.join(names)})"
