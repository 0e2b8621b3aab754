"""Migration boxes: the connected part of a plan that is replaced, and what must stay the same.

Reference: Zhu 2006, ch. 11. A box has inputs (streams, or nodes below it that go on running) and
one or several roots. Old and new box are equivalent if they read the same and mean the same.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

from slackwater.errors import SlackwaterError
from slackwater.papers.adaptive_zhu2006.operators.engine import Engine
from slackwater.papers.adaptive_zhu2006.operators.operator import Operator
from slackwater.papers.adaptive_zhu2006.operators.plan import (
    Group,
    Join,
    KeyJoin,
    Plan,
    Project,
    Select,
    Source,
    inputs_of,
    nodes_of,
    schema_of,
    streams_of,
)
from slackwater.papers.adaptive_zhu2006.operators.query import Query
from slackwater.papers.adaptive_zhu2006.operators.shared_queue import Cursor, SharedQueue


@dataclass(frozen=True, slots=True)
class Box:
    """Roots, and the nodes that feed the box from outside; the streams if none are given."""

    roots: tuple[Plan, ...]
    inputs: tuple[Plan, ...] = ()

    @property
    def inside(self) -> tuple[Plan, ...]:
        """Its operators, lower ones first."""
        found: dict[Plan, None] = {}
        for root in self.roots:
            found |= dict.fromkeys(self._below(root))
        return tuple(found)

    @property
    def fed_by(self) -> frozenset[Plan]:
        """Nodes outside that its operators read."""
        inside = set(self.inside)
        return frozenset(one for node in inside for one in inputs_of(node) if one not in inside)

    def _below(self, node: Plan) -> list[Plan]:
        if node in self.inputs or isinstance(node, Source):
            return []
        return [*(one for below in inputs_of(node) for one in self._below(below)), node]


def meaning_of(plan: Plan, query: Query) -> Hashable:
    """What a plan gives, whatever its shape: streams, conditions, columns, how long pairs count."""
    conditions = frozenset(n.condition for n in nodes_of(plan) if isinstance(n, Select))
    counts = (
        plan.counts if isinstance(plan, Group) else "oldest" if isinstance(plan, KeyJoin) else ""
    )
    return streams_of(plan), conditions, frozenset(schema_of(plan, query).items()), counts


def check_equivalent(old: Box, new: Box, query: Query) -> None:
    """Raise unless both boxes have the same inputs and the same meaning at every root."""
    if old.fed_by != new.fed_by:
        raise SlackwaterError(
            "MIGRATION_BOX_DIFFERENT",
            "the boxes do not read the same inputs",
            "let both begin at the same streams or operators",
        )
    meanings = [[meaning_of(root, query) for root in box.roots] for box in (old, new)]
    if meanings[0] != meanings[1]:
        raise SlackwaterError(
            "MIGRATION_BOX_DIFFERENT",
            "the boxes do not give the same results",
            "join the same streams, select by the same conditions, keep the same columns",
        )


def replaced(plan: Plan, old: Plan, new: Plan) -> Plan:
    """A plan with one of its sub-plans exchanged."""
    if plan == old:
        return new
    if isinstance(plan, Source):
        return plan
    inputs = tuple(replaced(one, old, new) for one in inputs_of(plan))
    if isinstance(plan, Select):
        return Select(inputs[0], plan.condition)
    if isinstance(plan, Project):
        return Project(inputs[0], plan.drop)
    if isinstance(plan, Group):
        return replace(plan, input=inputs[0])
    if isinstance(plan, KeyJoin):
        group = inputs[1]
        return KeyJoin((inputs[0], group if isinstance(group, Group) else plan.group))
    return Join(inputs, plan.orders)


def whole(engine: Engine) -> Box:
    """Everything that the engine runs."""
    return Box(engine.roots)


def open_outlets(engine: Engine, box: Box) -> None:
    """Let readers outside the box read outlets, so that the roots can be exchanged under them."""
    inside = {id(engine.operators[node]) for node in box.inside}
    for root in box.roots:
        one = engine.operators[root]
        for reader in engine.running:
            if id(reader) in inside:
                continue
            for port, cursor in enumerate(reader.inputs):
                if cursor.queue is one.output:
                    reader.inputs[port] = _moved(cursor, one)


def _moved(cursor: Cursor, one: Operator) -> Cursor:
    queue = SharedQueue()
    fresh = queue.open()
    for item in cursor.pending():
        queue.append(item)
    cursor.close()
    one.outlets.append(queue)
    return fresh


def entries(engine: Engine, box: Box) -> dict[Plan, Cursor]:
    """The cursor of the box on each of its inputs."""
    found: dict[Plan, Cursor] = {}
    for node in box.inside:
        one = engine.operators[node]
        for port, read in enumerate(inputs_of(node)):
            if read in box.fed_by:
                cursor = one.inputs[port]
                if read in found and len(found[read]) != len(cursor):
                    raise SlackwaterError(
                        "MIGRATION_NOT_SYNCHRONISED",
                        "operators of the box have read different parts of an input",
                        "synchronise the box first",
                    )
                found[read] = cursor
    return found


def exchange(engine: Engine, old: Box, new: Box, made: dict[Plan, Operator]) -> None:
    """Take the old operators out and put new ones in their place."""
    for node in old.inside:
        for cursor in engine.operators[node].inputs:
            if cursor in cursor.queue.cursors:
                cursor.close()
        del engine.operators[node]
    above = engine.operators
    engine.roots = tuple(
        _root(root, list(zip(old.roots, new.roots, strict=True))) for root in engine.roots
    )
    pairs = list(zip(old.roots, new.roots, strict=True))
    renamed = {_root(node, pairs): one for node, one in above.items()}
    for node, one in renamed.items():
        one.node = node
    # lower operators first: what feeds the box, the box, what is above it
    order = [*dict.fromkeys(node for root in engine.roots for node in nodes_of(root))]
    known = {**renamed, **made}
    engine.operators = {node: known[node] for node in order if node in known}


def _root(plan: Plan, pairs: list[tuple[Plan, Plan]]) -> Plan:
    for old, new in pairs:
        plan = replaced(plan, old, new)
    return plan
