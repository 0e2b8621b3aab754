"""What joins hold: the runs of their inputs, and of the inner nodes of every tree they run by."""

from __future__ import annotations

from collections.abc import Iterable

from slackwater.control.join_plan import track_of, tree_of
from slackwater.control.records import ControlState, QueryMemory
from slackwater.migrate.match import inner_states
from slackwater.plan.join import JoinPlan
from slackwater.plan.stage import QueryPlan
from slackwater.runs.catalog import Catalog


def held_by(join: JoinPlan, memory: QueryMemory) -> dict[str, tuple[str, ...]]:
    """States of a join as it runs by now: the inputs whose rows they combine, as written."""
    track = track_of(memory)
    trees = (tree_of(join, memory), *(() if track is None else (track.was,)))
    found: dict[str, tuple[str, ...]] = {
        p.state.identity: (p.name,) for tree in trees for p in join.form(tree).inputs
    }
    for identity, names in inner_states(join, *trees).items():
        found[identity] = tuple(name for name in join.graph.names if name in names)
    return found


def bytes_held(
    queries: Iterable[QueryPlan], memory: ControlState, catalog: Catalog
) -> dict[str, int]:
    """Bytes of what each join holds: what a limit on its memory is about."""
    return {
        query.name: sum(
            run.bytes
            for state in held_by(query.join, memory.of(query.name))
            for run in catalog.at(state)
        )
        for query in queries
        if query.join is not None
    }
