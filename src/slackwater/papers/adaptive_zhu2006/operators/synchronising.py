"""Bringing the operators of a box to one point in time before its states are moved.

By punctuations: every stream that can feed the box gets one at the same time, and what lies before
it is processed. Locally: sub-tuples that only states without a match still have are put back into
the states that match. Reference: Zhu 2006, ch. 15. The source work puts single tuples back; a
combined one that was purged from a state with a match is put back here as well.
"""

from __future__ import annotations

from slackwater.errors import SlackwaterError
from slackwater.papers.adaptive_zhu2006.operators.box import Box
from slackwater.papers.adaptive_zhu2006.operators.closure import taken, unmatched
from slackwater.papers.adaptive_zhu2006.operators.engine import Engine, ready
from slackwater.papers.adaptive_zhu2006.operators.moving import drain
from slackwater.papers.adaptive_zhu2006.operators.operator import Operator
from slackwater.papers.adaptive_zhu2006.operators.plan import (
    Plan,
    Source,
    inputs_of,
    nodes_of,
    streams_of,
)
from slackwater.papers.adaptive_zhu2006.operators.row import Punctuation, Row


def synchronise(engine: Engine, box: Box | None = None, *, is_smallest: bool = False) -> float:
    """Process what has a timestamp up to a cut, and nothing else; the time of the cut.

    The cut is now, or the smallest that no operator has passed.
    """
    box = box or Box(engine.roots)
    on_the_way = {node for root in box.roots for node in nodes_of(root)}
    cut = _smallest_cut(engine, on_the_way) if is_smallest else engine.now
    for stream in {stream for root in box.roots for stream in streams_of(root)}:
        engine.feeds[stream].insert_in_order(Punctuation(cut, is_cut=True))
    for node, one in engine.operators.items():  # lower ones first
        if node in on_the_way:
            _run_to_cut(engine, node, one)
    engine.collect()
    return cut


def _smallest_cut(engine: Engine, on_the_way: set[Plan]) -> float:
    times = []
    for node, one in engine.operators.items():
        for port, read in enumerate(inputs_of(node)):
            if node in on_the_way and isinstance(read, Source):
                rows = [item for item in one.inputs[port].pending() if isinstance(item, Row)]
                times.append(min(rows[0].max_ts, engine.now) if rows else engine.now)
    return max(times, default=engine.now)


def _run_to_cut(engine: Engine, node: Plan, one: Operator) -> None:
    """A stream is read up to the punctuation; an operator below has given all that it will."""
    open_ports = {
        port
        for port, read in enumerate(inputs_of(node))
        if isinstance(read, Source) or len(one.inputs[port])
    }
    while open_ports:
        able = [port for port in ready(one, engine.model) if port in open_ports]
        if not able:
            raise SlackwaterError(
                "MIGRATION_NOT_SYNCHRONISED",
                "an operator cannot come to the cut",
                "give every stream of the box its punctuation",
            )
        port = able[0]
        item = one.inputs[port].front()
        one.consume(port)
        if isinstance(inputs_of(node)[port], Source):
            is_done = isinstance(item, Punctuation) and item.is_cut
        else:
            is_done = not len(one.inputs[port])
        if is_done:
            open_ports.remove(port)


def localise(engine: Engine, new: Box, old: Box | None = None) -> int:
    """Put back what only states without a match have, each once; how many rows that were."""
    if engine.model == "semi":
        raise SlackwaterError(
            "MIGRATION_DRAIN_BLOCKED",
            "operators that wait for empty inputs cannot drain a box on their own",
            "synchronise the box by punctuations",
        )
    old = old or Box(engine.roots)
    drain(engine, old)
    left = [
        row
        for place in unmatched(engine, old, new)
        for row in engine.operators[place.node].states[place.port]
    ]
    count = 0
    for place in taken(engine, old, new):
        state, streams = engine.operators[place.node].states[place.port], streams_of(place.child)
        known = {row.identity for row in state}
        for row in (one for one in left if streams <= one.parts.keys()):
            part = Row.of(*(row.parts[stream] for stream in sorted(streams)))
            if part.identity not in known:
                known.add(part.identity)
                state.insert(part)
                count += 1
    return count
