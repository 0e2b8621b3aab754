"""In which order a join probes: chosen once, when every input has shown rows."""

from __future__ import annotations

from typing import Any

from slackwater.control.records import ControlState, Observation
from slackwater.plan.order import JoinStatistics, ordered_mjoin, probe_order
from slackwater.plan.stage import QueryPlan
from slackwater.plan.tree import JoinNode, tree_from_json, tree_to_json
from slackwater.stats.panes import PaneCount


def order_after(
    query: QueryPlan, observation: Observation, state: ControlState
) -> dict[str, Any] | None:
    """The order of a join whose plan leaves it open: as decided before, or decided now."""
    known = state.orders.get(query.name)
    if known is not None or query.join is None or query.join.tree is not None:
        return known
    rows: dict[str, float] = {}
    distinct: dict[str, float] = {}
    for part in query.join.inputs:
        counts = [c for c in observation.panes.get(part.state.identity, ()) if c.low is not None]
        seen = sum(count.rows for count in counts if count.passes)
        if not seen:
            return None
        rows[part.name] = seen * query.join.graph.patience(part.name) / max(1, _span(counts))
        distinct |= observation.distinct.get(part.state.identity, {})
    found = JoinStatistics(rows, distinct)
    graph = query.join.graph
    return {
        "tree": tree_to_json(ordered_mjoin(graph, found)),
        "rows": {name: round(size, 1) for name, size in rows.items()},
        "sizes": {
            name: [round(size, 4) for size in probe_order(graph, name, found)[1]]
            for name in graph.names
        },
    }


def _span(counts: list[PaneCount]) -> int:
    lows = [count.low for count in counts if count.low is not None]
    highs = [count.high for count in counts if count.high is not None]
    return max(highs, default=0) - min(lows, default=0)


def tree_of(query: QueryPlan, state: ControlState) -> JoinNode:
    """The tree a join runs by."""
    assert query.join is not None
    chosen = state.orders.get(query.name)
    if chosen is None:
        return query.join.tree or query.join.written
    tree = tree_from_json(chosen["tree"])
    assert isinstance(tree, JoinNode)
    return tree


def undecided(queries: tuple[QueryPlan, ...], state: ControlState) -> dict[str, tuple[str, ...]]:
    """By input of joins without an order yet: the columns whose distinct values matter."""
    found: dict[str, tuple[str, ...]] = {}
    for query in queries:
        if query.join is None or query.join.tree is not None or query.name in state.orders:
            continue
        equal = {col for members in query.join.graph.classes for _, col in members}
        for part in query.join.inputs:
            columns = tuple(name for name, _ in part.state.keys if name in equal)
            found[part.state.identity] = columns
    return found
