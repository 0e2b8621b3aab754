"""Joins: new rows meet old ones along any tree, once each.

Written against :class:`~slackwater.execute.engine.Engine`, so that it runs anywhere. Inputs and
inner nodes keep their rows as runs under identities that do not depend on the tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from slackwater.disorder.periods import Found
from slackwater.execute.duck import DuckEngine
from slackwater.execute.engine import Wanted
from slackwater.execute.shape import JoinShape
from slackwater.plan.join import JoinInput, JoinPlan
from slackwater.plan.sql.joins import JoinWriter
from slackwater.plan.sql.statement import Statement
from slackwater.plan.state import State
from slackwater.plan.tree import JoinNode, Tree, inputs_of, nodes_of
from slackwater.runs.catalog import Catalog
from slackwater.runs.run import Run, new_run, total_rows

Made = dict[frozenset[str], pa.Table]  # new combinations, by the inputs they are of
JOINS = 20  # of a statement at most, about: to plan them takes DuckDB the square of their number
FOUND = pa.schema({name: pa.int64() for name in ("bucket", "step", "results", "given")})


@dataclass(frozen=True, slots=True)
class Watermarks:
    """The watermark before and after a batch, and how much longer than needed rows are kept."""

    after: int
    upto: int
    keep: int

    def parameters(self, plan: JoinPlan) -> dict[str, int]:
        """``live``: what is kept of an input for answers; ``low``: what is kept at all."""
        found = {"after": self.after, "upto": self.upto}
        for number, name in enumerate(plan.graph.names):
            found[f"live{number}"] = self.after - plan.graph.patience(name)
            found[f"low{number}"] = self.after - plan.graph.patience(name) - self.keep
        return found


@dataclass(frozen=True, slots=True)
class JoinRunner:
    """Runs one join for one batch in one engine.

    ``missing`` are the states that the tree of the batch before did not keep: they are made from
    those that it did, as if they had been kept all along. ``rows`` is the shape of the join over
    rows; ``plan`` and ``shape`` are those of the form that the tree has.
    """

    engine: DuckEngine
    rows: JoinShape
    catalog: Catalog
    batch: int
    marks: Watermarks
    fresh: dict[str, Run | None]
    tree: JoinNode
    late: bool
    missing: frozenset[str] = frozenset()

    @property
    def shape(self) -> JoinShape:
        return self.rows.form(self.tree)

    @property
    def plan(self) -> JoinPlan:
        return self.shape.plan

    def run(self) -> pa.Table | None:
        """New results of the join; with ``late`` also those that come too late, marked."""
        return self._results(self._inner_nodes())

    def _results(self, made: Made) -> pa.Table | None:
        active = self._active(self.tree, made)
        if not active:
            return None
        parts = [self.writer.results(self.tree, some) for some in portions(self.tree, active)]
        return self._all(parts, self.tree, made, self.shape.results)

    def shown(self, labels: dict[str, int], schema: pa.Schema) -> pa.Table | None:
        """New results as people see them, in one statement unless there are many inputs."""
        made = self._inner_nodes()
        active = self._active(self.tree, made)
        if not active:
            return None
        if len(portions(self.tree, active)) > 1:
            results = self._results(made)
            return None if results is None else self.present(results, labels, schema)
        return self._run(self.writer.shown(self.tree, active), self.tree, made, schema, labels)

    def present(self, results: pa.Table, labels: dict[str, int], schema: pa.Schema) -> pa.Table:
        """Results that are at hand, as people see them."""
        return self.engine.run(self.writer.present(), schema, labels, {"results": results})

    def given(self, results: pa.Table) -> pa.Table:
        """Those of the results that are in time."""
        return self.engine.run(self.writer.given(), self.shape.results, {}, {"results": results})

    def found(self, results: pa.Table, bucket: int, grain: int, clock: int) -> tuple[Found, ...]:
        """Which slack the results would have needed, by event time."""
        found = self.writer.found(bucket, grain)
        table = self.engine.run(found, FOUND, {"clock": clock}, {"results": results})
        rows = table.to_pylist()
        return tuple(Found(r["bucket"], r["step"], r["results"], r["given"]) for r in rows)

    def made(self, node: JoinNode) -> int:
        """New combinations of an inner node, once it was run."""
        runs = self.catalog.at(self.plan.identity(frozenset(inputs_of(node))))
        return total_rows([run for run in runs if run.batch == self.batch])

    def fresh_rows(self, name: str) -> pa.Table:
        """New rows of an input."""
        run = self._fresh(name)
        return self.engine.load(Wanted([] if run is None else [run], self.shape.input(name)))

    def held_rows(self, name: str) -> Wanted:
        """Earlier rows of an input."""
        return Wanted(self._held(name), self.shape.input(name))

    def _inner_nodes(self) -> Made:
        for one in self.plan.inputs:
            if one.rows is not None and one.state.identity in self.missing:
                self._regroup(one, one.rows)
        made: Made = {}
        for node in nodes_of(self.tree):
            if self.plan.identity(frozenset(inputs_of(node))) in self.missing:
                self._rebuild(node)
            if node is not self.tree:
                made |= self._inner(node, made)
        return made

    @property
    def writer(self) -> JoinWriter:
        return JoinWriter(self.engine.writer, self.plan, self.late)

    def _inner(self, node: JoinNode, made: Made) -> Made:
        """New combinations of an inner node, if any, kept as state for later batches."""
        active = self._active(node, made)
        if not active:
            return {}
        names = frozenset(inputs_of(node))
        schema = self.shape.kept(names)
        parts = [self.writer.kept(node, some) for some in portions(node, active)]
        found = self._all(parts, node, made, schema)
        saved = self.engine.save(found, self._new_run(self.plan.identity(names)), "pane")
        self.catalog.add(saved)
        return {} if saved is None else {names: self.engine.load(Wanted([saved], schema))}

    def _new_run(self, identity: str) -> Run:
        """The run that new combinations become."""
        return new_run(identity, self.batch, "j")

    def _rebuild(self, node: JoinNode) -> None:
        """Make the state of an inner node, as the batch before would have left it.

        What there is of it is left over from a tree whose time ended with the batch before.
        """
        names = frozenset(inputs_of(node))
        found = self._run(self.writer.rebuilt(node), node, {}, self.shape.kept(names))
        run = new_run(self.plan.identity(names), self.batch - 1, "m")
        self.catalog.drop(run.state)
        self.catalog.add(self.engine.save(found, run, "pane"))

    def _regroup(self, one: JoinInput, rows: State) -> None:
        """Make the groups of an input from the rows that it has kept so far."""
        run = new_run(one.state.identity, self.batch - 1, "m")
        fresh = self.fresh.get(run.state)
        self.catalog.drop(run.state)
        held = Wanted(self._past(rows.identity), self.rows.input(one.name))
        self.catalog.add(grouped(self.engine, self.shape, one, held, run))
        self.catalog.add(fresh)

    def _active(self, node: JoinNode, made: Made) -> list[int]:
        """The children that bring anything new."""
        return [n for n, child in enumerate(node.children) if self._is_new(child, made)]

    def _is_new(self, child: Tree, made: Made) -> bool:
        if not isinstance(child, str):
            return frozenset(inputs_of(child)) in made
        run = self._fresh(child)
        if not self.plan.is_ordered:
            return run is not None
        if run is not None and run.low < self.marks.upto:
            return True
        after, upto = self.marks.after, self.marks.upto
        return any(held.high >= after and held.low < upto for held in self._held(child))

    def _fresh(self, name: str) -> Run | None:
        return self.fresh.get(self.plan.input(name).state.identity)

    def _past(self, identity: str) -> list[Run]:
        """What earlier batches left of a state."""
        return [run for run in self.catalog.at(identity) if run.batch != self.batch]

    def _held(self, child: Tree) -> list[Run]:
        """Earlier rows of a child that are not too old to matter."""
        names = frozenset(inputs_of(child))
        runs = self._past(self.plan.identity(names))
        low = self.marks.after - self.marks.keep
        if isinstance(child, str):
            low -= self.plan.graph.patience(child)
        return [run for run in runs if run.high >= low]

    def _all(
        self, statements: Sequence[Statement], node: JoinNode, made: Made, schema: pa.Schema
    ) -> pa.Table:
        """What some statements about a node give together."""
        return pa.concat_tables([self._run(one, node, made, schema) for one in statements])

    def _run(
        self,
        statement: Statement,
        node: JoinNode,
        made: Made,
        schema: pa.Schema,
        labels: dict[str, int] | None = None,
    ) -> pa.Table:
        parameters = self.marks.parameters(self.plan) | (labels or {})
        sources = self._sources(node, made)
        relations = {name: sources[name] for name in statement.reads}
        return self.engine.run(statement, schema, parameters, relations)

    def _sources(self, node: JoinNode, made: Made) -> dict[str, pa.Table | Wanted]:
        """Everything that a statement about a node may read, by name; nothing is loaded yet."""
        found: dict[str, pa.Table | Wanted] = {}
        for number, child in enumerate(node.children):
            names = frozenset(inputs_of(child))
            if isinstance(child, str):
                kind, run = self.shape.input(child), self._fresh(child)
                found[f"f{number}"] = Wanted([] if run is None else [run], kind)
            else:
                kind = self.shape.kept(names)
                found[f"n{number}"] = made.get(names, Wanted([], kind))
            found[f"h{number}"] = Wanted(self._held(child), kind)
        return found


def grouped(
    engine: DuckEngine, shape: JoinShape, one: JoinInput, rows: Wanted, run: Run
) -> Run | None:
    """Rows of an input, saved as the groups of this shape."""
    statement = JoinWriter(engine.writer, shape.plan).grouped(one.name)
    groups = engine.run(statement, shape.input(one.name), {}, {"rows": rows})
    return engine.save(groups, run, "pane")


def portions(node: JoinNode, active: Sequence[int]) -> list[list[int]]:
    """The children that bring anything new, in portions for a statement each."""
    size = max(1, JOINS // (len(node.children) - 1))
    return [list(active[first : first + size]) for first in range(0, len(active), size)]
