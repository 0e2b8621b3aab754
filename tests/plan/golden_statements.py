"""The statements of a query for DuckDB, in the order in which they are run.

Each says what it reads and what to call what it gives, so that it can be run as well as read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from slackwater.plan.join import JoinInput, JoinPlan
from slackwater.plan.sql.estimates import MARKS, paired, reading, spoken
from slackwater.plan.sql.joins import JoinWriter
from slackwater.plan.sql.statement import Statement
from slackwater.plan.sql.unmatched import UnmatchedWriter
from slackwater.plan.sql.windows import Writer
from slackwater.plan.stage import QueryPlan, Stage
from slackwater.plan.tree import JoinNode, Tree, inputs_of, nodes_of

WRITER = Writer()
RESULTS = "join results"
BUCKET, GRAIN = 1_000_000, 10_000


@dataclass(frozen=True)
class Golden:
    """``kind`` is the name of its writer; one without a ``case`` only makes what others read."""

    kind: str
    case: str
    statement: Statement
    reads: Mapping[str, str | tuple[str, ...]]
    gives: str = field(default="", kw_only=True)

    @property
    def text(self) -> str:
        return self.statement.text


def statements(case: str, query: QueryPlan) -> Iterator[Golden]:
    if query.join is not None:
        yield from _join(case, query, query.join)
    for stage in query.stages:
        yield from _panes(case, query, stage)
        yield from _answers(_level(case, stage), stage, revised=query.late == "revise")
    if query.stages:
        yield from _shown(case, query)
    if query.estimates is not None:
        yield from _estimates(case, query)


def _level(case: str, stage: Stage) -> str:
    return case if stage.level == 1 else f"{case}, level {stage.level}"


# windows -----------------------------------------------------------------------------------------


def _panes(case: str, query: QueryPlan, stage: Stage) -> Iterator[Golden]:
    """What a level reads: partials of rows, of results of a join, or of the level below."""
    panes, name = f"panes {stage.level}", _level(case, stage)
    if stage.level == 1:
        kind, text = "partial", WRITER.partial(stage.state, joined=True)
        if query.join is not None and query.join.tree is not None and query.join.tree.is_grouped:
            kind, text = "partial_of_groups", WRITER.partial_of_groups(stage.state)
        source = f"raw {query.stream}" if query.join is None else RESULTS
        yield Golden(kind, case if query.join else "", text, {"input": source}, gives=panes)
    else:
        below = query.stages[stage.level - 2]
        rows = f"results {below.level}"
        if stage.state.kind == "rows":
            newest, touched = f"newest {stage.level}", f"touched {stage.level}"
            yield Golden("latest", name, WRITER.latest(below), {"rows": rows}, gives=newest)
            both = {"rows": rows, "delta": rows}
            yield Golden("versions", name, WRITER.versions(below), both, gives=touched)
            rows = newest
        text = WRITER.partial(stage.state)
        yield Golden("partial", name, text, {"input": rows}, gives=panes)
    if stage.state.kind == "panes":
        yield Golden("merge", name, WRITER.merge(stage.state), {"panes": panes})


def _answers(case: str, stage: Stage, *, revised: bool) -> Iterator[Golden]:
    panes = {"panes": f"panes {stage.level}"}
    overlap, results = stage.window.overlap, f"results {stage.level}"
    if overlap > 1:
        few = WRITER.finals(stage, overlap - 1)
        yield Golden("finals", f"{case}, few windows", few, panes)
    yield Golden("finals", case, WRITER.finals(stage, overlap), panes, gives=results)
    if revised:
        changed = f"changed {stage.level}"
        delta = {"delta": panes["panes"]}
        yield Golden("changed", case, WRITER.changed(stage), delta, gives=changed)
        reads = {**panes, "changed": changed, "told": results}
        yield Golden("revise", case, WRITER.revise(stage), reads)


def _shown(case: str, query: QueryPlan) -> Iterator[Golden]:
    top = query.top
    results = {"results": f"results {top.level}"}
    yield Golden("present", case, WRITER.present(top), results, gives="shown")
    panes = {"panes": f"panes {top.level}"}
    if query.promise is not None:
        text = WRITER.measure(top, query.promise.columns, 1)
        yield Golden("measure", case, text, {**panes, "answers": results["results"]})
    elif query.late != "revise" and top is query.base:
        yield Golden("present", f"{case}, at once", WRITER.shown(top, 1), panes)


# estimates ---------------------------------------------------------------------------------------


def _estimates(case: str, query: QueryPlan) -> Iterator[Golden]:
    assert query.estimates is not None
    assert query.estimable is not None
    top, columns = query.top, query.estimable
    held = {
        stage.state.identity: f"results {stage.level - 1}"
        if stage.state.kind == "rows"
        else f"panes {stage.level}"
        for stage in query.stages
    }
    steps = reading(WRITER, query.stages)
    for step in steps:
        reads = {
            name: tuple(held.get(source, source) for source in sources)
            for name, sources in step.reads.items()
        }
        yield Golden("reading", f"{case}, {step.name}", step.statement, reads, gives=step.name)
    names = (top.keys, tuple(name for name, _ in top.values))
    asked = [source.where for source in query.estimates.sources]
    text = spoken(WRITER, names, columns, asked, top.output, stamp=top.state.stamp)
    opened = {"opened": steps[-1].name, MARKS: "some marks"}
    yield Golden("marks", "", Statement(_marks(columns.numeric), ()), {}, gives="some marks")
    yield Golden("spoken", case, text, opened, gives="said")
    text = paired(WRITER, top.keys, columns, top.state.stamp)
    yield Golden("paired", case, text, {"said": "said", "finals": "shown"})


def _marks(values: tuple[str, ...]) -> str:
    bands = [
        f"1.0::DOUBLE AS {WRITER.name(f'{v}_{end}')}" for v in values for end in ("low", "high")
    ]
    beside = ", ".join(["0::BIGINT AS __start", "0::INT AS __ask", "'p' AS prod", *bands])
    return (
        f"SELECT {beside}, 1::INT AS revision, 0.5::DOUBLE AS coverage, "
        "0.5::DOUBLE AS __age, true AS __keep"
    )


# joins -------------------------------------------------------------------------------------------


def _join(case: str, query: QueryPlan, plan: JoinPlan) -> Iterator[Golden]:
    late = query.late == "revise" or query.recall is not None
    tree = plan.tree
    assert tree is not None
    writer = JoinWriter(WRITER, plan.form(tree), late)
    for one in plan.inputs:
        rows = Statement(_kept_rows(one, measured=plan.is_measured), ("raw",))
        kept = f"single {_of(one.name)}" if tree.is_grouped else _of(one.name)
        yield Golden("input", "", rows, {"raw": f"raw {one.stream}"}, gives=kept)
        if tree.is_grouped:
            name, text = f"{case}, {one.name}", writer.grouped(one.name)
            yield Golden("grouped", name, text, {"rows": kept}, gives=_of(one.name))
    for node in nodes_of(tree)[:-1]:
        everyone = range(len(node.children))
        name = f"{case}, ({' '.join(inputs_of(node))})"
        yield Golden("kept", name, writer.kept(node, everyone), _children(node), gives=_of(node))
        only = writer.kept(node, everyone[:1])
        yield Golden("kept", f"{name}, one child", only, _children(node))
    if plan.is_outer:
        yield from _lacking(case, plan, late=late)
    at_once = not late and not query.stages and not plan.is_outer
    yield from (
        _shown_at_once(case, writer, tree) if at_once else _results(case, query, writer, tree)
    )


def _lacking(case: str, plan: JoinPlan, *, late: bool) -> Iterator[Golden]:
    writer = UnmatchedWriter(WRITER, plan)
    rows = {f"{kind}{n}": _of(one.name) for n, one in enumerate(plan.inputs) for kind in "fh"}
    yield Golden("settled", case, writer.settled(), rows)
    if late:
        yield Golden("taken_back", case, writer.revised(), rows)


def _shown_at_once(case: str, writer: JoinWriter, tree: JoinNode) -> Iterator[Golden]:
    everyone = range(len(tree.children))
    yield Golden("shown", case, writer.shown(tree, everyone), _children(tree))
    only = writer.shown(tree, everyone[-1:])
    yield Golden("shown", f"{case}, one child", only, _children(tree))


def _results(case: str, query: QueryPlan, writer: JoinWriter, tree: JoinNode) -> Iterator[Golden]:
    everyone, results = range(len(tree.children)), {"results": RESULTS}
    text = writer.results(tree, everyone)
    yield Golden("results", case, text, _children(tree), gives=RESULTS)
    only = writer.results(tree, everyone[-1:])
    yield Golden("results", f"{case}, one child", only, _children(tree))
    if query.recall is not None:
        yield Golden("found", case, writer.found(BUCKET, GRAIN), results)
        yield Golden("given", case, writer.given(), results)
    if not query.stages:
        yield Golden("join_present", case, writer.present(), results)


def _kept_rows(one: JoinInput, *, measured: bool) -> str:
    """Rows as an input of a join keeps them, made from raw ones."""
    state = one.state
    columns = [
        f"{WRITER.render(value, state.input)} AS {WRITER.name(n)}" for n, value in state.keys
    ]
    at = ["__ts AS __at"] if measured else []
    where = f" WHERE {WRITER.render(state.where, state.input)}" if state.where else ""
    return f"SELECT {', '.join(['__ts AS pane', *columns, *at])} FROM raw{where}"


def _children(node: JoinNode) -> dict[str, str]:
    """What a node reads: fresh and held rows of inputs, new and held combinations of nodes."""
    found = {}
    for number, child in enumerate(node.children):
        new = "f" if isinstance(child, str) else "n"
        found |= {f"{new}{number}": _of(child), f"h{number}": _of(child)}
    return found


def _of(tree: Tree) -> str:
    return f"rows of {' '.join(inputs_of(tree))}"
