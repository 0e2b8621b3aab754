"""Begin with binary joins, spend work to save memory (spec adaptive 3.6)."""

from __future__ import annotations

from collections.abc import Iterator

from slackwater.optimize.cost import Cost
from slackwater.optimize.plan import Plan, Space
from slackwater.plan.tree import JoinNode, Tree


def bjtree_init(space: Space, limits: Cost) -> Iterator[Plan]:
    """The binary joins with the fewest combinations; then states are given up that save least."""
    plan = smallest_tree(space)
    yield plan
    if not plan.cost.within(limits):
        yield from state_removal(space, plan, limits)


def smallest_tree(space: Space) -> Plan:
    """Greedy, with Cartesian products and without: neither is always smaller (errata E7)."""
    trees = [min_state(space, cartesian=False), min_state(space, cartesian=True)]
    return min(map(space.plan, trees), key=lambda plan: (plan.cost.memory, plan.cost.cpu))


def min_state(space: Space, *, cartesian: bool) -> Tree:
    """Join the two with the fewest combinations, again and again; linear or bushy, as it comes.

    The best of all binary trees if one input is joined with all others and products are left out.
    """
    known = space.known
    left: list[Tree] = list(known.names)
    while len(left) > 1:
        sets = [known.set_of(tree) for tree in left]
        pairs = [(a, b) for b in range(len(left)) for a in range(b)]
        touching = [(a, b) for a, b in pairs if known.touches(sets[a], sets[b])]
        offered = pairs if cartesian or not touching else touching
        a, b = min(offered, key=lambda pair: (known.size(sets[pair[0]] | sets[pair[1]]), pair))
        joined = space.node((left[a], left[b]))
        left = [tree for number, tree in enumerate(left) if number not in (a, b)] + [joined]
    return left[0]


def state_removal(space: Space, plan: Plan, limits: Cost) -> Iterator[Plan]:
    """Give up the state whose rows save least work each, until a plan is within the limits."""
    while offered := list(removals(space, plan.tree)):
        _, tree = min(offered, key=lambda one: _ratio(space, plan, *one))
        plan = space.plan(tree)
        yield plan
        if plan.cost.within(limits):
            return


def _ratio(space: Space, plan: Plan, held: float, tree: Tree) -> float:
    """Work that is added for each row that is not held any more; negative if both are saved."""
    added = space.cost(tree).cpu - plan.cost.cpu
    return added / held if held else added * float("inf") if added else 0.0


def removals(space: Space, tree: Tree) -> Iterator[tuple[float, Tree]]:
    """Every tree with one state less, and how many rows that held."""
    if isinstance(tree, str):
        return
    for number, child in enumerate(tree.children):
        before, after = tree.children[:number], tree.children[number + 1 :]
        if isinstance(child, JoinNode):
            held = space.known.size(space.known.set_of(child))
            yield held, space.node((*before, *child.children, *after))
        for held, smaller in removals(space, child):
            yield held, space.node((*before, smaller, *after))
