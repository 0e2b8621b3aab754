"""Joins to which significant rows come: only there promises are kept (spec precedence A14, A16)."""

from __future__ import annotations

from collections.abc import Iterable

from slackwater.precede.pipeline import Pipeline
from slackwater.precede.plan import RankPlan
from slackwater.precede.shared import Shared

Designated = frozenset[int]
"""How far along the designated operators are."""


def designated(pipeline: Pipeline, plan: RankPlan, rank: int) -> Designated:
    """Joins behind a place where a static level of a rank is tested (G15)."""
    places = [edge for level, edge in plan.static if level.rank == rank]
    return frozenset(
        pipeline.positions[operator.name]
        for edge in places
        for operator in pipeline.behind(edge)
        if operator.kind == "join"
    )


def reduced(shared: Shared, found: Iterable[int]) -> Designated:
    """Of joins in a row on one attribute only the last one that is designated.

    A row that promises something for it is classified once, and is preferred on the whole run.
    """
    pipeline, last = shared.pipeline, {}
    for position in sorted(found):
        last[shared.last(pipeline.operators[position - 1]).name] = position
    return frozenset(last.values())
