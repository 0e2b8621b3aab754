"""How long runs are kept: until no open or revisable window, and no future partner, reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from slackwater.control.records import QueryDecision
from slackwater.plan.join import JoinPlan
from slackwater.plan.stage import QueryPlan, Stage
from slackwater.plan.tree import JoinNode, inputs_of, nodes_of
from slackwater.runs.catalog import (
    Catalog,
    answers_state,
    backlog_state,
    estimates_state,
    told_state,
)
from slackwater.runs.run import Run
from slackwater.units import BEGIN_OF_TIME

IsPast = Callable[[Run], bool]
Claims = dict[str, dict[str, IsPast]]


def claims(
    queries: Sequence[QueryPlan], decisions: dict[str, QueryDecision], trees: dict[str, JoinNode]
) -> Claims:
    """By state and reader: whether that reader needs a run no more."""
    found: Claims = {}
    for query in queries:
        for state, is_past in _claimed(query, decisions[query.name], trees.get(query.name)):
            found.setdefault(state, {})[query.name] = is_past
    return found


def _claimed(
    query: QueryPlan, decision: QueryDecision, tree: JoinNode | None
) -> Iterator[tuple[str, IsPast]]:
    for stage in query.stages:
        past = partial(_is_past, query, stage, decision)
        yield stage.state.identity, past
        yield told_state(query, stage), past
    if query.stages:
        yield answers_state(query), partial(_is_past, query, query.base, decision)
        yield estimates_state(query.name), partial(_is_answered, query.top, decision)
    if query.costly is not None:
        yield backlog_state(query.name), partial(_is_worked_off, decision)
    if query.join is not None and tree is not None:
        for state, patience in patiences(query.join, tree).items():
            yield (
                state,
                partial(_is_beyond_reach, decision, patience + kept_longer(query, decision)),
            )


def purge(catalog: Catalog, claimed: Claims) -> None:
    """Drop whole runs that nobody needs any more, and states that nobody claims."""
    catalog.claim(claimed)
    catalog.runs = {
        state: left
        for state, runs in catalog.runs.items()
        if (left := [run for run in runs if not _is_dead(run, claimed.get(state, {}))])
    }


def _is_dead(run: Run, readers: Mapping[str, IsPast]) -> bool:
    return all(is_past(run) for is_past in readers.values())


def _is_past(query: QueryPlan, stage: Stage, decision: QueryDecision, run: Run) -> bool:
    if decision.upto is None:
        return False
    past = decision.upto - query.keep
    if decision.window_order is not None:  # errors are measured before anything is forgotten
        past = (
            BEGIN_OF_TIME
            if decision.window_order.upto is None
            else min(past, decision.window_order.upto)
        )
    window = stage.window
    return window.last_start(run.high) + window.size <= past


def _is_answered(stage: Stage, decision: QueryDecision, run: Run) -> bool:
    return decision.upto is not None and run.high + stage.window.size <= decision.upto


def _is_worked_off(decision: QueryDecision, run: Run) -> bool:
    return decision.work is None or run.batch not in decision.work.runs


def _is_beyond_reach(decision: QueryDecision, patience: int, run: Run) -> bool:
    return decision.upto is not None and run.high < decision.upto - patience


def kept_longer(query: QueryPlan, decision: QueryDecision) -> int:
    """How much longer than answers need them the rows of a join are kept, from now on."""
    return max(query.keep, decision.period_order.keep if decision.period_order is not None else 0)


def was_kept_longer(query: QueryPlan, decision: QueryDecision) -> int:
    """The same of the rows that are there when the batch begins."""
    return max(query.keep, decision.period_order.kept if decision.period_order is not None else 0)


def patiences(plan: JoinPlan, tree: JoinNode) -> dict[str, int]:
    """By state of a join: how long after its time a row may find a partner.

    The time of a combination is when its patience ends, so it has none left.
    """
    found = {i.state.identity: plan.graph.patience(i.name) for i in plan.inputs}
    return found | dict.fromkeys(inner_states(plan, tree), 0)


def missing(plan: JoinPlan, was: JoinNode | None, tree: JoinNode) -> frozenset[str]:
    """The states that a tree keeps and the one before it did not."""
    before = {} if was is None else inner_states(plan, was)
    return frozenset(inner_states(plan, tree).keys() - before.keys())


def inner_states(plan: JoinPlan, tree: JoinNode) -> dict[str, frozenset[str]]:
    """The states that the inner nodes of a tree keep, by identity."""
    sets = [frozenset(inputs_of(node)) for node in nodes_of(tree) if node is not tree]
    return {plan.identity(names): names for names in sets}
