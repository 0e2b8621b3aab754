"""The live runs of a pipeline: which there are, which are past, and which are worth merging."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import pyarrow as pa

from slackwater.control.records import QueryDecision
from slackwater.plan.join import JoinPlan
from slackwater.plan.stage import QueryPlan, Stage
from slackwater.plan.statement import Writer
from slackwater.plan.tree import JoinNode, inputs_of, nodes_of
from slackwater.spark.engine import Engine, R, new_run
from slackwater.spark.join_shape import JoinShape
from slackwater.spark.reading import Reading
from slackwater.spark.run import Run
from slackwater.spark.shape import Shapes

BEGIN_OF_TIME = -(1 << 61)
FAN_IN = 8
GATHER = "SELECT * FROM panes"


@dataclass(slots=True)
class Book:
    """The live runs of a pipeline, by state."""

    runs: dict[str, list[Run]]

    def of(self, state: str) -> list[Run]:
        return self.runs.get(state, [])

    def add(self, run: Run | None) -> None:
        if run is not None:
            self.runs.setdefault(run.state, []).append(run)

    def all(self) -> list[Run]:
        return [run for runs in self.runs.values() for run in runs]


def told_state(query: QueryPlan, stage: Stage) -> str:
    return f"{query.name}-{stage.level}-told"


def answers_state(query: QueryPlan) -> str:
    """What a query under an error bound has answered, until its errors are measured."""
    return f"{query.name}-answers"


def estimates_state(query: str) -> str:
    """What a query has estimated of windows that are open, until they are judged."""
    return f"{query}-estimates"


def backlog_state(query: str) -> str:
    """Raw rows that an expensive query has not worked on."""
    return f"{query}-backlog"


IsPast = Callable[[Run], bool]


def readers(
    queries: Sequence[QueryPlan], decisions: dict[str, QueryDecision], trees: dict[str, JoinNode]
) -> dict[str, list[IsPast]]:
    """By state: for each of its readers, whether that one needs a run no more."""
    found: dict[str, list[IsPast]] = {}
    for query in queries:
        decision = decisions[query.name]
        for stage in query.stages:
            past = partial(_is_past, query, stage, decision)
            found.setdefault(stage.state.identity, []).append(past)
            found.setdefault(told_state(query, stage), []).append(past)
        if query.stages:
            found[answers_state(query)] = [partial(_is_past, query, query.base, decision)]
            found[estimates_state(query.name)] = [partial(_is_answered, query.top, decision)]
        if query.costly is not None:
            found[backlog_state(query.name)] = [partial(_is_worked_off, decision)]
        if query.join is not None:
            for state, patience in patiences(query.join, trees[query.name]).items():
                past = partial(_is_beyond_reach, decision, patience + kept_longer(query, decision))
                found.setdefault(state, []).append(past)
    return found


def purge(book: Book, readers: dict[str, list[IsPast]]) -> None:
    """Drop whole runs that no open or revisable window, and no future partner, can read."""
    book.runs = {
        state: left
        for state, runs in book.runs.items()
        if (left := [run for run in runs if not _is_dead(run, readers.get(state, []))])
    }


def _is_dead(run: Run, using: Sequence[IsPast]) -> bool:
    return all(is_past(run) for is_past in using)


def _is_past(query: QueryPlan, stage: Stage, decision: QueryDecision, run: Run) -> bool:
    if decision.upto is None:
        return False
    past = decision.upto - query.keep
    if decision.waiting is not None:  # errors are measured before anything is forgotten
        past = BEGIN_OF_TIME if decision.waiting.upto is None else min(past, decision.waiting.upto)
    window = stage.window
    return window.last_start(run.high) + window.size <= past


def _is_answered(stage: Stage, decision: QueryDecision, run: Run) -> bool:
    return decision.upto is not None and run.high + stage.window.size <= decision.upto


def _is_worked_off(decision: QueryDecision, run: Run) -> bool:
    return decision.working is None or run.batch not in decision.working.runs


def _is_beyond_reach(decision: QueryDecision, patience: int, run: Run) -> bool:
    return decision.upto is not None and run.high < decision.upto - patience


def kept_longer(query: QueryPlan, decision: QueryDecision) -> int:
    """How much longer than answers need them the rows of a join are kept, from now on."""
    return max(query.keep, decision.finding.keep if decision.finding is not None else 0)


def was_kept_longer(query: QueryPlan, decision: QueryDecision) -> int:
    """The same of the rows that are there when the batch begins."""
    return max(query.keep, decision.finding.kept if decision.finding is not None else 0)


def patiences(plan: JoinPlan, tree: JoinNode) -> dict[str, int]:
    """By state of a join: how long after its time a row may find a partner.

    The time of a combination is when its patience ends, so it has none left.
    """
    found = {i.state.identity: plan.graph.patience(i.name) for i in plan.inputs}
    return found | dict.fromkeys(inner_states(plan, tree), 0)


def inner_states(plan: JoinPlan, tree: JoinNode) -> dict[str, frozenset[str]]:
    """The states that the inner nodes of a tree keep, by identity."""
    sets = [frozenset(inputs_of(node)) for node in nodes_of(tree) if node is not tree]
    return {plan.identity(names): names for names in sets}


@dataclass(frozen=True, slots=True)
class Keeping:
    """How the runs of one state are merged: the statement, its schema and its time column.

    ``span`` limits how much time a merged run may cover: whole runs are dropped, so one that is
    long against the life of its rows would keep them too long.
    """

    statement: str
    schema: pa.Schema
    time: str
    span: int | None = None


def keepings(
    writer: Writer,
    queries: Sequence[QueryPlan],
    shapes: Shapes,
    joins: dict[str, tuple[JoinShape, JoinNode]],
) -> dict[str, Keeping]:
    """The keeping of every state: panes merge by key, rows and revisions are only gathered."""
    found: dict[str, Keeping] = {}
    for query in queries:
        if query.name in joins:
            found |= _join_keepings(*joins[query.name])
        for stage in query.stages:
            shape = shapes[query.name, stage.level]
            keeping = Keeping(writer.merge(stage.state), shape.panes, "pane")
            if stage.state.kind == "rows":
                rows = shapes[query.name, stage.level - 1].results
                keeping = Keeping(GATHER, rows, "__end")
            found[stage.state.identity] = keeping
            found[told_state(query, stage)] = Keeping(GATHER, shape.told, "__start")
        if query.promise is not None:
            answers = shapes[query.name, query.base.level].results
            found[answers_state(query)] = Keeping(GATHER, answers, "__start")
    return found


def estimate_keeping(reading: Reading) -> dict[str, Keeping]:
    """Estimates that wait to be judged are only gathered."""
    kept = Keeping(GATHER, reading.kept, "__start", reading.window.size)
    return {estimates_state(reading.query): kept} if reading.is_prodded else {}


def _join_keepings(shape: JoinShape, tree: JoinNode) -> dict[str, Keeping]:
    plan = shape.plan
    span = max(plan.graph.patience(name) for name in plan.graph.names) // 4
    found = {
        i.state.identity: Keeping(GATHER, shape.input(i.name), "pane", span) for i in plan.inputs
    }
    for identity, names in inner_states(plan, tree).items():
        found[identity] = Keeping(GATHER, shape.kept(names), "pane", span)
    return found


def compact(engine: Engine[R], book: Book, states: dict[str, Keeping], batch: int) -> None:
    """Merge runs of equal age once there are many, so that reading stays cheap for ever."""
    for identity, keeping in states.items():
        for generation in sorted({run.merged for run in book.of(identity)}):
            same = [run for run in book.of(identity) if run.merged == generation]
            if len(same) >= FAN_IN and _fits(same, keeping.span):
                book.runs[identity] = [run for run in book.of(identity) if run not in same]
                book.add(_merged(engine, keeping, same, batch))


def _fits(runs: Sequence[Run], span: int | None) -> bool:
    ends = [run.high for run in runs]
    return span is None or max(ends) - min(ends) <= span


def _merged(engine: Engine[R], keeping: Keeping, runs: list[Run], batch: int) -> Run | None:
    panes = engine.load(runs, keeping.schema)
    merged = engine.sql(keeping.statement, keeping.schema, {}, panes=panes)
    generation = runs[0].merged + 1
    run = engine.save(merged, new_run(runs[0].state, batch, f"m{generation}"), keeping.time)
    return None if run is None else replace(run, merged=generation)
