"""Which plan a point belongs to, by a few comparisons: the leaves of a plan set as a k-d tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from slackwater.robust.box import Box
from slackwater.robust.plan_set import Leaf, PlanSet
from slackwater.robust.space import ParameterSpace

Node = int | tuple[int, float, Any, Any]
"""A plan, or a dimension of the point, a value, and where to go below it and from it on."""
NEAR = 1e-9  # of a unit: a point that near below a line is on it, as `ParameterSpace.cell` has it


def walk(node: Node, point: Sequence[float]) -> int:
    """The plan of a point; what lies beyond the space belongs to its boundary."""
    while not isinstance(node, int):
        node = node[2] if point[node[0]] < node[1] else node[3]
    return node


def region_tree(plans: PlanSet[Any]) -> Node:
    """The tree of the leaves of a plan set."""
    if not plans.leaves:
        raise ValueError("these plans have no regions")
    return _tree(plans.space, plans.space.whole, list(plans.leaves))


def _tree(space: ParameterSpace, box: Box, leaves: list[Leaf]) -> Node:
    if len({leaf.plan for leaf in leaves}) == 1:
        return leaves[0].plan
    axis, line = min(_lines(box, leaves), key=lambda cut: _worth(cut, leaves))
    below = Box(box.lo, _moved(box.hi, axis, line))
    above = Box(_moved(box.lo, axis, line), box.hi)
    return (
        space.free[axis],
        threshold(space, axis, line),
        _tree(space, below, [leaf for leaf in leaves if leaf.box.lo[axis] < line]),
        _tree(space, above, [leaf for leaf in leaves if leaf.box.hi[axis] > line]),
    )


def threshold(space: ParameterSpace, axis: int, line: int) -> float:
    """The value from which on a point lies above a line."""
    known = space.dimensions[space.free[axis]]
    return known.lo + (known.hi - known.lo) * (line - NEAR) / space.units


def _lines(box: Box, leaves: Sequence[Leaf]) -> list[tuple[int, int]]:
    """The borders of leaves inside a box, the middle one of each dimension."""
    found = []
    for axis, (lo, hi) in enumerate(zip(box.lo, box.hi, strict=True)):
        ends = [end for leaf in leaves for end in (leaf.box.lo[axis], leaf.box.hi[axis])]
        inside = sorted(end for end in ends if lo < end < hi)
        if inside:
            found.append((axis, inside[len(inside) // 2]))
    return found


def _worth(cut: tuple[int, int], leaves: Sequence[Leaf]) -> int:
    """How many leaves the fuller side has, and how many are on both."""
    axis, line = cut
    below = sum(leaf.box.lo[axis] < line for leaf in leaves)
    above = sum(leaf.box.hi[axis] > line for leaf in leaves)
    return max(below, above) + (below + above - len(leaves))


def _moved(lines: tuple[int, ...], axis: int, line: int) -> tuple[int, ...]:
    return (*lines[:axis], line, *lines[axis + 1 :])
