"""NAIVE: every combination of local choices, the smallest of all (Ji 2018, ch. 5)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod

from slackwater.errors import SlackwaterError
from slackwater.share.configuration import Configuration, Levels, memory, place
from slackwater.share.tree import Facts, Operator

MOST = 1_000_000


def naive(root: Operator, facts: Facts) -> Configuration:
    """Exponential in the number of branch operators."""
    count = prod(len(choices) for choices in _choices(root, facts).values())
    if count > MOST:
        message = f"{count:g} configurations behind {root.name!r} are too many to look at each"
        raise SlackwaterError("SEARCH_TOO_LARGE", message, "use opt: it finds the same")
    return min(candidates(root, facts), key=lambda one: memory(root, facts, one))


def candidates(root: Operator, facts: Facts) -> Iterator[Configuration]:
    """All configurations that serve every query by its slack, those that share most first."""
    choices = _choices(root, facts)
    for combination in product(*choices.values()):
        yield place(root, facts, dict(zip(choices, combination, strict=True)))


def _choices(root: Operator, facts: Facts) -> dict[str, list[Levels]]:
    return {
        operator.name: list(_shortened(operator, facts))
        for operator in root.walk()
        if operator.kind != "window"
    }


def _shortened(operator: Operator, facts: Facts) -> Iterator[Levels]:
    """The full chain; then without its last level, and so on while only filters read there."""
    at: dict[int, list[Operator]] = {}
    for child in operator.children:
        at.setdefault(facts.slack(child), []).append(child)
    levels = sorted(at)
    yield tuple(levels)
    while levels and all(child.kind == "filter" for child in at[levels.pop()]):
        yield tuple(levels)
