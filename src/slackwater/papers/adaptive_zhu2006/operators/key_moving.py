"""Moving state for a group-by that goes below a join by a key, and for one that comes back.

Reference: Zhu 2006, ch. 14. On the way down the group-by below starts empty. Tuples that came
before are in the state of the join: some have met their partner already, the pairs are in the state
of the old group-by; others may meet it yet. A temporary group-by above the join takes the pairs
over, and goes when the state of the join holds none of these tuples any more.
"""

from __future__ import annotations

from dataclasses import replace

from slackwater.errors import SlackwaterError
from slackwater.papers.adaptive_zhu2006.operators.box import (
    Box,
    check_equivalent,
    entries,
    exchange,
    open_outlets,
)
from slackwater.papers.adaptive_zhu2006.operators.engine import Engine
from slackwater.papers.adaptive_zhu2006.operators.grouping import WindowGroup
from slackwater.papers.adaptive_zhu2006.operators.join import JoinOperator
from slackwater.papers.adaptive_zhu2006.operators.key_group import GROUPED, STREAM
from slackwater.papers.adaptive_zhu2006.operators.moving import drain
from slackwater.papers.adaptive_zhu2006.operators.operator import Operator
from slackwater.papers.adaptive_zhu2006.operators.plan import (
    Group,
    Join,
    KeyJoin,
    Plan,
    inputs_of,
    streams_of,
)
from slackwater.papers.adaptive_zhu2006.operators.state import State


class PushDown:
    """From a group-by above a join to one below it, from when it is made until ``poll`` ends it.

    ``is_collected=False`` is the negative control: no group-by above the join meanwhile.
    """

    def __init__(self, engine: Engine, new: KeyJoin, *, is_collected: bool = True) -> None:
        [root] = engine.roots
        if not isinstance(root, Group) or not isinstance(root.input, Join):
            raise _not_above(root)
        _check_key(engine, new)
        check_equivalent(Box((root,)), Box((new,)), engine.query)
        self.engine, self.new = engine, new
        self.upper: Plan = replace(root, input=new) if is_collected else new
        made = _made(engine, self.upper)
        before = engine.operators[root.input]
        for port, child in enumerate(new.inputs):
            [same] = [
                number
                for number, other in enumerate(root.input.inputs)
                if streams_of(other) == streams_of(child)
            ]
            made[new].states[port] = before.states[same]
        upper = made[self.upper]
        if isinstance(upper, WindowGroup):
            for row in engine.operators[root].states[0]:
                upper.take(0, row)
        exchange(engine, Box((root,)), Box((self.upper,)), made)
        self.is_over = not is_collected

    def poll(self) -> bool:
        """Take the group-by above the join out as soon as no old tuple is left."""
        if not self.is_over:
            upper, join = (self.engine.operators[node] for node in (self.upper, self.new))
            if not len(join.states[GROUPED]) and not len(upper.states[0]):
                self._end(upper, join)
        return self.is_over

    def _end(self, upper: Operator, join: Operator) -> None:
        self.is_over = True
        join.outlets = upper.outlets
        for cursor in upper.inputs:
            cursor.close()
        del self.engine.operators[self.upper]
        self.engine.roots = (self.new,)


def pull_up(engine: Engine, new: Group) -> None:
    """From one group-by below a join by a key to one above it, at once.

    The tuples of the group-by below are those that the join keeps from now on, and the pairs that
    they make with the partners that are there are the rows of the group-by above.
    """
    [root] = engine.roots
    if not isinstance(root, KeyJoin) or not isinstance(new.input, Join):
        raise _not_above(new)
    _check_key(engine, root)
    made = _made(engine, new)
    join, below = made[new.input], engine.operators[root.group]
    assert isinstance(join, JoinOperator)
    for port, child in enumerate(inputs_of(new.input)):
        is_grouped = streams_of(child) == streams_of(root.group)
        kept = below.states[0] if is_grouped else engine.operators[root].states[STREAM]
        join.states[port] = State(kept)
    for row in join.content():
        made[new].take(0, row)
    exchange(engine, Box((root,)), Box((new,)), made)


def _made(engine: Engine, new: Plan) -> dict[Plan, Operator]:
    """The operators of the new plan at the inputs and the outlets of the old one."""
    old = Box(engine.roots)
    check_equivalent(old, Box((new,)), engine.query)
    drain(engine, old)
    open_outlets(engine, old)
    made = engine.build(new, {}, entries(engine, old))
    made[new].outlets = engine.operators[old.roots[0]].outlets
    return made


def _check_key(engine: Engine, join: KeyJoin) -> None:
    """Only a group of the key that is joined by has one partner."""
    keys = {edge.side(streams_of(join.group)) for edge in engine.query.edges}
    if set(join.group.by) != keys:
        raise SlackwaterError(
            "MIGRATION_BOX_DIFFERENT",
            "the groups are not those of the key that is joined by",
            "keep a second group-by above the join",
        )


def _not_above(plan: Plan) -> SlackwaterError:
    return SlackwaterError(
        "MIGRATION_BOX_DIFFERENT",
        f"{type(plan).__name__.lower()} is not a group-by above a join",
        "move a group-by that is the root of the plan, with a join below it",
    )
