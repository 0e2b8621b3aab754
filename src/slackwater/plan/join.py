"""Joins ready to run: what each input keeps, and what combinations of inputs mean as state."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from slackwater.plan.graph import (
    JoinGraph,
    Predicate,
    conjuncts,
    equal_classes,
    equality_columns,
    inner_equalities,
)
from slackwater.plan.node import (
    Filter,
    Joined,
    Named,
    Node,
    Scan,
    Stamp,
    collapse,
    meaning_of,
    stamp_of,
)
from slackwater.plan.partial import Partial
from slackwater.plan.product import followed
from slackwater.plan.robust import ROBUST, RobustPlan
from slackwater.plan.state import State
from slackwater.plan.tree import JoinNode, Tree, mjoin, nodes_of, read_tree, show_tree
from slackwater.query.expression import Expression, column, type_of
from slackwater.query.schema import NOTHING, Schema
from slackwater.units import fingerprint

ADAPTIVE = ("adaptive", "auto")  # the same, once by an older name
OPEN = (*ADAPTIVE, ROBUST)  # the engine chooses
OUTER_TREE = "with optional streams a join has one node, over rows"
WAITING_STEPS = 8  # of a window: rows that wait are served by such steps of their times


@dataclass(frozen=True, slots=True)
class JoinInput:
    """One input of a join: its name there, its stream, and the rows it keeps.

    Where it keeps groups of rows, ``rows`` is the state of those that they are made of.
    """

    name: str
    stream: str
    state: State
    rows: State | None = None


@dataclass(frozen=True, slots=True)
class JoinPlan:
    """A join ready to run.

    ``values`` define the result columns over the joined ones; empty if aggregates follow.
    ``carried`` are the joined columns that are needed once all inputs are together. ``tree`` is
    ``None`` where the order is to be chosen from statistics. ``is_measured``: rows remember when
    they came, so that results can be measured. ``joined`` are all columns of all inputs.
    ``grouped`` is the same join over groups of rows, else ``ungrouped`` says why there is none.
    ``robust`` asks for plans that are prepared, from which each batch takes one.
    """

    query: str
    graph: JoinGraph
    inputs: tuple[JoinInput, ...]
    values: tuple[Named, ...]
    carried: tuple[str, ...]
    output: Schema
    emit: str
    tree: JoinNode | None
    is_measured: bool = False
    joined: Schema = NOTHING
    is_grouped: bool = False
    grouped: JoinPlan | None = None
    ungrouped: str = ""
    robust: RobustPlan | None = None

    def form(self, tree: JoinNode) -> JoinPlan:
        """The join as this tree runs it: over rows, or over groups of them."""
        if tree.is_grouped == self.is_grouped:
            return self
        assert self.grouped is not None, show_tree(tree)
        return self.grouped

    def check(self, tree: JoinNode) -> JoinNode:
        """The tree, if the join can run by it; raises ``ValueError`` with the reason."""
        if self.is_outer and (tree.is_grouped or len(nodes_of(tree)) > 1):
            raise ValueError(OUTER_TREE)
        if tree.is_grouped and self.grouped is None and not self.is_grouped:
            raise ValueError(f"rows cannot be kept in groups: {self.ungrouped}")
        return tree

    @property
    def stamp(self) -> Stamp:
        """The type of event times, the same for all inputs."""
        return self.inputs[0].state.stamp

    @property
    def is_ordered(self) -> bool:
        return self.emit == "ordered"

    @property
    def is_outer(self) -> bool:
        """Whether results may lack inputs."""
        return bool(self.graph.optional)

    @property
    def written(self) -> JoinNode:
        """One m-way join: each input probes along predicates, as listed among those."""
        return followed(self.graph, mjoin(self.graph.names))

    def input(self, name: str) -> JoinInput:
        return next(i for i in self.inputs if i.name == name)

    def common_values(self, name: str) -> tuple[tuple[int, Expression], ...]:
        """The columns of an input that are equal to others in results, over its raw rows, as text:
        one for each class of equal columns, with its number. Those that have no sure text are left
        out.
        """
        own = self.input(name).state
        raw = dict(own.keys)
        mine = [
            (number, next((col for owner, col in members if owner == name), None))
            for number, members in enumerate(self.graph.classes)
        ]
        texts = [
            (number, Expression(f"CAST({raw[col].sql} AS STRING)"))
            for number, col in mine
            if col is not None
        ]
        return tuple(one for one in texts if type_of(one[1], own.input) is not None)

    def columns(self, names: frozenset[str]) -> tuple[str, ...]:
        """The joined columns that a combination of these inputs must still have."""
        owner = {c: i.name for i in self.inputs for c, _ in i.state.keys}
        needed = set(self.carried)
        for predicate in self.graph.predicates:
            if not predicate.inputs <= names:
                needed |= predicate.expression.columns
        for members in self.graph.classes:
            if not {name for name, _ in members} <= names:
                needed |= {col for _, col in members}
        return tuple(c for c, name in owner.items() if name in names and c in needed)

    def partials(self, names: frozenset[str]) -> tuple[Partial, ...]:
        """Of groups of rows: the partials that a combination of these inputs has."""
        return tuple(p for i in self.inputs if i.name in names for p in i.state.partials)

    def identity(self, names: frozenset[str]) -> str:
        """What rows over these inputs mean: the same for every plan of the query that keeps them.

        Which combinations there are by now depends on the query's own watermark, so other queries
        keep their own.
        """
        if len(names) == 1:
            return self.input(next(iter(names))).state.identity
        inside = [p.expression.sql for p in self.graph.predicates if p.inputs <= names]
        equal = [
            sorted(col for name, col in members if name in names) for members in self.graph.classes
        ]
        ordered = [name for name in self.graph.names if name in names]
        reach = [[self.graph.reach_between(a, b) for b in ordered] for a in ordered]
        states = [self.input(name).state.identity for name in ordered]
        return fingerprint(
            [
                self.query,
                states,
                sorted(inside),
                sorted(equal),
                reach,
                self.columns(names),
                self.emit,
            ]
        )


def with_graph(joined: Joined, where: Expression | None) -> tuple[JoinGraph, tuple[Node, ...]]:
    """The graph of a join and its inputs, predicates on one input pushed down to it.

    ``where`` is a filter above the join: a predicate like the others, unless it asks about an
    optional input.
    """
    owner = {c.name: c.of[0] for c in joined.schema.columns if c.of}
    extra = conjuncts(where) if where is not None else []
    above = [p for p in extra if {owner[column] for column in p.columns} & joined.optional]
    extra = [part for part in extra if part not in above]
    parts = [part for p in joined.predicates for part in conjuncts(p)] + extra
    pairs: list[tuple[str, str]] = []
    predicates: list[Predicate] = []
    filters: dict[str, list[Expression]] = {name: [] for name in joined.names}
    for part in parts:
        names = frozenset(owner[col] for col in part.columns)
        if (
            not names and joined.optional
        ):  # what is about nothing decides before anything is missing
            names = frozenset({next(n for n in joined.names if n not in joined.optional)})
        pair = equality_columns(part)
        if len(names) == 1:
            filters[next(iter(names))].append(part)
        elif pair is not None:
            pairs.append(pair)
        else:
            predicates.append(Predicate(part, names or frozenset(joined.names)))
    classes = equal_classes(pairs, owner)
    for name, found in inner_equalities(classes).items():
        filters[name] += found
    graph = JoinGraph(
        joined.names, joined.reach, classes, tuple(predicates), joined.optional, tuple(above)
    )
    inputs = tuple(
        _filtered(node, name, filters[name])
        for name, node in zip(joined.names, joined.inputs, strict=True)
    )
    return graph, inputs


def _filtered(node: Node, name: str, filters: Iterable[Expression]) -> Node:
    own = {f"{name}_{c}": column(c) for c in node.schema.names}
    for predicate in filters:
        node = Filter(node, predicate.substitute(own))
    return node


def lay_out_join(
    joined: Joined,
    above: tuple[Expression | None, tuple[Named, ...] | None, Iterable[str]],
    query: str,
    *,
    output: Schema,
    clock: str | None,
    alone: str | None = None,
) -> JoinPlan:
    """The plan of the join of a query.

    ``above``: the filter above it, its result columns (``None`` if aggregates follow) and the
    joined columns that are read. ``clock`` names the clock on which rows remember when they came,
    if results are measured. ``alone`` names the query if its rows wait for their turn: no other
    one has the same.
    """
    where, values, read = above
    graph, nodes = with_graph(joined, where)
    between = {col for members in graph.classes for _, col in members}
    between |= {col for p in graph.predicates for col in p.expression.columns}
    wanted = {*read, *(column for part in graph.above for column in part.columns)}
    carried = tuple(name for name in joined.schema.names if name in wanted)
    steps = 100 if alone is None else WAITING_STEPS
    grain = max(1000, min(graph.patience(name) for name in graph.names) // steps)
    needed = between | set(carried)
    inputs = tuple(
        _input(
            node,
            name,
            needed,
            clock or "",
            grain,
            alone=None if alone is None else f"{alone}/{name}",
        )
        for name, node in zip(joined.names, nodes, strict=True)
    )
    tree = _tree(joined, graph)
    measured = clock is not None
    return JoinPlan(
        query,
        graph,
        inputs,
        values or (),
        carried,
        output,
        joined.emit,
        tree,
        measured,
        joined.schema,
        robust=joined.robust,
    )


def _tree(joined: Joined, graph: JoinGraph) -> JoinNode | None:
    if joined.order in OPEN:
        return None
    tree: Tree = mjoin(joined.names) if joined.order == "written" else read_tree(joined.order)
    assert isinstance(tree, JoinNode)
    return followed(graph, tree)


def _input(
    node: Node, name: str, needed: set[str], clock: str, grain: int, *, alone: str | None
) -> JoinInput:
    where, names, scan = collapse(node)
    assert isinstance(scan, Scan)
    columns = tuple((f"{name}_{c}", value) for c, value in names.items() if f"{name}_{c}" in needed)
    looked_up = [meaning_of(scan.lookups)] if scan.lookups else []
    meaning = [clock, scan.stream, where.sql if where else None, [[c, v.sql] for c, v in columns]]
    state = State(
        identity=fingerprint(["input", meaning, *([alone] if alone else []), *looked_up]),
        kind="input",
        owner=f"{scan.stream}/costly/{alone}" if alone else scan.stream,
        where=where,
        keys=columns,
        pane=grain,
        offset=0,
        partials=(),
        stamp=stamp_of(scan),
        input=scan.schema,
        lookups=scan.lookups,
    )
    return JoinInput(name, scan.stream, state)
