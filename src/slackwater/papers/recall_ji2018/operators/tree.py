"""Any tree of joins over the streams of a query, run tuple by tuple.

Leaves are streams, inner nodes joins of two inputs or more; one node over all streams is the
mjoin, binary nodes only give a tree of binary joins, everything between is a hybrid. A tuple is
pushed from its leaf to the root before the next one starts (*totally synchronised*).

Reference: Zhu 2006, Part I (plan space).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Union

from slackwater.errors import SlackwaterError
from slackwater.papers.recall_ji2018.operators.combined import Combined
from slackwater.papers.recall_ji2018.operators.condition import Term
from slackwater.papers.recall_ji2018.operators.operator import (
    JoinOperator,
    JoinParams,
    JoinState,
    Orderings,
    Probing,
    Purge,
)
from slackwater.papers.recall_ji2018.operators.windows import JoinWindows
from slackwater.stats.arrival import Arrival, Delayed

Shape = Union[str, tuple["Shape", ...]]  # noqa: UP007


@dataclass(frozen=True, slots=True)
class JoinTree:
    """A join of streams and of other joins; ``orderings`` as in :class:`JoinParams`."""

    inputs: tuple[str | JoinTree, ...]
    orderings: Orderings | None = None

    @classmethod
    def of(cls, shape: tuple[Shape, ...]) -> JoinTree:
        """From nested tuples of names.

        >>> JoinTree.of(("a", ("b", "c"), "d")).streams
        ('a', 'b', 'c', 'd')
        """
        inputs = tuple(part if isinstance(part, str) else cls.of(part) for part in shape)
        tree = cls(inputs)
        if len(inputs) < 2 or len(set(tree.streams)) != len(tree.streams):
            raise SlackwaterError(
                "JOIN_TREE_INVALID",
                f"join tree {shape}",
                "every join has two inputs or more, and every stream occurs once",
            )
        return tree

    @property
    def streams(self) -> tuple[str, ...]:
        found: tuple[str, ...] = ()
        for part in self.inputs:
            found += (part,) if isinstance(part, str) else part.streams
        return found

    @property
    def covers(self) -> tuple[tuple[str, ...], ...]:
        """The streams of each input."""
        return tuple((part,) if isinstance(part, str) else part.streams for part in self.inputs)


@dataclass(frozen=True, slots=True)
class TreeParams:
    """A join query and the tree that computes it."""

    tree: JoinTree
    windows: JoinWindows
    terms: tuple[Term, ...] = ()
    probing: Probing = "hash"
    purge: Purge = "newest"


@dataclass(slots=True)
class Node:
    """An operator, and where its results go: the number of a node and its input."""

    operator: JoinOperator
    parent: tuple[int, int] | None


def build(
    params: TreeParams, states: Sequence[JoinState] = ()
) -> tuple[list[Node], dict[str, tuple[int, int]]]:
    """Operators with children before parents, and the node and input of every stream."""
    nodes: list[Node] = []
    leaves: dict[str, tuple[int, int]] = {}

    def add(tree: JoinTree) -> int:
        below = [part if isinstance(part, str) else add(part) for part in tree.inputs]
        join = JoinParams(
            tree.covers,
            params.windows,
            params.terms,
            tree.orderings,
            params.probing,
            params.purge,
        )
        number = len(nodes)
        state = states[number] if states else None
        nodes.append(Node(JoinOperator.start(join, state), None))
        for port, part in enumerate(below):
            if isinstance(part, str):
                leaves[part] = (number, port)
            else:
                nodes[part].parent = (number, port)
        return number

    add(params.tree)
    return nodes, leaves


class HybridTree:
    """The executor; results leave at the root.

    Examples
    --------
    >>> from slackwater.papers.recall_ji2018.operators.condition import same_key
    >>> from slackwater.papers.recall_ji2018.operators.windows import PairWindows
    >>> tree = JoinTree.of((("a", "b"), "c"))
    >>> params = TreeParams(tree, PairWindows.everywhere("abc", 10), same_key("abc"))
    >>> executor = HybridTree(params)
    >>> rows = [Arrival(stream, 0, ts, "key") for stream, ts in (("c", 1), ("a", 4), ("b", 11))]
    >>> [result.times for row in rows for result in executor.update(row)]
    [{'a': 4, 'b': 11, 'c': 1}]
    """

    def __init__(self, params: TreeParams) -> None:
        self.nodes, self._leaves = build(params)

    def update(self, arrival: Arrival[Any]) -> list[Combined]:
        """Take in the next tuple, in event-time order over all streams; give its results."""
        number, port = self._leaves[arrival.stream]
        return list(self._push(number, port, Combined.of(Delayed(arrival, 0))))

    def _push(self, number: int, port: int, item: Combined) -> Iterator[Combined]:
        node = self.nodes[number]
        for result in node.operator.update(port, item).results:
            if node.parent is None:
                yield result
            else:
                yield from self._push(*node.parent, result)
