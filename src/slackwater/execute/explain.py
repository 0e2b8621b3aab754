"""How a pipeline runs by now: what joins hold and in which order they probe, and why it is so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from slackwater.control.join_plan import choice_of, track_of, tree_of
from slackwater.errors import SlackwaterError
from slackwater.execute.held import held_by
from slackwater.execute.loop import Loop
from slackwater.execute.prepared import prepared_lines, prepared_value
from slackwater.history.follow import newest_history
from slackwater.history.history import History
from slackwater.history.join_standing import join_lines, standing_of
from slackwater.plan.join import JoinPlan
from slackwater.plan.stage import QueryPlan
from slackwater.plan.tree import show_tree
from slackwater.runs.run import total_rows


def live_lines(loop: Loop[Any]) -> list[str]:
    """What has been found out since the start, as lines for people."""
    lines, told = [], _told(loop)
    for query in loop.policy.plan.queries:
        if query.join is not None:
            lines += [f"query {query.name}: {text}" for text in _join(loop, query, query.join)]
            found = prepared_lines(query.join.graph, loop.state.of(query.name))
            lines += [f"query {query.name}: {text}" for text in found]
        if (standing := standing_of(told, query.name)) is not None:
            lines += [f"query {query.name}: {text}" for text in join_lines(standing, told.newest)]
        for controller, why in loop.explained.get(query.name, {}).items():
            reasons = ", ".join(f"{label} {_shown(value)}" for label, value in why.items())
            lines.append(f"query {query.name}: {controller}: {reasons}")
    return lines


def live_value(loop: Loop[Any]) -> dict[str, Any]:
    """The same for machines, by query."""
    told = _told(loop)
    return {
        query.name: {
            "controllers": loop.explained.get(query.name, {}),
            **({"join": _join_value(loop, query, query.join, told)} if query.join else {}),
        }
        for query in loop.policy.plan.queries
    }


def _told(loop: Loop[Any]) -> History:
    """How joins ran, by the log: it remembers what happened before a restart."""
    if all(query.join is None for query in loop.policy.plan.queries):
        return History()
    try:
        return newest_history(loop.checkpoint.folder)
    except SlackwaterError:  # a log that cannot be read takes nothing from what the loop knows
        return History()


def _join(loop: Loop[Any], query: QueryPlan, join: JoinPlan) -> Iterator[str]:
    """Order of probes, expected sizes, rows held."""
    memory = loop.state.of(query.name)
    order, tree = choice_of(memory), tree_of(join, memory)
    for number, name in enumerate(join.graph.names):
        state = join.form(tree).inputs[number].state
        line = f"{name} holds {_held(loop, state.identity):,} rows"
        if order is not None and order.sizes:
            sizes = zip(tree.order(number), order.sizes[name], strict=True)
            steps = [f"{tree.children[n]} ({size:,.3g})" for n, size in sizes]
            line += f", {order.rows[name]:,.0f} expected; a row probes {', '.join(steps)}"
        yield line
    for identity, names in held_by(join, memory).items():
        if len(names) > 1:
            yield f"({' '.join(names)}) holds {_held(loop, identity):,} rows"
    if (track := track_of(memory)) is not None:
        old = f"{show_tree(track.was)} answers what has a row of before batch {track.since}"
        yield f"{show_tree(tree)} beside {show_tree(track.was)}; {old}"


def _join_value(loop: Loop[Any], query: QueryPlan, join: JoinPlan, told: History) -> dict[str, Any]:
    memory = loop.state.of(query.name)
    track, standing = track_of(memory), standing_of(told, query.name)
    prepared = prepared_value(memory)
    held = Counter[str]()  # rows and groups of an input are two states
    for state, names in held_by(join, memory).items():
        held[" ".join(names)] += _held(loop, state)
    return {
        **(standing.to_json() if standing is not None else {}),
        "tree": show_tree(tree_of(join, memory)),
        "rows": dict(held),
        **({} if track is None else {"beside": show_tree(track.was)}),
        **({} if prepared is None else {"prepared": prepared}),
    }


def _held(loop: Loop[Any], state: str) -> int:
    return total_rows(loop.catalog.at(state))


def _shown(value: float | int | str | None) -> str:
    return (
        f"{value:,.6g}" if isinstance(value, float) else "unknown" if value is None else str(value)
    )
