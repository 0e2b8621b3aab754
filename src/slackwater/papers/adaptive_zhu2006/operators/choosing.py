"""Which strategy a migration takes.

Reference: Zhu 2006, ch. 12.4 and 16. Aggregates that cannot be put together from two plans need
moving state, operators whose states nobody knows need parallel track, and so does output that
must not stop; else the shorter one, by the models of lengths with measured rates and selectivities.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Literal

from slackwater.errors import SlackwaterError
from slackwater.papers.adaptive_zhu2006.operators.box import Box
from slackwater.papers.adaptive_zhu2006.operators.lengths import track_length
from slackwater.papers.adaptive_zhu2006.operators.matching import by_meaning, states_of
from slackwater.papers.adaptive_zhu2006.operators.plan import Join, Plan, inputs_of, streams_of
from slackwater.papers.adaptive_zhu2006.operators.query import Equal, Query
from slackwater.papers.adaptive_zhu2006.operators.work import UnitCost

Strategy = Literal["moving", "parallel"]
DISTRIBUTIVE = frozenset(("count", "sum", "min", "max"))


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """Tuples a second of every stream, selectivities, and units that the processor does a ms."""

    rates: Mapping[str, float]
    selectivities: Mapping[Equal, float]
    units_per_ms: float


@dataclass(frozen=True, slots=True)
class Demands:
    """What the query has and what its user wants."""

    is_smooth: bool = False
    aggregates: frozenset[str] = frozenset()
    has_unknown_states: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """A strategy, why, and how long both would take, milliseconds."""

    strategy: Strategy
    why: Literal["aggregate", "unknown states", "smooth output", "shorter"]
    moving_ms: float
    track_ms: float


def choose(query: Query, old: Box, new: Box, measured: Measured, demands: Demands) -> Choice:
    """The strategy for one migration."""
    moving = making_units(query, old, new, measured) / measured.units_per_ms
    track = max(track_length(query.windows.longest, root) for root in old.roots)
    needs_moving = not demands.aggregates <= DISTRIBUTIVE
    if needs_moving and demands.has_unknown_states:
        raise SlackwaterError(
            "MIGRATION_IMPOSSIBLE",
            "an aggregate needs moving state, and other states cannot be moved",
            "migrate a smaller box",
        )
    if needs_moving:
        return Choice("moving", "aggregate", moving, track)
    if demands.has_unknown_states:
        return Choice("parallel", "unknown states", moving, track)
    if demands.is_smooth:
        return Choice("parallel", "smooth output", moving, track)
    return Choice("moving" if moving <= track else "parallel", "shorter", moving, track)


def making_units(
    query: Query, old: Box, new: Box, measured: Measured, cost: UnitCost | None = None
) -> float:
    """Units to make the states that the old box lacks (12.1, 12.3), with the sizes expected."""
    cost, matched = cost or UnitCost(), by_meaning(old, new, query)
    units = 0.0
    for place in (one for one in states_of(new) if one not in matched):
        known: frozenset[str] = frozenset()
        for child in _joined(place.child):
            streams = streams_of(child)
            if known:
                sizes = (expected_rows(query, one, measured) for one in (known, streams))
                units += cost.pair * prod(sizes)
            known |= streams
        units += cost.tuple * expected_rows(query, known, measured)
    return units


def expected_rows(query: Query, streams: Iterable[str], measured: Measured) -> float:
    """How many combinations of these streams lie within a window."""
    inside = frozenset(streams)
    singles = prod(measured.rates[one] * query.windows.longest / 1000 for one in inside)
    edges = [edge for edge in query.edges if edge.streams <= inside]
    return singles * prod(measured.selectivities[edge] for edge in edges)


def _joined(plan: Plan) -> tuple[Plan, ...]:
    while not isinstance(plan, Join):
        below = inputs_of(plan)
        if not below:
            return (plan,)
        [plan] = below
    return plan.inputs
