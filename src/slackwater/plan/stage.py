"""Physical stages: each window aggregate as one reader of runs.

A stage knows the state it keeps (its *identity*: what the rows mean, not where in a plan they
sit), so that queries which mean the same share the same runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from slackwater.errors import Problem, QueryError
from slackwater.plan.bound import ErrorContract, Promise, RecallContract
from slackwater.plan.build import Checked, LogicalQuery
from slackwater.plan.calls import FunctionPlan, Link, computed
from slackwater.plan.costly import CostPlan
from slackwater.plan.estimates import EstimateColumns, EstimatePlan, estimate_columns
from slackwater.plan.grouping import with_groups
from slackwater.plan.held import Held, base_states, identified
from slackwater.plan.join import JoinPlan, lay_out_join
from slackwater.plan.lookup import Refreshing, TablePlan, plan_tables
from slackwater.plan.names import check_columns, check_partials
from slackwater.plan.node import (
    Joined,
    Named,
    Node,
    Scan,
    WindowAggregate,
    aggregates,
    chain,
    collapse,
    stamp_of,
)
from slackwater.plan.partial import Partial
from slackwater.plan.state import State, StateKind
from slackwater.plan.terms import Terms
from slackwater.plan.tree import GROUPED, inputs_of, nodes_of, show_tree
from slackwater.plan.window import Window
from slackwater.query.expression import Expression
from slackwater.query.relation import Relation
from slackwater.query.schema import Schema
from slackwater.units import fingerprint

T = TypeVar("T", bound=Terms)


@dataclass(frozen=True, slots=True)
class Stage:
    """One level of a query: reads ``state``, closes windows, gives ``values``, or what
    ``relation`` says of the rows.

    ``estimated`` is set on the top level of a query that gives estimates.
    """

    level: int
    window: Window
    state: State
    values: tuple[Named, ...]
    input: Schema
    output: Schema
    estimated: EstimateColumns | None = None
    relation: Relation | None = None

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
    def functions(self) -> FunctionPlan | None:
        return self.find(FunctionPlan)

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
    def tables(self) -> tuple[str, ...]:
        """The tables that its rows look something up in."""
        return tuple({one.table: one for _, state in self.fed for one in state.lookups})

    @property
    def waiting(self) -> tuple[tuple[str, State], ...]:
        """The states whose rows wait for their turn, each with its stream."""
        return self.fed if self.costly is not None else ()

    @property
    def base(self) -> Stage:
        return self.stages[0]

    @property
    def top(self) -> Stage:
        return self.stages[-1]


@dataclass(frozen=True, slots=True)
class StreamPlan:
    """A base stream: the columns the pipeline reads, and how far a row may push its clock.

    ``links`` are the Python functions that run over its rows, in this order.
    """

    name: str
    time: str
    schema: Schema
    columns: tuple[str, ...]
    max_ahead: int | None
    links: tuple[Link, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of its rows once functions added theirs."""
        return (*self.columns, *(one.name for one in computed(self.links)))


@dataclass(frozen=True, slots=True)
class PipelinePlan:
    """Everything the runtime needs to know: streams, shared base states, queries."""

    streams: tuple[StreamPlan, ...]
    queries: tuple[QueryPlan, ...]
    tables: tuple[TablePlan, ...] = ()

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
    def waiting(self) -> dict[str, tuple[str, int]]:
        """States whose rows wait for their turn, each with its query and the number of its input
        there.
        """
        return {
            state.identity: (query.name, number)
            for query in self.queries
            for number, (_, state) in enumerate(query.waiting)
        }

    @property
    def identity(self) -> str:
        """Fingerprint of what the checkpoint means; slack, sinks and tiers may change freely."""
        return fingerprint(describe(self))


def describe(plan: PipelinePlan) -> dict[str, object]:
    """The parts of a plan that a checkpoint depends on."""
    return {
        **({"tables": {t.name: t.schema.to_json() for t in plan.tables}} if plan.tables else {}),
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
                        **({"relate": stage.relation.sql} if stage.relation else {}),
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
        **({"optional": sorted(graph.optional)} if graph.optional else {}),
        **({"above": [part.sql for part in graph.above]} if graph.above else {}),
        **({"grouped": True} if join.tree is not None and join.tree.is_grouped else {}),
    }


def lay_out(checked: Checked, held: Held | None = None) -> PipelinePlan:
    """Turn checked queries into stages; base states that mean the same become one.

    Queries that a checkpoint has already keep the states that it ``held`` for them.
    """
    plans = [_query(query) for query in checked.queries]
    states = base_states({p.name: p.base.state for p in plans if p.join is None}, held or {})
    plans = [plan if plan.join else _with_base(plan, states[plan.name]) for plan in plans]
    streams = tuple(
        StreamPlan(
            name,
            definition.time,
            definition.schema,
            _columns_read(name, checked, plans),
            checked.max_ahead[name],
            _links(name, plans),
        )
        for name, definition in checked.streams.items()
    )
    _check_names(checked, streams, plans)
    lookups = [one for plan in plans for _, state in plan.fed for one in state.lookups]
    tables = plan_tables(checked.tables.values(), lookups)
    return PipelinePlan(streams, _refreshing(plans, tables), tables)


def _refreshing(plans: Sequence[QueryPlan], tables: Sequence[TablePlan]) -> tuple[QueryPlan, ...]:
    """The first query that reads a table says when it is read again."""
    found, seen = [], set[str]()
    for plan in plans:
        mine = tuple(
            table
            for table in tables
            if table.refresh is not None and table.name in plan.tables and table.name not in seen
        )
        seen |= set(plan.tables)
        found.append(replace(plan, terms=(*plan.terms, Refreshing(mine))) if mine else plan)
    return tuple(found)


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
        problems += [*_order_problems(plan), *_side_problems(plan)]
        for stage in plan.stages:
            check_partials(plan.name, stage.keys, (p.name for p in stage.state.partials), problems)
    if problems:
        raise QueryError(problems)


def _side_problems(plan: QueryPlan) -> list[Problem]:
    """Why late rows cannot be set aside: only rows that are in time look something up."""
    for _, state in plan.fed if plan.late == "side" else ():
        asked = {c.name for one in state.lookups for c in state.read_of(one.table)}
        if state.where is not None and state.where.columns & asked:
            text = "a filter that asks a table cannot tell which late rows it would let pass"
            hint = 'late="drop", or filter by columns of the stream alone'
            return [Problem("LOOKUP_SIDE", f"query {plan.name!r}, late", text, hint)]
    return []


def _order_problems(plan: QueryPlan) -> list[Problem]:
    """Why a join cannot run by the tree that was written for it."""
    if plan.join is None or plan.join.tree is None:
        return []
    try:
        plan.join.check(plan.join.tree)
    except ValueError as error:
        order = show_tree(plan.join.tree)
        hint = f"without {GROUPED!r} before the tree the join runs over rows"
        at = f"query {plan.name!r}, join, order"
        return [Problem("JOIN_ORDER", at, f"{order!r}: {error}", hint)]
    return []


def _query(query: LogicalQuery) -> QueryPlan:
    nodes = aggregates(query.root)
    stages = tuple(_stage(query, level, node) for level, node in enumerate(nodes, start=1))
    estimable = estimate_columns(nodes) if nodes else None
    if query.estimates is not None:
        stages = (*stages[:-1], replace(stages[-1], estimated=estimable))
    asked = (
        query.promise,
        query.recall,
        query.estimates,
        query.costly,
        query.resources,
        query.functions,
    )
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
    join = lay_out_join(
        source,
        (where, values, read),
        query.name,
        output=query.root.schema,
        clock=_clock(query) if query.recall is not None else None,
        alone=query.name if query.costly is not None else None,
    )
    return with_groups(join, stages[0].state if stages else None)


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
        lookups=source.lookups if isinstance(source, Scan) else (),
    )
    return Stage(
        level,
        node.window,
        identified(state),
        node.values,
        source.schema,
        node.schema,
        relation=node.relation,
    )


def _owner(query: LogicalQuery, level: int, source: Node) -> str:
    alone = level == 1 and not isinstance(source, Joined)
    if alone and query.costly is not None:  # a backlog of its own, shared with nobody
        return f"{query.streams[0].name}/costly/{query.name}"
    return query.streams[0].name if alone else f"{query.name}/{level}"


def _substituted(part: Partial, names: dict[str, Expression]) -> Partial:
    return replace(part, sql=Expression(part.sql).substitute(names).sql)


def _with_base(plan: QueryPlan, state: State) -> QueryPlan:
    return replace(plan, stages=(replace(plan.base, state=state), *plan.stages[1:]))


def _conditions(plan: QueryPlan, stream: str) -> list[Expression]:
    """What ranks ask of the rows of a stream."""
    levels = () if plan.costly is None else plan.costly.levels
    return [level.condition for level in levels if plan.fed[level.input][0] == stream]


def _links(stream: str, plans: Sequence[QueryPlan]) -> tuple[Link, ...]:
    """The functions over the rows of a stream, each once, after those that they build on."""
    functions = [plan.functions for plan in plans if plan.functions is not None]
    found = {one.identity: one for plan in functions for one in plan.links if one.stream == stream}
    return tuple(found.values())


def _columns_read(stream: str, checked: Checked, plans: list[QueryPlan]) -> tuple[str, ...]:
    """The source columns the pipeline needs; all of them where whole late rows are wanted."""
    mine = [plan for plan in plans if stream in plan.streams]
    schema = checked.streams[stream].schema
    if any(plan.late == "side" for plan in mine):
        return schema.names
    read: set[str] = set()
    for condition in (one for plan in mine for one in _conditions(plan, stream)):
        read |= condition.columns
    for state in (state for plan in mine for name, state in plan.fed if name == stream):
        read |= state.where.columns if state.where else set()
        for _, key in (*state.keys, *((c, v) for one in state.lookups for v, c in one.on)):
            read |= key.columns
        for part in state.partials:
            read |= Expression(part.sql).columns
    for link in _links(stream, plans):
        read |= link.columns
    return tuple(name for name in schema.names if name in read)
