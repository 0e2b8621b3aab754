"""OPT: the rule with coalesced selectivities, windows first, then sizes from the source.

The *coalesced selectivity* of a filter is what a row that waits above it would cost below: its own
selectivity, times what its children keep between them if they share nothing. Linear and optimal
(Ji 2018, ch. 5; where no buffer is needed its size is 0, and windows end the recursion). The source
work coalesces over branches alone, since in its plans no other filter has one below it; over all
filters it is the same there, and best for plans that nobody has fused, too.
"""

from __future__ import annotations

from slackwater.share.configuration import Configuration, Levels, place
from slackwater.share.rule import shared_levels
from slackwater.share.tree import Facts, Operator


def opt(root: Operator, facts: Facts) -> Configuration:
    kept: dict[str, Levels] = {}

    def decide(operator: Operator) -> float:
        """The coalesced selectivity; a window keeps every row."""
        if operator.kind == "window":
            return 1.0
        below = [(facts.slack(child), decide(child)) for child in operator.children]
        kept[operator.name], total = shared_levels(below)
        own = facts.share(operator)
        return own if kept[operator.name] else own * total

    decide(root)
    return place(root, facts, kept)
