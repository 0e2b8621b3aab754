"""UNSHARED: a buffer of its own directly above the window of each query (Ji 2018, ch. 5)."""

from __future__ import annotations

from slackwater.share.configuration import Chain, Configuration
from slackwater.share.tree import Facts, Operator


def unshared(root: Operator, facts: Facts) -> Configuration:
    """Only sizes ever change; every row waits as often as queries read it."""
    chains = []
    for operator in root.walk():
        passed = tuple((child.name, 0) for child in operator.children if child.kind == "filter")
        if passed:
            chains.append(Chain(operator.name, 0, (), passed))
        for child in operator.children:
            if child.kind == "window":
                slack = facts.slack(child)
                levels = (slack,) if slack else ()
                chains.append(Chain(operator.name, 0, levels, ((child.name, slack),)))
    return Configuration(tuple(chains))
