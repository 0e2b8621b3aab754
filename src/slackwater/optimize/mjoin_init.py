"""Begin with one m-way join, spend memory to save work (spec adaptive 3.5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from slackwater.optimize.cost import Cost
from slackwater.optimize.plan import Plan, Space
from slackwater.plan.tree import JoinNode, Tree


def mjoin_init(space: Space, limits: Cost) -> Iterator[Plan]:
    """The m-way join with the best orders; then combinations are kept that save most."""
    plan = space.plan(space.node(space.known.names))
    yield plan
    yield from state_selection(space, plan, limits)


def state_selection(space: Space, plan: Plan, limits: Cost) -> Iterator[Plan]:
    """Keep one more pair of inputs of the topmost join as long as there is too much work.

    Ends within the limits, where no pair saves work, or where the next one takes too much memory:
    the last plan never has more work than the first, nor more memory than allowed if that had not.
    """
    while plan.cost.cpu > limits.cpu and plan.cost.memory <= limits.memory:
        better = next(_that_save(space, plan), None)
        if better is None or better.cost.memory > limits.memory:
            return
        plan = better
        yield plan


def _that_save(space: Space, plan: Plan) -> Iterator[Plan]:
    """Plans that keep one more pair, and have less work."""
    assert isinstance(plan.tree, JoinNode)
    children = plan.tree.children
    if len(children) == 2:
        return
    for one, other in candidates(space, plan.tree):
        rest = [child for number, child in enumerate(children) if number not in (one, other)]
        pair = space.node((children[one], children[other]))
        found = space.plan(space.node((*rest, pair)))
        if found.cost.cpu < plan.cost.cpu:
            yield _merged(space, found, rest, pair)


def candidates(space: Space, node: JoinNode) -> list[tuple[int, int]]:
    """Pairs of inputs: used by many, with few combinations, first."""
    parts = [space.known.set_of(child) for child in node.children]
    used = frequencies(space, node)

    def worth(pair: tuple[int, int]) -> float:
        size = space.known.size(parts[pair[0]] | parts[pair[1]])
        return used[pair] / size if size else float("inf")

    return sorted(used, key=lambda pair: (-worth(pair), pair))


def frequencies(space: Space, node: JoinNode) -> Counter[tuple[int, int]]:
    """By how many inputs a pair is probed: each finds what it probes by its lightest partner."""
    known = space.known
    parts = [known.set_of(child) for child in node.children]
    used: Counter[tuple[int, int]] = Counter()
    for number in range(len(parts)):
        bound = [number]
        for probed in node.order(number):

            def lightest(other: int, probed: int = probed) -> tuple[bool, float]:
                pair = parts[other] | parts[probed]
                return not known.touches(parts[other], parts[probed]), known.size(pair)

            partner = min(bound, key=lightest)
            used[min(partner, probed), max(partner, probed)] += 1
            bound.append(probed)
    return used


def _merged(space: Space, plan: Plan, rest: Sequence[Tree], pair: JoinNode) -> Plan:
    """The new join taken together with a join below it, if that saves both work and memory."""
    for number, below in enumerate(pair.children):
        if isinstance(below, JoinNode):
            other = pair.children[1 - number]
            larger = space.node((*below.children, other))
            found = space.plan(space.node((*rest, larger)))
            if found.cost.cpu < plan.cost.cpu and found.cost.memory < plan.cost.memory:
                plan = found
    return plan
