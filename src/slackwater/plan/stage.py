"""Physical stages: each window aggregate as one reader of runs.

A stage knows the state it keeps (its *identity*: what the rows mean, not where in a plan they
sit), so that queries which mean the same share the same runs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from slackwater.plan.aggregate import Partial
from slackwater.plan.bound import ErrorContract
from slackwater.plan.build import Checked, LogicalQuery
from slackwater.plan.node import Filter, Named, Node, Project, Scan, WindowAggregate, chain
from slackwater.plan.window import Window
from slackwater.query.expression import Expression, column, of_tree
from slackwater.query.schema import Schema
from slackwater.units import fingerprint

StateKind = Literal["panes", "rows"]


@dataclass(frozen=True, slots=True)
class State:
    """What is kept for a stage.

    ``panes``: merged partials per pane and key. ``rows``: the input rows themselves, latest
    revision wins; kept where an input row can still be revised, because a maximum cannot forget.
    """

    identity: str
    kind: StateKind
    owner: str
    where: Expression | None
    keys: tuple[Named, ...]
    pane: int
    offset: int
    partials: tuple[Partial, ...]


@dataclass(frozen=True, slots=True)
class Stage:
    """One level of a query: reads ``state``, closes windows, gives ``values``."""

    level: int
    window: Window
    state: State
    values: tuple[Named, ...]
    input: Schema
    output: Schema

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.state.keys)


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """A query ready to run."""

    name: str
    stream: str
    stages: tuple[Stage, ...]
    slack: int
    late: str
    keep: int
    idle: int | None
    promise: ErrorContract | None = None

    @property
    def base(self) -> Stage:
        return self.stages[0]

    @property
    def top(self) -> Stage:
        return self.stages[-1]


@dataclass(frozen=True, slots=True)
class StreamPlan:
    """A base stream: the columns the pipeline reads, and how far a row may push its clock."""

    name: str
    time: str
    schema: Schema
    columns: tuple[str, ...]
    max_ahead: int | None


@dataclass(frozen=True, slots=True)
class PipelinePlan:
    """Everything the runtime needs to know: streams, shared base states, queries."""

    streams: tuple[StreamPlan, ...]
    queries: tuple[QueryPlan, ...]

    @property
    def value_sums(self) -> dict[str, tuple[str, ...]]:
        """By base state: the partials whose totals the error bounds of its queries need."""
        found: dict[str, set[str]] = {}
        for query in self.queries:
            for bound in query.promise.bounds if query.promise else ():
                found.setdefault(query.base.state.identity, set()).update(bound.sums)
        return {identity: tuple(sorted(names)) for identity, names in found.items()}

    @property
    def base_states(self) -> tuple[tuple[str, State], ...]:
        """The distinct base states with the stream each is fed from."""
        found = {q.base.state.identity: (q.stream, q.base.state) for q in self.queries}
        return tuple(found.values())

    @property
    def identity(self) -> str:
        """Fingerprint of what the checkpoint means; slack, sinks and tiers may change freely."""
        return fingerprint(describe(self))


def describe(plan: PipelinePlan) -> dict[str, object]:
    """The parts of a plan that a checkpoint depends on."""
    return {
        "streams": {s.name: {"time": s.time, "columns": list(s.columns)} for s in plan.streams},
        "queries": {
            q.name: {
                "stream": q.stream,
                "revises": q.late == "revise",
                "stages": [
                    {
                        "state": stage.state.identity,
                        "window": [stage.window.size, stage.window.slide, stage.window.offset],
                        "values": {name: value.sql for name, value in stage.values},
                    }
                    for stage in q.stages
                ],
            }
            for q in plan.queries
        },
    }


def lay_out(checked: Checked) -> PipelinePlan:
    """Turn checked queries into stages; base states that mean the same become one."""
    plans = [_query(query) for query in checked.queries]
    merged = _merge_states([plan.base.state for plan in plans])
    plans = [_with_base(plan, merged[_meaning(plan.base.state)]) for plan in plans]
    streams = tuple(
        StreamPlan(
            name,
            definition.time,
            definition.schema,
            _columns_read(name, checked, plans),
            checked.max_ahead[name],
        )
        for name, definition in checked.streams.items()
    )
    return PipelinePlan(streams, tuple(plans))


def _query(query: LogicalQuery) -> QueryPlan:
    nodes = [node for node in chain(query.root) if isinstance(node, WindowAggregate)]
    stages = tuple(_stage(query, level, node) for level, node in enumerate(nodes, start=1))
    return QueryPlan(
        query.name,
        query.stream.name,
        stages,
        query.slack,
        query.late,
        query.keep,
        query.idle,
        query.promise,
    )


def _stage(query: LogicalQuery, level: int, node: WindowAggregate) -> Stage:
    where, names, source = _collapse(node.input)
    kind: StateKind = "rows" if level > 1 and query.late == "revise" else "panes"
    state = State(
        identity="",
        kind=kind,
        owner=query.stream.name if level == 1 else f"{query.name}/{level}",
        where=where,
        keys=tuple((name, value.substitute(names)) for name, value in node.keys),
        pane=node.window.pane,
        offset=node.window.offset % node.window.pane,
        partials=tuple(_substituted(part, names) for part in node.partials),
    )
    return Stage(level, node.window, _identified(state), node.values, source.schema, node.schema)


def _substituted(part: Partial, names: dict[str, Expression]) -> Partial:
    return replace(part, sql=Expression(part.sql).substitute(names).sql)


def _collapse(node: Node) -> tuple[Expression | None, dict[str, Expression], Node]:
    """Fold filters and projections into one predicate and definitions over the input's columns."""
    path: list[Node] = []
    while not isinstance(node, Scan | WindowAggregate):
        path.append(node)
        node = node.input
    names = {name: column(name) for name in node.schema.names}
    where: Expression | None = None
    for step in reversed(path):
        if isinstance(step, Filter):
            predicate = step.predicate.substitute(names)
            where = predicate if where is None else _both(where, predicate)
        elif isinstance(step, Project):
            names = {name: value.substitute(names) for name, value in step.columns}
    return where, names, node


def _both(left: Expression, right: Expression) -> Expression:
    return of_tree(Expression(f"({left.sql}) AND ({right.sql})").tree)


def _meaning(state: State) -> str:
    """What rows of this state stand for, apart from which partials are kept."""
    return fingerprint(
        [
            state.owner,
            state.kind,
            state.where.sql if state.where else None,
            [[name, value.sql] for name, value in state.keys],
            state.pane,
            state.offset,
        ]
    )


def _identified(state: State) -> State:
    parts = sorted([p.name, p.sql, p.merge] for p in state.partials)
    return replace(state, identity=fingerprint([_meaning(state), parts]))


def _merge_states(states: list[State]) -> dict[str, State]:
    merged: dict[str, State] = {}
    for state in states:
        other = merged.get(_meaning(state), state)
        parts = {part.name: part for part in (*other.partials, *state.partials)}
        ordered = tuple(parts[name] for name in sorted(parts))
        merged[_meaning(state)] = _identified(replace(state, partials=ordered))
    return merged


def _with_base(plan: QueryPlan, state: State) -> QueryPlan:
    return replace(plan, stages=(replace(plan.base, state=state), *plan.stages[1:]))


def _columns_read(stream: str, checked: Checked, plans: list[QueryPlan]) -> tuple[str, ...]:
    """The source columns the pipeline needs; all of them where whole late rows are wanted."""
    mine = [plan for plan in plans if plan.stream == stream]
    schema = checked.streams[stream].schema
    if any(plan.late == "side" for plan in mine):
        return schema.names
    read: set[str] = set()
    for plan in mine:
        state = plan.base.state
        read |= state.where.columns if state.where else set()
        for _, key in state.keys:
            read |= key.columns
        for part in state.partials:
            read |= Expression(part.sql).columns
    return tuple(name for name in schema.names if name in read)
