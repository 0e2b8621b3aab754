"""Whether the states that a new box does not take over may be thrown away.

The *old state closure property*: if a sub-tuple of a row in such a state is in no state that is
taken over, the window forbids that the row joins anything still to come. It holds where tuples go
through the plan one after the other, and may fail where operators are at different times.
Reference: Zhu 2006, ch. 12 and 15.
"""

from __future__ import annotations

from collections.abc import Iterable

from slackwater.papers.adaptive_zhu2006.operators.box import Box
from slackwater.papers.adaptive_zhu2006.operators.engine import Engine
from slackwater.papers.adaptive_zhu2006.operators.matching import Place, by_meaning, states_of
from slackwater.papers.adaptive_zhu2006.operators.plan import (
    Plan,
    Source,
    inputs_of,
    nodes_of,
    streams_of,
)
from slackwater.papers.adaptive_zhu2006.operators.row import Row, Single, time_of


def unclosed(engine: Engine, new: Box, old: Box | None = None) -> list[Row]:
    """The rows that are against the property; none means that old states may be discarded."""
    old = old or Box(engine.roots)
    left = unmatched(engine, old, new)
    known = singles_kept(engine, taken(engine, old, new))
    nexts = {node: next_time(engine, old, node) for node in old.fed_by}
    return [
        row
        for place in left
        for row in engine.operators[place.node].states[place.port]
        if any((one.stream, one.seq) not in known for one in row.parts.values())
        and _may_meet(engine, row, nexts)
    ]


def taken(engine: Engine, old: Box, new: Box) -> list[Place]:
    """States of the old box that the new one takes over."""
    return [match.old for match in by_meaning(old, new, engine.query).values()]


def unmatched(engine: Engine, old: Box, new: Box) -> list[Place]:
    """States of the old box that it does not."""
    kept = set(taken(engine, old, new))
    return [place for place in states_of(old) if place not in kept]


def singles_kept(engine: Engine, places: Iterable[Place]) -> dict[tuple[str, int], Single]:
    """The tuples, by stream and number, that are in some states on their own."""
    return {
        (one.stream, one.seq): one
        for place in places
        for row in engine.operators[place.node].states[place.port]
        if len(row.parts) == 1
        for one in row.parts.values()
    }


def next_time(engine: Engine, box: Box, node: Plan) -> float:
    """A time that the newest sub-tuple of whatever this input still brings does not precede.

    Tuples arrive in the order of time, so that only what waits can be older than now.
    """
    below = {one for one in nodes_of(node) if not isinstance(one, Source)}
    waiting = [
        time_of(item)
        for reader, one in engine.operators.items()
        for port, read in enumerate(inputs_of(reader))
        if reader in below or (read == node and reader in box.inside)
        for item in one.inputs[port].pending()
        if isinstance(item, Row)
    ]
    return min([*waiting, engine.now])


def _may_meet(engine: Engine, row: Row, nexts: dict[Plan, float]) -> bool:
    """Whether something that comes may be within the window of all sub-tuples."""
    windows = engine.query.windows
    for node, ts in nexts.items():
        others = streams_of(node)
        if others & row.parts.keys():
            continue
        if all(ts <= one.ts + windows.reach((one.stream,), others) for one in row.parts.values()):
            return True
    return False
