"""Physical stages: each window aggregate as one reader of runs.

A stage knows the state it keeps (its *identity*: what the rows mean, not where in a plan they
sit), so that queries which mean the same share the same runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from slackwater.errors import Problem, QueryError
from slackwater.plan.aggregate import Partial
from slackwater.plan.bound import ErrorContract, Promise, RecallContract
from slackwater.plan.build import Checked, LogicalQuery
from slackwater.plan.costly import CostPlan
from slackwater.plan.estimates import EstimateColumns, EstimatePlan, estimate_columns
from slackwater.plan.join import JoinPlan, lay_out_join
from slackwater.plan.names import check_columns, check_partials
from slackwater.plan.node import (
    Joined,
    Named,
    Node,
    WindowAggregate,
    aggregates,
    chain,
    collapse,
    stamp_of,
)
from slackwater.plan.state import State, StateKind
from slackwater.plan.terms import Terms
from slackwater.plan.tree import inputs_of, nodes_of
from slackwater.plan.window import Window
from slackwater.query.expression import Expression
from slackwater.query.schema import Schema
from slackwater.units import fingerprint

T = TypeVar("T", bound=Terms)


@dataclass(frozen=True, slots=True)
class Stage:
    """One level of a query: reads ``state``, closes windows, gives ``values``.

    ``estimated`` is set on the top level of a query that gives estimates.
    """

    level: int
    window: Window
    state: State
    values: tuple[Named, ...]
    input: Schema
    output: Schema
    estimated: EstimateColumns | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.state.keys)


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """A query ready to run: window aggregates over one stream or over a join, or a bare join."""

    name: str
    streams: tuple[str, ...]
    stages: tuple[Stage, ...]
    slack: int
    late: str
    keep: int
    idle: int | None
    join: JoinPlan | None = None
    estimable: EstimateColumns | None = None
    terms: tuple[Terms, ...] = ()

    def find(self, kind: type[T]) -> T | None:
        """What the query asks of a controller, by the kind of its terms."""
        return next((one for one in self.terms if isinstance(one, kind)), None)

    @property
    def promised(self) -> Promise | None:
        """What is promised of its results, and measured."""
        return self.find(Promise)

    @property
    def promise(self) -> ErrorContract | None:
        return self.find(ErrorContract)

    @property
    def recall(self) -> RecallContract | None:
        return self.find(RecallContract)

    @property
    def estimates(self) -> EstimatePlan | None:
        return self.find(EstimatePlan)

    @property
    def costly(self) -> CostPlan | None:
        return self.find(CostPlan)

    @property
    def stream(self) -> str:
        """The only stream of a query without join."""
        return self.streams[0]

    @property
    def fed(self) -> tuple[tuple[str, State], ...]:
        """The states that raw rows go into, each with its stream."""
        if self.join is not None:
            return tuple((i.stream, i.state) for i in self.join.inputs)
        return ((self.stream, self.base.state),)

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
        found = {state.identity: (name, state) for q in self.queries for name, state in q.fed}
        return tuple(found.values())

    @property
    def identity(self) -> str:
        """Fingerprint of what the checkpoint means; slack, sinks and tiers may change freely."""
        return fingerprint(describe(self))


def describe(plan: PipelinePlan) -> dict[str, object]:
    """The parts of a plan that a checkpoint depends on."""
    return {
        "streams": {s.name: _describe_stream(s) for s in plan.streams},
        "queries": {
            q.name: {
                **({"join": _describe_join(q.join)} if q.join else {"stream": q.stream}),
                "revises": q.late == "revise",
                **({"estimates": True} if q.estimates else {}),
                **({"costly": True} if q.costly else {}),
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


def _describe_stream(stream: StreamPlan) -> dict[str, object]:
    read = {*stream.columns, stream.time}
    types = {c.name: c.type for c in stream.schema.columns if c.name in read}
    return {"time": stream.time, "columns": list(stream.columns), "types": types}


def _describe_join(join: JoinPlan) -> dict[str, object]:
    graph = join.graph
    return {
        "inputs": {i.name: i.state.identity for i in join.inputs},
        "reach": [list(row) for row in graph.reach],
        "equal": [[name for _, name in members] for members in graph.classes],
        "predicates": [p.expression.sql for p in graph.predicates],
        "values": {name: value.sql for name, value in join.values},
        "emit": join.emit,
        "kept": sorted(sorted(inputs_of(node)) for node in nodes_of(join.tree or "")[:-1]),
    }


def lay_out(checked: Checked) -> PipelinePlan:
    """Turn checked queries into stages; base states that mean the same become one."""
    plans = [_query(query) for query in checked.queries]
    alone = [plan for plan in plans if plan.join is None]
    merged = _merge_states([plan.base.state for plan in alone])
    plans = [
        plan if plan.join else _with_base(plan, merged[_meaning(plan.base.state)]) for plan in plans
    ]
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
    _check_names(checked, streams, plans)
    return PipelinePlan(streams, tuple(plans))


def _check_names(
    checked: Checked, streams: Sequence[StreamPlan], plans: Sequence[QueryPlan]
) -> None:
    """What only the layout knows: which columns are read, and what stands beside keys in state."""
    problems: list[Problem] = []
    for stream in streams:
        alone = any(plan.join is None and stream.name in plan.streams for plan in plans)
        definition = checked.streams[stream.name]
        check_columns(definition, stream.columns, problems, is_set_aside=alone)
    for plan in plans:
        for stage in plan.stages:
            check_partials(plan.name, stage.keys, (p.name for p in stage.state.partials), problems)
    if problems:
        raise QueryError(problems)


def _query(query: LogicalQuery) -> QueryPlan:
    nodes = aggregates(query.root)
    stages = tuple(_stage(query, level, node) for level, node in enumerate(nodes, start=1))
    estimable = estimate_columns(nodes) if nodes else None
    if query.estimates is not None:
        stages = (*stages[:-1], replace(stages[-1], estimated=estimable))
    asked = (query.promise, query.recall, query.estimates, query.costly, query.resources)
    return QueryPlan(
        query.name,
        tuple(stream.name for stream in query.streams),
        stages,
        query.slack,
        query.late,
        query.keep,
        query.idle,
        _join(query, stages),
        estimable,
        tuple(term for term in asked if term is not None),
    )


def _join(query: LogicalQuery, stages: tuple[Stage, ...]) -> JoinPlan | None:
    """The join at the bottom of a query, and what is read of its result."""
    first = next((n for n in chain(query.root) if isinstance(n, WindowAggregate)), None)
    where, names, source = collapse(query.root if first is None else first.input)
    if not isinstance(source, Joined):
        return None
    if stages:
        state = stages[0].state
        texts = [*(key for _, key in state.keys), *(Expression(p.sql) for p in state.partials)]
    else:
        texts = list(names.values())
    read = {column for text in texts for column in text.columns}
    values = None if stages else tuple(names.items())
    return lay_out_join(
        source,
        (where, values, read),
        query.name,
        output=query.root.schema,
        clock=_clock(query) if query.recall is not None else None,
    )


def _clock(query: LogicalQuery) -> str:
    """Queries over the same streams, which let go of silent ones alike, have one clock."""
    return fingerprint([sorted(stream.name for stream in query.streams), query.idle])


def _stage(query: LogicalQuery, level: int, node: WindowAggregate) -> Stage:
    where, names, source = collapse(node.input)
    kind: StateKind = "rows" if level > 1 and query.late == "revise" else "panes"
    state = State(
        identity="",
        kind=kind,
        owner=_owner(query, level, source),
        where=None if isinstance(source, Joined) else where,
        keys=tuple((name, value.substitute(names)) for name, value in node.keys),
        pane=node.window.pane,
        offset=node.window.offset % node.window.pane,
        partials=tuple(_substituted(part, names) for part in node.partials),
        stamp=stamp_of(node),
        input=source.schema,
    )
    return Stage(level, node.window, _identified(state), node.values, source.schema, node.schema)


def _owner(query: LogicalQuery, level: int, source: Node) -> str:
    if level == 1 and query.costly is not None:  # a backlog of its own, shared with nobody
        return f"{query.streams[0].name}/costly/{query.name}"
    alone = level == 1 and not isinstance(source, Joined)
    return query.streams[0].name if alone else f"{query.name}/{level}"


def _substituted(part: Partial, names: dict[str, Expression]) -> Partial:
    return replace(part, sql=Expression(part.sql).substitute(names).sql)


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
    mine = [plan for plan in plans if stream in plan.streams]
    schema = checked.streams[stream].schema
    if any(plan.late == "side" for plan in mine):
        return schema.names
    read: set[str] = set()
    for state in (state for plan in mine for name, state in plan.fed if name == stream):
        read |= state.where.columns if state.where else set()
        for _, key in state.keys:
            read |= key.columns
        for part in state.partials:
            read |= Expression(part.sql).columns
    return tuple(name for name in schema.names if name in read)
