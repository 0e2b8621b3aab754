"""All plans that no other beats in both resources, without looking at all plans.

What a join costs depends on the sets of inputs that it joins, not on how they were made. So the
best plans of a set consist of best plans of its parts: for each set the few that are not dominated
are kept, and every way to cut a set into parts is looked at once. Exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from slackwater.optimize.known import members
from slackwater.optimize.plan import Plan, Space
from slackwater.plan.tree import Tree


def front(plans: Sequence[Plan]) -> list[Plan]:
    """Those that no other one dominates, less work first; one of those that cost the same."""
    found: list[Plan] = []
    for plan in sorted(plans, key=lambda plan: (plan.cost.cpu, plan.cost.memory)):
        if not found or plan.cost.memory < found[-1].cost.memory:
            found.append(plan)
    return found


def best_plans(space: Space) -> list[Plan]:
    """The plans of the whole join that no other one dominates."""
    known = space.known
    best: dict[int, list[Plan]] = {}
    for some in sorted(range(1, known.everything + 1), key=int.bit_count):
        numbers = tuple(members(some))
        if len(numbers) == 1:
            best[some] = [space.plan(known.names[numbers[0]])]
            continue
        found: list[Plan] = []
        for parts in partitions(numbers):
            for chosen in product(*(best[part] for part in parts)):
                trees: list[Tree] = [plan.tree for plan in chosen]
                found.append(space.plan(space.node(trees)))
        best[some] = front(found)
    return best[known.everything]


def partitions(numbers: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All ways to cut a set into two parts or more, as sets."""
    for groups in _groups(tuple(numbers)):
        if len(groups) > 1:
            yield groups


def _groups(numbers: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    if not numbers:
        yield ()
        return
    first, rest = 1 << numbers[0], numbers[1:]
    for groups in _groups(rest):
        yield (first, *groups)
        for number, group in enumerate(groups):
            yield (*groups[:number], group | first, *groups[number + 1 :])
