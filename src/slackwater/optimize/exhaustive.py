"""Every plan, smaller before larger, until one is within the limits (spec adaptive 3.8).

Exponential in time and memory: eight inputs are the end of it. ``fronts`` finds the best plans of
all in a fraction of that; this is the search of the source work.
"""

from __future__ import annotations

from collections.abc import Iterator

from slackwater.optimize.cost import Cost
from slackwater.optimize.plan import Plan, Space
from slackwater.plan.tree import JoinNode, Tree


def exhaustive(
    space: Space, limits: Cost, *, early: bool = True, budget: int | None = None
) -> Plan | None:
    """The first plan within the limits, or none.

    ``early``: a partial plan that exceeds both limits is not extended. That may lose a plan, since
    a further input can make states smaller; without it the search is exact. At most ``budget``
    plans are looked at.
    """
    names = space.known.names
    table: list[tuple[Tree, int]] = [(name, number) for number, name in enumerate(names)]
    looked = 0
    for tree, last in table:  # grows while it is read
        for number in range(last + 1, len(names)):
            for larger in extensions(tree, names[number]):
                looked += 1
                if budget is not None and looked > budget:
                    return None
                plan = space.plan(space.best(larger))
                if space.known.set_of(larger) == space.known.everything:
                    if plan.cost.within(limits):
                        return plan
                elif not early or _is_promising(plan.cost, limits):
                    table.append((larger, number))
    return None


def _is_promising(cost: Cost, limits: Cost) -> bool:
    return cost.cpu <= limits.cpu or cost.memory <= limits.memory


def extensions(tree: Tree, name: str) -> Iterator[Tree]:
    """All trees with one input more: into a join, or joined with what comes out of any part."""
    yield JoinNode((tree, name))
    if isinstance(tree, JoinNode):
        yield JoinNode((*tree.children, name))
        for number, child in enumerate(tree.children):
            for larger in extensions(child, name):
                before, after = tree.children[:number], tree.children[number + 1 :]
                yield JoinNode((*before, larger, *after))
