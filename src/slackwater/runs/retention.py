"""How long runs are kept: until no open or revisable window, and no future partner, reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from slackwater.control.records import QueryDecision
from slackwater.control.turn import Turn
from slackwater.migrate.match import inner_states
from slackwater.plan.join import JoinPlan
from slackwater.plan.stage import QueryPlan, Stage
from slackwater.plan.tree import JoinNode
from slackwater.runs.catalog import (
    Catalog,
    answers_state,
    backlog_states,
    estimates_state,
    table_state,
    told_state,
)
from slackwater.runs.run import Run
from slackwater.units import BEGIN_OF_TIME

IsPast = Callable[[Run], bool]
Claims = dict[str, dict[str, IsPast]]
Fences = dict[str, tuple[int, ...]]
Trees = tuple[JoinNode, ...]


def claims(
    queries: Sequence[QueryPlan], decisions: dict[str, QueryDecision], trees: Mapping[str, Trees]
) -> Claims:
    """By state and reader: whether that reader needs a run no more."""
    found: Claims = {}
    for query in queries:
        for state, is_past in _claimed(query, decisions[query.name], trees.get(query.name, ())):
            found.setdefault(state, {})[query.name] = is_past
    return found


def _claimed(
    query: QueryPlan, decision: QueryDecision, trees: Trees
) -> Iterator[tuple[str, IsPast]]:
    for stage in query.stages:
        past = partial(_is_past, query, stage, decision)
        yield stage.state.identity, past
        yield told_state(query, stage), past
    if query.stages:
        yield answers_state(query), partial(_is_past, query, query.base, decision)
        yield estimates_state(query.name), partial(_is_answered, query.top, decision)
    for state in backlog_states((query,)):
        yield state, partial(_is_worked_off, decision)
    for table in query.tables:
        yield table_state(table), _never
    if query.join is not None and trees:
        for state, patience in patiences(query.join, *trees).items():
            yield (
                state,
                partial(_is_beyond_reach, decision, patience + kept_longer(query, decision)),
            )


def fences(turns: Iterable[Turn]) -> Fences:
    """By state of joins that change their tree: after which batches old rows and new ones part."""
    found: dict[str, set[int]] = {}
    for turn in turns:
        if turn.track is not None and turn.query.join is not None:
            for state in patiences(turn.query.join, *turn.trees):
                found.setdefault(state, set()).add(turn.track.since - 1)
    return {state: tuple(sorted(batches)) for state, batches in found.items()}


def purge(catalog: Catalog, claimed: Claims, fenced: Fences | None = None) -> None:
    """Drop whole runs that nobody needs any more, and states that nobody claims."""
    catalog.claim(claimed, fenced)
    kept: dict[str, list[Run]] = {}
    for state, runs in catalog.runs.items():
        dead = [run for run in runs if _is_dead(run, claimed.get(state, {}))]
        if dead and state in claimed:
            catalog.forget(state, max(run.high for run in dead))
        if left := [run for run in runs if run not in dead]:
            kept[state] = left
    catalog.runs = kept


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


def _never(_run: Run) -> bool:
    """Another version takes the place of a table."""
    return False


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


def patiences(plan: JoinPlan, *trees: JoinNode) -> dict[str, int]:
    """By state of a join: how long after its time a row may find a partner.

    The time of a combination is when its patience ends, so it has none left.
    """
    found = {
        i.state.identity: plan.graph.patience(i.name)
        for tree in trees
        for i in plan.form(tree).inputs
    }
    return found | dict.fromkeys(inner_states(plan, *trees), 0)
