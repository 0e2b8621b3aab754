"""What operators count, and what becomes of it when all have told (spec precedence 2.8, A19)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from slackwater.precede.classifier import JudgedRow
from slackwater.precede.domain import Domain
from slackwater.precede.frequency import Frequencies
from slackwater.precede.frequent import ExactTally, SketchTally, Tally
from slackwater.precede.level import NO_RANK, StaticLevel, potential_rank
from slackwater.precede.pipeline import stream_of
from slackwater.precede.predicate import Row
from slackwater.precede.shared import Shared

Group = tuple[str, str, int | None]
"""Attribute, stream, and rank; without a rank: all rows."""
Counts = Mapping[Group, Mapping[Hashable, int]]


@dataclass(frozen=True, slots=True)
class MonitorParams:
    """``threshold``: the share a value must have; ``error``: of counts; ``base``: the share of
    what: the rows of one rank, or of the whole stream (G17). An error of 0 counts exactly.
    """

    threshold: float = 0.05
    error: float = 0.005
    base: Literal["group", "stream"] = "group"
    domain: Domain = field(default_factory=Domain)

    def tally(self) -> Tally:
        return SketchTally(self.error) if self.error > 0 else ExactTally()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What one operator counted in one period."""

    operator: str
    period: int
    arrived: Counts
    expired: Counts


class Watch:
    """Counts what comes to one operator, and what expires in front of it."""

    def __init__(
        self, shared: Shared, operator: str, levels: Iterable[StaticLevel], params: MonitorParams
    ) -> None:
        self._operator, self._levels, self._params = operator, tuple(levels), params
        here = shared.pipeline.positions[operator]
        positions = shared.pipeline.positions
        later = [join.name for join in shared.pipeline.joins if positions[join.name] >= here]
        found = {shared.column(s, join) for join in later for s in shared.pipeline.streams}
        self._columns = tuple(sorted(column for column in found if column is not None))
        self._arrived = self._empty()
        self._expired = self._empty()

    def _empty(self) -> defaultdict[Group, Tally]:
        return defaultdict(self._params.tally)

    def arrive(self, row: Row) -> None:
        self._count(self._arrived, row)

    def expire(self, row: Row) -> None:
        self._count(self._expired, row)

    def _count(self, tallies: defaultdict[Group, Tally], row: Row) -> None:
        judged = JudgedRow(row, self._params.domain)
        for column in self._columns:
            values = [*judged.values(column)]
            if not values:
                continue  # most rows lack most columns; levels take their time
            stream = stream_of(column)
            rank = potential_rank(row, (one for one in self._levels if one.stream == stream))
            for value in values:
                tallies[column, stream, None].update(value)
                if rank != NO_RANK:
                    tallies[column, stream, rank].update(value)

    def snapshot(self, period: int) -> Snapshot:
        """What was counted since the last one; values that come rarely are left out."""
        told = [self._told(tallies) for tallies in (self._arrived, self._expired)]
        self._arrived, self._expired = self._empty(), self._empty()
        return Snapshot(self._operator, period, *told)

    def _told(self, tallies: Mapping[Group, Tally]) -> Counts:
        return {
            group: tally.get(self._params.threshold * self._base(tallies, group))
            for group, tally in tallies.items()
        }

    def _base(self, tallies: Mapping[Group, Tally], group: Group) -> int:
        column, stream, _ = group
        return tallies[group if self._params.base == "group" else (column, stream, None)].total


@dataclass(frozen=True, slots=True)
class Monitor:
    """Waits until every operator has told of a period (PR Monitor)."""

    shared: Shared
    told: tuple[Snapshot, ...] = ()

    def step(self, snapshot: Snapshot) -> tuple[Monitor, Frequencies | None]:
        """With one more snapshot; the frequencies once it is the last one of its period."""
        mine = [one for one in self.told if one.period == snapshot.period]
        mine = [*(one for one in mine if one.operator != snapshot.operator), snapshot]
        if {one.operator for one in mine} != {*self.shared.pipeline.by_name}:
            others = tuple(one for one in self.told if one.period != snapshot.period)
            return Monitor(self.shared, (*others, *mine)), None
        later = tuple(one for one in self.told if one.period > snapshot.period)
        return Monitor(self.shared, later), frequencies(self.shared, mine)


def frequencies(shared: Shared, told: Iterable[Snapshot]) -> Frequencies:
    """What came to each join, and what would have come had it not expired on its way (1.11)."""
    by_name = {snapshot.operator: snapshot for snapshot in told}
    significant: dict[tuple[str, str, int, Hashable], float] = defaultdict(float)
    arrived: dict[tuple[str, str, Hashable], float] = defaultdict(float)
    for join in shared.pipeline.joins:
        for stream in shared.streams(join.name):
            for (_, _, rank), counts in _on_the_way(shared, by_name, join.name, stream):
                for value, count in counts.items():
                    if rank is None:
                        arrived[join.name, stream, value] += count
                    else:
                        significant[join.name, stream, rank, value] += count
    return Frequencies(dict(significant), dict(arrived))


def _on_the_way(
    shared: Shared, told: Mapping[str, Snapshot], join: str, stream: str
) -> list[tuple[Group, Mapping[Hashable, int]]]:
    """Counts of a stream by the value of a join: arrived there, expired in front of others."""
    column = shared.column(stream, join)
    route = [edge.operator for edge in shared.pipeline.route(stream)]
    before = [told[name].expired for name in route[: route.index(join)]]
    every = [*before, told[join].arrived]
    return [(group, counts) for one in every for group, counts in one.items() if group[0] == column]
