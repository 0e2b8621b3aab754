"""A plan that is rewritten step by step, and what each step means for the states of the old one.

Every state has a number. A swap of two joins makes one with a new number; a select or project that
goes through a join is written down for the state it passes. At the end states with the same number
match, and what was written down is done to them. Reference: Zhu 2006, ch. 13.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count

from slackwater.errors import SlackwaterError
from slackwater.papers.adaptive_zhu2006.operators.box import Box
from slackwater.papers.adaptive_zhu2006.operators.matching import Match, Place, Step
from slackwater.papers.adaptive_zhu2006.operators.plan import (
    Join,
    Plan,
    Project,
    Select,
    Source,
    inputs_of,
    schema_of,
    streams_of,
)
from slackwater.papers.adaptive_zhu2006.operators.query import Column, Query


@dataclass(slots=True, eq=False)
class Input:
    """An input of an operator; of a join with the number of its state and what is to be done."""

    node: Node
    number: int = 0
    steps: list[Step] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Node:
    """An operator while the plan changes; ``kind`` is what it was made from."""

    kind: Plan
    inputs: list[Input]

    @property
    def plan(self) -> Plan:
        below = tuple(one.node.plan for one in self.inputs)
        if isinstance(self.kind, Select):
            return Select(below[0], self.kind.condition)
        if isinstance(self.kind, Project):
            return Project(below[0], self.kind.drop)
        return Join(below) if isinstance(self.kind, Join) else self.kind

    @property
    def streams(self) -> frozenset[str]:
        return streams_of(self.plan)


class Rewriting:
    """A plan on its way to another. Sub-plans are named as they are at the moment."""

    def __init__(self, plan: Plan, query: Query) -> None:
        self._query = query
        self._numbers = count(1)
        self._top = Input(self._node(plan))
        self._before = dict(self.numbered())

    @property
    def plan(self) -> Plan:
        return self._top.node.plan

    def numbered(self) -> Iterator[tuple[int, Place]]:
        """The states of the plan by their numbers."""
        for one in _below(self._top):
            if isinstance(one.node.kind, Join):
                for port, read in enumerate(one.node.inputs):
                    yield read.number, Place(one.node.plan, port)

    def recorded(self) -> dict[int, tuple[Step, ...]]:
        """What was written down for each state."""
        reads = (read for one in _below(self._top) for read in one.node.inputs if read.number)
        return {read.number: tuple(read.steps) for read in reads}

    def swap(self, join: Plan, out: Plan) -> None:
        """((stay out) other) becomes ((stay other) out): two joins change places."""
        upper = self._find(join).node
        for number, lower in enumerate(upper.inputs):
            outs = [one for one in lower.node.inputs if one.node.plan == out]
            if isinstance(lower.node.kind, Join) and outs and len(upper.inputs) == 2:
                [other] = [one for one in upper.inputs if one is not lower]
                stay = [one for one in lower.node.inputs if one is not outs[0]]
                middle = Node(lower.node.kind, [*stay, other])
                upper.inputs[number] = Input(middle, next(self._numbers))
                upper.inputs[1 - number] = outs[0]
                return
        raise _refused("no join directly below has this input")

    def push(self, passing: Plan) -> None:
        """A select or project goes below the join that it is above, to the inputs it is about."""
        at = self._find(passing)
        join = at.node.inputs[0].node
        if not isinstance(join.kind, Join):
            raise _refused("there is no join directly below")
        for read in join.inputs:
            kind = self._about(at.node.kind, read, join)
            if kind is not None:
                read.node = Node(kind, [Input(read.node)])
                read.steps += _steps(kind, "project")
        at.node = join

    def pull(self, passing: Plan) -> None:
        """A select or project goes above the join that it feeds."""
        for at in _below(self._top):
            for read in at.node.inputs:
                if isinstance(at.node.kind, Join) and read.node.plan == passing:
                    kind = read.node.kind
                    if isinstance(kind, Project):
                        read.steps += _steps(kind, "stuff")
                    read.node = read.node.inputs[0].node
                    at.node = Node(kind, [Input(at.node)])
                    return
        raise _refused("it does not feed a join")

    def match(self, old: Box, new: Box, query: Query) -> Mapping[Place, Match]:
        """Equal numbers, with what was written down; to be given to ``move_state``."""
        steps = self.recorded()
        return {
            place: Match(self._before[number], steps[number], schema_of(place.child, query))
            for number, place in self.numbered()
            if number in self._before
        }

    def _node(self, plan: Plan) -> Node:
        below = [self._node(one) for one in inputs_of(plan)]
        has_states = isinstance(plan, Join)
        return Node(plan, [Input(one, next(self._numbers) if has_states else 0) for one in below])

    def _find(self, plan: Plan) -> Input:
        for one in _below(self._top):
            if one.node.plan == plan:
                return one
        raise _refused("the plan has no such part now")

    def _about(self, kind: Plan, read: Input, join: Node) -> Plan | None:
        """The part of a select or project that is about one input of a join."""
        streams, below = read.node.streams, Source("")
        if isinstance(kind, Select):
            is_there = kind.condition.column.stream in streams
            return Select(below, kind.condition) if is_there else None
        if not isinstance(kind, Project):
            raise _refused("only selects and projects go through joins")
        others = join.streams - streams
        needed = {edge.side(streams) for edge in self._query.between(streams, others)}
        drop = frozenset(one for one in kind.drop if one.stream in streams)
        if drop & needed:
            raise _refused("the join needs a column that would be gone")
        return Project(below, drop) if drop else None


def _steps(kind: Plan, done: str) -> list[Step]:
    if isinstance(kind, Select):
        return [Step("filter", kind.condition)]
    drop: Iterable[Column] = kind.drop if isinstance(kind, Project) else ()
    return [Step("project" if done == "project" else "stuff", one) for one in sorted(drop, key=str)]


def _below(at: Input) -> Iterator[Input]:
    """All inputs below and the one given, lower ones first."""
    for one in at.node.inputs:
        yield from _below(one)
    yield at


def _refused(why: str) -> SlackwaterError:
    return SlackwaterError("REWRITE_REFUSED", why, "name a part of the plan as it is now")
