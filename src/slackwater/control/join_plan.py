"""By which tree a join runs: as written, as chosen once every input has shown rows, or as asked."""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.control.controller import Controller, Moment
from slackwater.control.orders import JoinChoice
from slackwater.control.records import Explanation, QueryMemory, Wants
from slackwater.control.request import Request
from slackwater.plan.join import JoinPlan
from slackwater.plan.order import JoinStatistics, ordered_mjoin, probe_order
from slackwater.plan.stage import QueryPlan
from slackwater.plan.tree import JoinNode, show_tree, tree_over
from slackwater.stats.panes import PaneCount

LONGEST = 300  # characters of a reason: anyone may ask for anything


@dataclass(frozen=True, slots=True)
class Ordered:
    """How a join runs, where its plan leaves that open or a person chose otherwise.

    ``requests`` are the demands for another tree that a batch took, ``refused`` those of them that
    cannot be met, each with the reason.
    """

    choice: JoinChoice | None = None
    requests: tuple[str, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()


class JoinOrder(Controller[JoinPlan, Ordered, Ordered]):
    """The tree of a join: as decided before or by a person, or decided now."""

    name = "join_plan"
    memory = Ordered
    order = Ordered

    def parameters(self, query: QueryPlan) -> JoinPlan | None:
        return query.join

    def wants(self, params: JoinPlan, query: QueryPlan, memory: QueryMemory) -> Wants:
        """Distinct values of columns that are equal, as long as the order is open."""
        if params.tree is not None or choice_of(memory) is not None:
            return Wants()
        equal = {column for members in params.graph.classes for _, column in members}
        return Wants(
            distinct={
                part.state.identity: tuple(name for name, _ in part.state.keys if name in equal)
                for part in params.inputs
            }
        )

    def step(self, params: JoinPlan, moment: Moment, memory: Ordered) -> tuple[Ordered, Ordered]:
        choice = memory.choice
        if choice is None and params.tree is None:
            choice = _chosen(params, moment)
        asked, refused = _asked(moment), []
        for request in asked:
            try:
                choice = JoinChoice(tree_over(str(request.tree), params.graph.names), {}, {})
            except ValueError as error:
                refused.append((request.id, f"{request.tree}: {error}"[:LONGEST]))
        ids = tuple(request.id for request in asked)
        if choice is None and params.tree is not None:
            return Ordered(JoinChoice(params.tree, {}, {}), ids, tuple(refused)), Ordered()
        return Ordered(choice, ids, tuple(refused)), Ordered(choice)

    def explain(self, terms: Ordered) -> Explanation:
        if terms.choice is None:
            return {"tree": None}
        rows = {f"rows of {name}": size for name, size in terms.choice.rows.items()}
        return {"tree": show_tree(terms.choice.tree), **rows}


def _asked(moment: Moment) -> list[Request]:
    """The demands for another tree, oldest first: the last one counts."""
    name = moment.query.name
    return [
        one for one in moment.observation.requests if one.query == name and one.tree is not None
    ]


def _chosen(join: JoinPlan, moment: Moment) -> JoinChoice | None:
    """By the rows that inputs hold and their distinct values, once every input has shown rows."""
    rows: dict[str, float] = {}
    distinct: dict[str, float] = {}
    for part in join.inputs:
        panes = moment.observation.panes.get(part.state.identity, ())
        counts = [c for c in panes if c.low is not None]
        seen = sum(count.rows for count in counts if count.passes)
        if not seen:
            return None
        rows[part.name] = seen * join.graph.patience(part.name) / max(1, _span(counts))
        distinct |= moment.observation.distinct.get(part.state.identity, {})
    found = JoinStatistics(rows, distinct)
    return JoinChoice(
        tree=ordered_mjoin(join.graph, found),
        rows={name: round(size, 1) for name, size in rows.items()},
        sizes={
            name: tuple(round(size, 4) for size in probe_order(join.graph, name, found)[1])
            for name in join.graph.names
        },
    )


def _span(counts: list[PaneCount]) -> int:
    lows = [count.low for count in counts if count.low is not None]
    highs = [count.high for count in counts if count.high is not None]
    return max(highs, default=0) - min(lows, default=0)


def choice_of(memory: QueryMemory) -> JoinChoice | None:
    """The tree of a join that was decided, if it was left open or a person chose another."""
    ordered = memory.find(Ordered)
    return None if ordered is None else ordered.choice


def tree_of(join: JoinPlan, memory: QueryMemory) -> JoinNode:
    """The tree a join runs by."""
    chosen = choice_of(memory)
    return join.tree or join.written if chosen is None else chosen.tree
