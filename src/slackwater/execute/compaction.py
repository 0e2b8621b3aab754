"""Merging runs of equal age, so that reading stays cheap for ever."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from slackwater.execute.duck import DuckEngine
from slackwater.execute.engine import Wanted
from slackwater.execute.estimates.reading import Reading
from slackwater.execute.shape import JoinShape, Shapes
from slackwater.migrate.match import inner_states
from slackwater.plan.sql.statement import Statement
from slackwater.plan.sql.windows import Writer
from slackwater.plan.stage import QueryPlan
from slackwater.plan.tree import JoinNode
from slackwater.runs.catalog import Catalog, answers_state, estimates_state, told_state
from slackwater.runs.run import Run, new_run

FAN_IN = 8
GATHER = Statement("SELECT * FROM panes", ("panes",))


@dataclass(frozen=True, slots=True)
class MergeRule:
    """How the runs of one state are merged: the statement, its schema and its time column.

    ``span`` limits how much time a merged run may cover: whole runs are dropped, so one that is
    long against the life of its rows would keep them too long.
    """

    statement: Statement
    schema: pa.Schema
    time: str
    span: int | None = None


def merge_rules(
    writer: Writer,
    queries: Sequence[QueryPlan],
    shapes: Shapes,
    joins: dict[str, tuple[JoinShape, tuple[JoinNode, ...]]],
) -> dict[str, MergeRule]:
    """The rule of every state: panes and groups merge by key, rows and revisions are gathered."""
    found: dict[str, MergeRule] = {}
    for query in queries:
        if query.name in joins:
            found |= _join_rules(writer, *joins[query.name])
        for stage in query.stages:
            shape = shapes[query.name, stage.level]
            rule = MergeRule(writer.merge(stage.state), shape.panes, "pane")
            if stage.state.kind == "rows":
                rows = shapes[query.name, stage.level - 1].results
                rule = MergeRule(GATHER, rows, "__end")
            found[stage.state.identity] = rule
            found[told_state(query, stage)] = MergeRule(GATHER, shape.told, "__start")
        if query.promise is not None:
            answers = shapes[query.name, query.base.level].results
            found[answers_state(query)] = MergeRule(GATHER, answers, "__start")
    return found


def estimate_rule(reading: Reading) -> dict[str, MergeRule]:
    """Estimates that wait to be judged are only gathered."""
    kept = MergeRule(GATHER, reading.kept, "__start", reading.window.size)
    return {estimates_state(reading.query): kept} if reading.is_prodded else {}


def _join_rules(
    writer: Writer, shape: JoinShape, trees: tuple[JoinNode, ...]
) -> dict[str, MergeRule]:
    plan = shape.plan
    span = max(plan.graph.patience(name) for name in plan.graph.names) // 4
    found: dict[str, MergeRule] = {}
    for tree in trees:
        form = shape.form(tree)
        for one in form.plan.inputs:
            rule = writer.merge(one.state) if tree.is_grouped else GATHER
            found[one.state.identity] = MergeRule(rule, form.input(one.name), "pane", span)
        for identity, names in inner_states(plan, tree).items():
            found[identity] = MergeRule(GATHER, form.kept(names), "pane", span)
    return found


def compact(
    engine: DuckEngine,
    catalog: Catalog,
    rules: dict[str, MergeRule],
    batch: int,
    *,
    fan_in: int = FAN_IN,
) -> None:
    """Merge runs of equal age once there are many; those apart by a fence stay so."""
    for state, rule in rules.items():
        for number, part in enumerate(catalog.info(state).parts(catalog.at(state))):
            for same in _of_equal_age(part):
                if len(same) >= fan_in and _fits(same, rule.span):
                    catalog.runs[state] = [run for run in catalog.at(state) if run not in same]
                    catalog.add(_merged(engine, rule, same, batch, number))


def _of_equal_age(runs: Sequence[Run]) -> list[list[Run]]:
    ages = sorted({run.merged for run in runs})
    return [[run for run in runs if run.merged == age] for age in ages]


def _fits(runs: Sequence[Run], span: int | None) -> bool:
    ends = [run.high for run in runs]
    return span is None or max(ends) - min(ends) <= span


def _merged(
    engine: DuckEngine, rule: MergeRule, runs: list[Run], batch: int, part: int
) -> Run | None:
    """One run of many; those of different parts have names of their own."""
    panes = {"panes": Wanted(runs, rule.schema)}
    merged = engine.run(rule.statement, rule.schema, {}, panes)
    age, newest = runs[0].merged + 1, max(run.batch for run in runs)
    tag = f"m{age}p{part}" if part else f"m{age}"
    run = engine.save(merged, new_run(runs[0].state, batch, tag), rule.time)
    return None if run is None else replace(run, merged=age, batch=newest)
