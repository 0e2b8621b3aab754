"""What a plan costs, and how many rows expire under it (spec precedence 1.13.3).

The source work has no formula; this one is a fluid that is served rank by rank. To classify early
costs a test for every row and protects it on its whole way, to classify late the other way round.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from slackwater.precede.flows import Flow, RowClass
from slackwater.precede.level import DynamicLevel
from slackwater.precede.pipeline import Edge, Operator, Pipeline
from slackwater.precede.plan import RankPlan
from slackwater.precede.standing import Standing
from slackwater.precede.standings import Classification


@dataclass(frozen=True, slots=True)
class UnitCosts:
    """What one action costs, in units of work (Annex C)."""

    queue: float = 0.2
    insert: float = 0.4
    probe: float = 0.4
    output: float = 0.05
    select: float = 0.1
    project: float = 0.1
    static_test: float = 0.02
    dynamic_test: float = 0.01
    statistic: float = 0.01

    def work(self, operator: Operator, flow: Flow) -> float:
        """Units a second that an operator needs for a flow."""
        if operator.kind == "join":
            arrival = self.queue + self.insert + self.probe
            return flow.rate * arrival + flow.pairs * self.output
        per_row = self.select if operator.kind == "select" else self.project
        return flow.rate * (self.queue + per_row)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What is expected of a plan; everything a second.

    ``significant`` and ``promising`` are rows that expire (ER_s, ER_p), from rank 1 on. ``work``
    is what operators need, by the rank that rows carry.
    """

    work: Mapping[int, float]
    classification: float
    statistics: float
    significant: tuple[float, ...]
    promising: tuple[float, ...]

    @property
    def overhead(self) -> float:
        """Work that exists only because there are ranks."""
        return self.classification + self.statistics

    def used(self, rank: int) -> float:
        """What is needed to serve all up to a rank (C_used)."""
        return self.overhead + sum(work for one, work in self.work.items() if one <= rank)


@dataclass(frozen=True, slots=True)
class _Way:
    """The way of a kind of rows that is critical or promises something.

    ``stages`` has for each edge the flows that it is a part of, and their rate; ``promise`` the
    rank that it promises, up to the stage ``near``.
    """

    kind: RowClass
    stages: tuple[tuple[tuple[int, ...], float], ...]
    promise: int | None = None
    near: int = 0


@dataclass(frozen=True)
class Model:
    """What is known when plans are compared: flows, capacity a second, levels that there could be.

    ``ranks`` is how many there are.
    """

    pipeline: Pipeline
    flows: tuple[Flow, ...]
    capacity: float
    ranks: int
    candidates: tuple[DynamicLevel, ...] = ()
    units: UnitCosts = field(default_factory=UnitCosts)

    def demand(self) -> float:
        """What serving all of it first come, first served takes (C_all)."""
        return sum(self._works)

    @cached_property
    def _works(self) -> list[float]:
        named = self.pipeline.by_name
        return [self.units.work(named[flow.edge.operator], flow) for flow in self.flows]

    def estimate(self, plan: RankPlan) -> Estimate:
        standings, classification = self._classified(plan)
        queues = [standing.queue(plan.last_active) for standing in standings]
        work: dict[int, float] = defaultdict(float)
        for rank, units in zip(queues, self._works, strict=True):
            work[rank] += units
        active = plan.last_active is not None
        statistics = sum(flow.rate for flow in self.flows) * self.units.statistic * active
        served = shares(work, self.capacity - classification - statistics)
        passed = [flow.rate * served[rank] for flow, rank in zip(self.flows, queues, strict=True)]
        return Estimate(dict(work), classification, statistics, *self._expired(passed))

    def _classified(self, plan: RankPlan) -> tuple[list[Standing], float]:
        """With what standing each flow waits, and what it took to find that out."""
        found, units = self._classification.find(plan), self.units
        tests = zip(self.flows, found.static_tests, found.dynamic_tests, strict=True)
        return found.each, sum(
            flow.rate * (static * units.static_test + dynamic * units.dynamic_test)
            for flow, static, dynamic in tests
            if static or dynamic
        )

    @cached_property
    def _classification(self) -> Classification:
        return Classification(self.pipeline, self.flows)

    def _expired(self, passed: Sequence[float]) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """ER_s and ER_p by rank; where nothing of a kind comes nothing of it expires."""
        significant, promising = [0.0] * self.ranks, [0.0] * self.ranks
        for way in self._ways:
            left = 1.0
            for number, (flows, rate) in enumerate(way.stages, start=1):
                left *= sum(passed[at] for at in flows) / rate if rate else 1.0
                if way.promise is not None and number == way.near:
                    promising[way.promise - 1] += way.kind.rate * (1 - left)
            if way.kind.rank <= self.ranks:
                significant[way.kind.rank - 1] += way.kind.rate * (1 - left)
        return tuple(significant), tuple(promising)

    @cached_property
    def _ways(self) -> tuple[_Way, ...]:
        """The ways of all kinds of rows that matter."""
        found: dict[RowClass, dict[Edge, list[int]]] = defaultdict(lambda: defaultdict(list))
        for at, flow in enumerate(self.flows):
            for part in flow.parts:
                found[part][flow.edge].append(at)
        ways = (self._way(kind, edges) for kind, edges in found.items())
        return tuple(way for way in ways if way.promise is not None or way.kind.rank <= self.ranks)

    def _way(self, kind: RowClass, edges: Mapping[Edge, Sequence[int]]) -> _Way:
        route = self.pipeline.route(kind.stream)
        each = (tuple(edges.get(edge, ())) for edge in route)
        stages = tuple((flows, sum(self.flows[at].rate for at in flows)) for flows in each)
        promise = best_promise(kind, self._promises(kind))
        if promise is None:
            return _Way(kind, stages)
        positions = self.pipeline.positions
        near = sum(positions[edge.operator] <= promise.until for edge in route)
        return _Way(kind, stages, promise.rank, near)

    def _promises(self, kind: RowClass) -> Iterable[DynamicLevel]:
        """The candidates that a kind of rows meets."""
        for attribute, value in kind.values:
            yield from self._candidates.get((attribute, value), ())

    @cached_property
    def _candidates(self) -> Mapping[tuple[str, Hashable], list[DynamicLevel]]:
        found: dict[tuple[str, Hashable], list[DynamicLevel]] = defaultdict(list)
        for level in self.candidates:
            found[level.attribute, level.value].append(level)
        return dict(found)


def best_promise(one: RowClass, levels: Iterable[DynamicLevel]) -> DynamicLevel | None:
    """What a kind of rows promises: the most critical, then the furthest (Definition 2)."""
    met = [v for v in levels if v.stream == one.stream and v.value == one.value(v.attribute)]
    return min(met, key=lambda level: (level.rank, -level.until), default=None)


def shares(work: Mapping[int, float], capacity: float) -> dict[int, float]:
    """Which share of each rank is served, the most critical first."""
    served, left = {}, max(capacity, 0.0)
    for rank in sorted(work):
        served[rank] = 1.0 if work[rank] <= left else left / work[rank]
        left = max(left - work[rank], 0.0)
    return served
