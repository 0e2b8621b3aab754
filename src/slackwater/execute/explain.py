"""How a pipeline runs by now: what joins hold and in which order they probe, and why it is so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from slackwater.control.join_plan import choice_of, track_of, tree_of
from slackwater.execute.loop import Loop
from slackwater.migrate.match import inner_states
from slackwater.plan.join import JoinPlan
from slackwater.plan.stage import QueryPlan
from slackwater.plan.tree import show_tree
from slackwater.runs.run import total_rows


def live_lines(loop: Loop[Any]) -> list[str]:
    """What has been found out since the start, as lines for people."""
    lines = []
    for query in loop.policy.plan.queries:
        if query.join is not None:
            lines += [f"query {query.name}: {text}" for text in _join(loop, query, query.join)]
        for controller, why in loop.explained.get(query.name, {}).items():
            reasons = ", ".join(f"{label} {_shown(value)}" for label, value in why.items())
            lines.append(f"query {query.name}: {controller}: {reasons}")
    return lines


def live_value(loop: Loop[Any]) -> dict[str, Any]:
    """The same for machines, by query."""
    return {
        query.name: {
            "controllers": loop.explained.get(query.name, {}),
            **({"join": _join_value(loop, query, query.join)} if query.join else {}),
        }
        for query in loop.policy.plan.queries
    }


def _join(loop: Loop[Any], query: QueryPlan, join: JoinPlan) -> Iterator[str]:
    """Order of probes, expected sizes, rows held."""
    memory = loop.state.of(query.name)
    order, tree = choice_of(memory), tree_of(join, memory)
    for number, name in enumerate(join.graph.names):
        line = f"{name} holds {_held(loop, join.inputs[number].state.identity):,} rows"
        if order is not None and order.sizes:
            sizes = zip(tree.order(number), order.sizes[name], strict=True)
            steps = [f"{tree.children[n]} ({size:,.3g})" for n, size in sizes]
            line += f", {order.rows[name]:,.0f} expected; a row probes {', '.join(steps)}"
        yield line
    track = track_of(memory)
    beside = () if track is None else (track.was,)
    for identity, names in inner_states(join, tree, *beside).items():
        inside = " ".join(name for name in join.graph.names if name in names)
        yield f"({inside}) holds {_held(loop, identity):,} rows"
    if track is not None:
        old = f"{show_tree(track.was)} answers what has a row of before batch {track.since}"
        yield f"{show_tree(tree)} beside {show_tree(track.was)}; {old}"


def _join_value(loop: Loop[Any], query: QueryPlan, join: JoinPlan) -> dict[str, Any]:
    memory = loop.state.of(query.name)
    tree, track = tree_of(join, memory), track_of(memory)
    beside = () if track is None else (track.was,)
    inputs = {one.name: _held(loop, one.state.identity) for one in join.inputs}
    inner = {
        " ".join(name for name in join.graph.names if name in names): _held(loop, identity)
        for identity, names in inner_states(join, tree, *beside).items()
    }
    found = {"tree": show_tree(tree), "rows": inputs | inner}
    return found if track is None else found | {"beside": show_tree(track.was)}


def _held(loop: Loop[Any], state: str) -> int:
    return total_rows(loop.catalog.at(state))


def _shown(value: float | int | str | None) -> str:
    return (
        f"{value:,.6g}" if isinstance(value, float) else "unknown" if value is None else str(value)
    )
