"""GREEDY: the rule at every operator by itself, in one pass (Ji 2018, ch. 5).

Linear, not optimal: what is pushed below a branch filter may be worth even less than its own
selectivity says, because nothing waits there either.
"""

from __future__ import annotations

from slackwater.share.configuration import Configuration, place
from slackwater.share.rule import shared_levels
from slackwater.share.tree import Facts, Operator


def greedy(root: Operator, facts: Facts) -> Configuration:
    kept = {
        operator.name: shared_levels(
            (facts.slack(child), facts.share(child)) for child in operator.children
        )[0]
        for operator in root.walk()
        if operator.kind != "window"
    }
    return place(root, facts, kept)
