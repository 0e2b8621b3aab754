"""Moving state: match the states of two boxes, move those that both have, make the others.

Reference: Zhu 2006, ch. 12 and 13. The old box is paused, what is between its operators is
drained, and while states are moved and made nothing is given out. ``recompute=False`` is the
negative control: what the new box lacks starts empty, and results are missed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from slackwater.errors import SlackwaterError
from slackwater.papers.adaptive_zhu2006.operators.box import (
    Box,
    check_equivalent,
    entries,
    exchange,
    open_outlets,
)
from slackwater.papers.adaptive_zhu2006.operators.engine import Engine
from slackwater.papers.adaptive_zhu2006.operators.grouping import move_groups
from slackwater.papers.adaptive_zhu2006.operators.join import JoinOperator
from slackwater.papers.adaptive_zhu2006.operators.matching import Match, Place, by_meaning
from slackwater.papers.adaptive_zhu2006.operators.operator import Operator
from slackwater.papers.adaptive_zhu2006.operators.passing import ProjectOperator
from slackwater.papers.adaptive_zhu2006.operators.plan import (
    Join,
    Plan,
    Project,
    Select,
    Source,
    inputs_of,
)
from slackwater.papers.adaptive_zhu2006.operators.query import Query
from slackwater.papers.adaptive_zhu2006.operators.row import Row
from slackwater.papers.adaptive_zhu2006.operators.state import State

Moving = Literal["share", "copy"]
Matching = Callable[[Box, Box, Query], Mapping[Place, Match]]


@dataclass(slots=True)
class Moved:
    """What a migration did: states moved, made and dropped, and rows in those that were made."""

    matched: list[Place] = field(default_factory=list)
    made: list[Place] = field(default_factory=list)
    dropped: list[Place] = field(default_factory=list)
    made_rows: int = 0


def move_state(
    engine: Engine,
    new: Box,
    *,
    old: Box | None = None,
    match: Matching = by_meaning,
    moving: Moving = "share",
    recompute: bool = True,
) -> Moved:
    """Exchange a box, the whole plan unless told, for an equivalent one."""
    old = old or Box(engine.roots)
    check_equivalent(old, new, engine.query)
    drain(engine, old)
    open_outlets(engine, old)
    inputs = entries(engine, old)
    made: dict[Plan, Operator] = {}
    for root in new.roots:
        made |= engine.build(root, made, inputs)
    for before, after in zip(old.roots, new.roots, strict=True):
        made[after].outlets = engine.operators[before].outlets
    matches = match(old, new, engine.query)
    report = _moved(engine, made, matches, moving)
    if recompute:
        for root in new.roots:
            _Recomputing(engine, made, set(report.matched), report).run(root)
    move_groups({node: engine.operators[node] for node in old.inside}, made)
    taken = {one.old for one in matches.values()}
    report.dropped = [place for place in places(old) if place not in taken]
    exchange(engine, old, new, made)
    return report


def drain(engine: Engine, box: Box) -> None:
    """Let what waits between the operators of a box go through it, inputs not touched."""
    inside = set(box.inside)
    for node in box.inside:
        one = engine.operators[node]
        for port, read in enumerate(inputs_of(node)):
            while read in inside and len(one.inputs[port]):
                if engine.model == "semi" and not engine_can(one, port):
                    raise SlackwaterError(
                        "MIGRATION_DRAIN_BLOCKED",
                        "an operator waits for an input that is empty, so that it cannot drain",
                        "synchronise the box by punctuations first",
                    )
                one.consume(port)
    engine.collect()


def engine_can(one: Operator, port: int) -> bool:
    """Whether an operator that takes its inputs by time may read this one now."""
    times = [one.heard[other] for other in range(len(one.inputs)) if not len(one.inputs[other])]
    item = one.inputs[port].front()
    return all(isinstance(item, Row) and item.max_ts <= time for time in times)


def places(box: Box) -> list[Place]:
    """All states of a box."""
    return [
        Place(node, port)
        for node in box.inside
        if isinstance(node, Join)
        for port in range(len(node.inputs))
    ]


def _moved(
    engine: Engine, made: dict[Plan, Operator], matches: Mapping[Place, Match], moving: Moving
) -> Moved:
    report, taken = Moved(), set[Place]()
    for place, found in matches.items():
        source = engine.operators[found.old.node].states[found.old.port]
        state = source if moving == "share" and found.old not in taken else source.copy()
        if found.steps:
            state = State(found.applied(source))
        taken.add(found.old)
        made[place.node].states[place.port] = state
        report.matched.append(place)
    return report


@dataclass(slots=True)
class _Recomputing:
    engine: Engine
    made: dict[Plan, Operator]
    known: set[Place]
    report: Moved

    def run(self, node: Plan) -> None:
        """Make the states that this operator lacks, those below first."""
        if node not in self.made:
            return
        for port, child in enumerate(inputs_of(node)):
            place = Place(node, port)
            if isinstance(node, Join) and place not in self.known:
                if isinstance(child, Source) or not self._is_inside(child):
                    raise SlackwaterError(
                        "MIGRATION_STATE_MISSING",
                        "an input of the box has no state that matches",
                        "match it, or change the plan by parallel track",
                    )
                self.run(child)
                rows = self._content(child)
                self.made[node].states[port] = State(rows)
                self.engine.work.inserted += len(rows)
                self.report.made.append(place)
                self.report.made_rows += len(rows)
                self.known.add(place)
            self.run(child)

    def _is_inside(self, child: Plan) -> bool:
        return child in self.made

    def _content(self, node: Plan) -> list[Row]:
        one = self.made[node]
        if isinstance(one, JoinOperator):
            return one.content()
        rows = self._content(inputs_of(node)[0])
        if isinstance(node, Select):
            return [row for row in rows if node.condition.holds(row)]
        if isinstance(node, Project) and isinstance(one, ProjectOperator):
            return [one.project(row) for row in rows]
        raise NotImplementedError(f"no content of {node}")
