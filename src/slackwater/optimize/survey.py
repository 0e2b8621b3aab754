"""Which pairs of inputs are looked at in a batch, so that all are known and none is old news."""

from __future__ import annotations

from slackwater.optimize.facts import Facts, named
from slackwater.optimize.statistics import connected
from slackwater.plan.graph import JoinGraph

PAIRS = 28  # looked at in a batch: all those of eight inputs, in turn those of more
TURN = 0.618034  # of all pairs is where the next look begins: whatever lies between, all are met


def pairs_to_look_at(
    graph: JoinGraph, facts: Facts, batch: int, *, is_due: bool
) -> tuple[tuple[str, str], ...]:
    """Pairs to look at: new rows of the input with more of them, the other's that it holds."""
    pairs = connected(graph)
    if len(pairs) > PAIRS:
        first = int(batch * TURN % 1 * len(pairs))
        unknown = [pair for pair in pairs if named(pair) not in facts.pairs]
        pairs = unknown + (pairs[first:] + pairs[:first] if is_due else [])
    elif not is_due:
        return ()
    fresh, held = facts.fresh, facts.held
    found = []
    for pair in pairs:
        one, other = sorted(pair, key=lambda name: (-held[name], name))
        if not fresh[one]:
            one, other = other, one
        if fresh[one] and held[other]:
            found.append((one, other))
    return tuple(dict.fromkeys(found))[:PAIRS]
