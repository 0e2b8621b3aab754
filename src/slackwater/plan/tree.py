"""Shapes of join plans: trees whose leaves are inputs and whose nodes join two inputs or more.

A node with two children is a binary join, one with all inputs is an m-way join (mjoin), anything
between is a hybrid tree. The children of a node are probed by each of them in an order of its
own. A node below the root keeps its results as state; an m-way join keeps none
(Zhu 2006, Part I). Below aggregates a tree may work over groups of rows instead of rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

DEEPEST = 100  # joins of a tree that is read; far more than streams that can be joined
GROUPED = "grouped"  # before a tree: over groups of rows


@dataclass(frozen=True, slots=True)
class JoinNode:
    """A join of its children; ``orders[i]`` lists the other children as child ``i`` probes them.

    Without ``orders`` every child probes the others as they are listed. A root that ``is_grouped``
    has the whole tree work over groups of rows (`slackwater.plan.grouping`).
    """

    children: tuple[Tree, ...]
    orders: tuple[tuple[int, ...], ...] = ()
    is_grouped: bool = False

    def order(self, child: int) -> tuple[int, ...]:
        """The other children in the order in which ``child`` probes them."""
        if self.orders:
            return self.orders[child]
        return tuple(other for other in range(len(self.children)) if other != child)


Tree = str | JoinNode


def inputs_of(tree: Tree) -> tuple[str, ...]:
    """The inputs of a tree, left to right."""
    if isinstance(tree, str):
        return (tree,)
    return tuple(name for child in tree.children for name in inputs_of(child))


def nodes_of(tree: Tree) -> tuple[JoinNode, ...]:
    """The joins of a tree, children before parents."""
    if isinstance(tree, str):
        return ()
    below = [node for child in tree.children for node in nodes_of(child)]
    return (*below, tree)


def mjoin(names: Sequence[str]) -> JoinNode:
    """One m-way join of all inputs."""
    return JoinNode(tuple(names))


def all_trees(names: Sequence[str]) -> Iterator[Tree]:
    """Every shape over these inputs (1, 4, 26, 236, ... of them for 2, 3, 4, 5, ... inputs)."""
    if len(names) == 1:
        yield names[0]
        return
    for parts in _partitions(tuple(names)):
        if len(parts) > 1:
            yield from (JoinNode(children) for children in _product(parts))


def _product(parts: Sequence[tuple[str, ...]]) -> Iterator[tuple[Tree, ...]]:
    if not parts:
        yield ()
        return
    for first in all_trees(parts[0]):
        for rest in _product(parts[1:]):
            yield (first, *rest)


def _partitions(names: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], ...]]:
    """All ways to cut names into groups, each way once."""
    if not names:
        yield ()
        return
    first, rest = names[0], names[1:]
    for size in range(len(rest) + 1):
        for others in combinations(rest, size):
            left = tuple(name for name in rest if name not in others)
            for more in _partitions(left):
                yield ((first, *others), *more)


def show_tree(tree: Tree) -> str:
    """A tree as text: ``((a b) c)``, or ``grouped ((a b) c)``."""
    if isinstance(tree, str):
        return tree
    text = f"({' '.join(show_tree(child) for child in tree.children)})"
    return f"{GROUPED} {text}" if tree.is_grouped else text


def read_tree(text: str) -> Tree:
    """The tree of a text such as ``((a b) c)``; raises ``ValueError`` with what is wrong."""
    if text.count("(") > DEEPEST:
        raise ValueError(f"more than {DEEPEST} joins")
    tokens = re.findall(r"[()]|[^\s(),]+", text)
    is_grouped = tokens[:2] == [GROUPED, "("]
    tree, rest = _read(tokens[is_grouped:])
    if rest:
        raise ValueError(f"{' '.join(rest)!r} is left over")
    return replace(tree, is_grouped=is_grouped) if isinstance(tree, JoinNode) else tree


def tree_over(text: str, names: Sequence[str]) -> JoinNode:
    """The tree of a text that names each input once; raises ``ValueError`` with what is wrong."""
    tree = read_tree(text)
    if isinstance(tree, str) or sorted(inputs_of(tree)) != sorted(names):
        raise ValueError(f"it does not name each of {', '.join(names)} once")
    return tree


def _read(tokens: list[str]) -> tuple[Tree, list[str]]:
    if not tokens or tokens[0] == ")":
        raise ValueError("a name or '(' is missing")
    if tokens[0] != "(":
        return tokens[0], tokens[1:]
    children: list[Tree] = []
    rest = tokens[1:]
    while rest and rest[0] != ")":
        child, rest = _read(rest)
        children.append(child)
    if not rest:
        raise ValueError("a ')' is missing")
    if len(children) < 2:
        raise ValueError("a join needs two inputs at least")
    return JoinNode(tuple(children)), rest[1:]


def tree_to_json(tree: Tree) -> Any:
    if isinstance(tree, str):
        return tree
    children = [tree_to_json(child) for child in tree.children]
    form = {GROUPED: True} if tree.is_grouped else {}
    return {"join": children, "orders": [list(order) for order in tree.orders], **form}


def tree_from_json(value: Any) -> Tree:
    if isinstance(value, str):
        return value
    children = tuple(tree_from_json(child) for child in value["join"])
    orders = tuple(tuple(order) for order in value["orders"])
    return JoinNode(children, orders, value.get(GROUPED, False))
