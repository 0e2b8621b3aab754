"""By which columns the rows of each state are spread, for every state that a batch may touch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from slackwater.control.turn import Turn
from slackwater.migrate.match import inner_states
from slackwater.plan.spread import Spread
from slackwater.plan.stage import QueryPlan
from slackwater.runs.catalog import answers_state, estimates_state, told_state

Columns = dict[str, tuple[str, ...]]


def columns_of(spread: Spread, turns: Mapping[str, Turn]) -> Columns:
    """By state; those of combinations follow from the trees of this batch and the last."""
    found: Columns = dict(spread.fed)
    for turn in turns.values():
        found |= dict(_of_query(turn, spread))
    return found


def _of_query(turn: Turn, spread: Spread) -> Iterator[tuple[str, tuple[str, ...]]]:
    query = turn.query
    for leg in spread.legs[query.name]:
        for level, names in leg.columns.items():
            if level > 0:
                yield from _of_level(query, level, names, leg.columns.get(level - 1))
    if query.join is not None:
        for one in () if query.join.grouped is None else query.join.grouped.inputs:
            assert one.rows is not None
            yield one.state.identity, spread.fed[one.rows.identity]
        for identity, members in inner_states(query.join, *turn.found, *turn.trees).items():
            yield identity, spread.joined(query.name, members)


def _of_level(
    query: QueryPlan, level: int, names: tuple[str, ...], below: tuple[str, ...] | None
) -> Iterator[tuple[str, tuple[str, ...]]]:
    stage = query.stages[level - 1]
    # a state of rows has answers of the level below, in versions
    yield stage.state.identity, below if stage.state.kind == "rows" and below is not None else names
    yield told_state(query, stage), names
    if level == 1:
        yield answers_state(query), names
    if stage is query.top:
        yield estimates_state(query.name), names
