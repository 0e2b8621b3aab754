"""A decision tree that learns regions from points, as Query Mesh induces its classifier.

The regions of a plan set are a tree already (`region_tree`); this one needs no regions, so it
serves sets that have none, and says how often it is right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from slackwater.robust.region_tree import Node, walk
from slackwater.robust.space import Point

DEEPEST = 12
Example = tuple[Point, int]
"""A point, and the number of its plan."""


def induced(examples: Sequence[Example], deepest: int = DEEPEST) -> Node:
    """The tree that separates plans best, cut by cut (Gini impurity)."""
    counts = Counter(plan for _, plan in examples)
    usual = min(counts, key=lambda plan: (-counts[plan], plan))
    if len(counts) == 1 or deepest == 0:
        return usual
    cuts = [cut for axis in range(len(examples[0][0])) for cut in _cuts(examples, axis)]
    if not cuts:
        return usual
    _, axis, value = min(cuts)
    below = [one for one in examples if one[0][axis] < value]
    above = [one for one in examples if one[0][axis] >= value]
    return (axis, value, induced(below, deepest - 1), induced(above, deepest - 1))


def _cuts(examples: Sequence[Example], axis: int) -> list[tuple[float, int, float]]:
    """Every value between two examples, with the impurity that it leaves."""
    ordered = sorted(examples, key=lambda one: one[0][axis])
    below: Counter[int] = Counter()
    above = Counter(plan for _, plan in ordered)
    found = []
    for (before, plan), (after, _) in pairwise(ordered):
        below[plan] += 1
        above[plan] -= 1
        if before[axis] < after[axis]:
            middle = (before[axis] + after[axis]) / 2
            found.append((_impurity(below) + _impurity(above), axis, middle))
    return found


def _impurity(counts: Counter[int]) -> float:
    total = counts.total()
    return total - sum(count * count for count in counts.values()) / total


def accuracy(tree: Node, examples: Sequence[Example]) -> float:
    """The share of examples for which a tree says what they say."""
    return sum(walk(tree, point) == plan for point, plan in examples) / len(examples)
