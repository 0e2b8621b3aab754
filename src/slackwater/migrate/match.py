"""State matching: which states two trees of a join share, by what their rows mean.

Zhu 2006 compares the columns of states (spec 4.4). Here a state has a name that says what its rows
mean, whatever tree keeps them, so equal names are the match, and moving a state is keeping it.
"""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.plan.join import JoinPlan
from slackwater.plan.tree import JoinNode, inputs_of, nodes_of


@dataclass(frozen=True, slots=True)
class Matching:
    """States of inner nodes, and of inputs: those both trees keep, only the new one, only the old
    one.
    """

    shared: frozenset[str]
    made: frozenset[str]
    dropped: frozenset[str]


def match(plan: JoinPlan, was: JoinNode | None, tree: JoinNode) -> Matching:
    """The states of a tree against those of the one before it; there may have been none."""
    before = frozenset() if was is None else all_states(plan, was)
    # what comes in as it is kept need not be made
    after = frozenset(inner_states(plan, tree)) if was is None else all_states(plan, tree)
    return Matching(*(frozenset(some) for some in (before & after, after - before, before - after)))


def can_move(was: JoinNode, tree: JoinNode) -> bool:
    """Whether all states of a tree can be made from those of the one before it: groups of rows can
    be made of rows, but not rows of groups.
    """
    return tree.is_grouped or not was.is_grouped


def all_states(plan: JoinPlan, tree: JoinNode) -> frozenset[str]:
    """Everything that a tree keeps."""
    return frozenset(
        [*(one.state.identity for one in plan.form(tree).inputs), *inner_states(plan, tree)]
    )


def inner_states(plan: JoinPlan, *trees: JoinNode) -> dict[str, frozenset[str]]:
    """The states that the inner nodes of trees keep, by identity: the inputs they combine."""
    return {
        plan.form(tree).identity(names): names
        for tree in trees
        for names in (frozenset(inputs_of(node)) for node in nodes_of(tree) if node is not tree)
    }
