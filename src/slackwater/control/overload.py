"""Expensive queries in the step: what they work on, what their backlog holds back, what is told."""

from __future__ import annotations

from dataclasses import dataclass, replace

from slackwater.control.backlog import Backlog, Pieces, arrived, set_aside, work, working
from slackwater.control.records import ControlState, Observation, QueryDecision, StreamDecision
from slackwater.plan.stage import QueryPlan


@dataclass(frozen=True, slots=True)
class AtWork:
    """The rows worked on in a batch, those left, and how many were given up."""

    taken: Pieces
    left: Backlog
    shed: int = 0


def work_of(
    query: QueryPlan,
    observation: Observation,
    state: ControlState,
    clock: int | None,
    seen: dict[str, StreamDecision],
) -> AtWork:
    """What an expensive query works on; at the end of its stream, everything."""
    assert query.costly is not None
    before = state.backlogs.get(query.name, Backlog())
    new = arrived(
        query,
        observation.batch,
        observation.panes.get(query.base.state.identity, ()),
        bound=seen[query.stream].bound,
        after=state.watermarks.get(query.name),
    )
    if observation.ended:
        return AtWork((*before.aside, *before.todo, *new), Backlog())
    return AtWork(*work(query.costly, replace(before, todo=(*before.todo, *new)), clock))


def left_of(
    query: QueryPlan, decision: QueryDecision, at_work: AtWork, clock: int | None
) -> tuple[QueryDecision, Backlog]:
    """A query's decision with the rows it works on, and what waits after its prods."""
    left, shed = at_work.left, at_work.shed
    if decision.prodding is not None:
        left, more = set_aside(query, left, decision.prodding, clock)
        shed += more
    return replace(decision, working=working(at_work.taken, left, shed)), left


def notices(query: QueryPlan, decision: QueryDecision) -> list[str]:
    """Rows that were given up are told."""
    if decision.working is None or not decision.working.shed:
        return []
    return [f"query {query.name}: {decision.working.shed} rows of estimated windows shed"]
