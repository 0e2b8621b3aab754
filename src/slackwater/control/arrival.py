"""A query that comes when the streams are under way: from when on its answers are whole.

Rows that came before it are there only as far as somebody else kept them, under the same state
identity. What needs other ones is not given: it would be wrong without showing it. Nor is what the
query would have answered by now, had it been there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from slackwater.control.clock import later
from slackwater.control.records import (
    Arrival,
    ControlState,
    Decision,
    Observation,
    Policy,
    StreamClock,
)
from slackwater.plan.stage import QueryPlan

Since = Mapping[str, int | None]


def arrival(query: QueryPlan, observation: Observation, before: ControlState) -> Arrival | None:
    """How a query comes that nothing is remembered of; ``None`` if nobody was here before it."""
    if query.name in before.queries or not before.queries:
        return None
    return Arrival(observation.batch, whole_after(query, observation.since, before.streams))


def whole_after(query: QueryPlan, since: Since, streams: Mapping[str, StreamClock]) -> int | None:
    """The instant after which answers are whole, if the query comes now.

    ``since`` has the states that are kept, each with the instant from which on it has all rows.
    """
    first = (_joined_since if query.join else _fed_since)(query, since, streams)
    reached = None if first is None else first - 1
    for level, stage in enumerate(query.stages):
        if reached is not None:
            reached += stage.window.size  # a window that ends later began later
        if level == 0:
            reached = later(reached, _answered(query, streams))
    return reached


def shared_states(query: QueryPlan, since: Since) -> tuple[str, ...]:
    """The states that the query would find, kept by others."""
    found = (state.identity for _, state in query.fed)
    return tuple(dict.fromkeys(identity for identity in found if identity in since))


def _answered(query: QueryPlan, streams: Mapping[str, StreamClock]) -> int | None:
    """Until where the query would have answered by now, under the slack that it names."""
    clocks = [streams[name].clock for name in query.streams if name in streams]
    known = [clock for clock in clocks if clock is not None]
    if query.idle is not None:  # a silent stream may not have held it back
        return max(known) - query.slack if known else None
    return min(known) - query.slack if len(known) == len(query.streams) else None


def _fed_since(query: QueryPlan, since: Since, streams: Mapping[str, StreamClock]) -> int | None:
    return _since(query.stream, query.base.state.identity, since, streams)


def _joined_since(query: QueryPlan, since: Since, streams: Mapping[str, StreamClock]) -> int | None:
    """From which time of results on all members of all combinations are there, and new.

    A combination whose newest member was there before the query came was found before it, too.
    """
    assert query.join is not None
    if query.join.tree is not None and query.join.tree.is_grouped:
        since = {}  # it keeps groups of its own
    bounds = [_after(streams, name) for name in query.streams]
    for one in query.join.inputs:
        first = _since(one.stream, one.state.identity, since, streams)
        patience = query.join.graph.patience(one.name)
        bounds.append(None if first is None else first + patience)
    return max((bound for bound in bounds if bound is not None), default=None)


def _since(stream: str, state: str, since: Since, streams: Mapping[str, StreamClock]) -> int | None:
    """From when on a state has all rows of its stream: as it is kept, or from now on."""
    return since[state] if state in since else _after(streams, stream)


def _after(streams: Mapping[str, StreamClock], name: str) -> int | None:
    """The first instant of which nothing has come."""
    clock = streams[name].clock if name in streams else None
    return None if clock is None else clock + 1


# batches that were decided before queries came or went ------------------------------------------


def is_of(policy: Policy, decision: Decision) -> bool:
    """Whether a decision is about the queries that there are."""
    return decision.queries.keys() == {query.name for query in policy.plan.queries}


def carried(
    known: Decision, left: ControlState, fresh: Decision, after: ControlState
) -> tuple[Decision, ControlState]:
    """A decision that was written for other queries, made one for those that there are now.

    What was ``known`` stays for all that stay: sinks may have their answers already. Those that
    came take theirs from a ``fresh`` decision about the same rows. Which tasks work for whom is
    decided anew: it is nowhere but in runs that are written again.
    """
    queries = {name: known.queries.get(name, mine) for name, mine in fresh.queries.items()}
    memories = {
        name: left.queries[name] if name in known.queries else mine
        for name, mine in after.queries.items()
    }
    streams = {**fresh.streams, **known.streams}
    clocks = {**after.streams, **left.streams}
    decision = replace(known, queries=queries, streams=streams, share=fresh.share)
    return decision, replace(left, queries=memories, streams=clocks, shared=after.shared)
