"""What a plan costs, and how many rows expire under it (spec precedence 1.13.3).

The source work has no formula; this one is a fluid that is served rank by rank. To classify early
costs a test for every row and protects it on its whole way, to classify late the other way round.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from slackwater.precede.classifier import can_gain, classify
from slackwater.precede.flows import Flow, RowClass
from slackwater.precede.level import DynamicLevel
from slackwater.precede.pipeline import Edge, Operator, Pipeline
from slackwater.precede.plan import RankPlan
from slackwater.precede.standing import UNRANKED, Standing


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
        return sum(self._works())

    def _works(self) -> list[float]:
        named = self.pipeline.by_name
        return [self.units.work(named[flow.edge.operator], flow) for flow in self.flows]

    def estimate(self, plan: RankPlan) -> Estimate:
        standings, classification = self._classified(plan)
        queues = [standing.queue(plan.last_active) for standing in standings]
        work: dict[int, float] = defaultdict(float)
        for rank, units in zip(queues, self._works(), strict=True):
            work[rank] += units
        active = plan.last_active is not None
        statistics = sum(flow.rate for flow in self.flows) * self.units.statistic * active
        served = shares(work, self.capacity - classification - statistics)
        passed = _passed(self.flows, [served[rank] for rank in queues])
        return Estimate(dict(work), classification, statistics, *self._expired(passed))

    def _classified(self, plan: RankPlan) -> tuple[list[Standing], float]:
        """With what standing each flow waits, and what it took to find that out."""
        standings: list[Standing] = []
        total = 0.0
        for flow in self.flows:
            standing = self._arriving(flow, standings)
            at = plan.assessment(flow.edge)
            if can_gain(standing, at):
                standing, static, dynamic = classify(standing, at, flow)
                tests = static * self.units.static_test + dynamic * self.units.dynamic_test
                total += flow.rate * tests
            standings.append(standing)
        return standings, total

    def _arriving(self, flow: Flow, standings: Sequence[Standing]) -> Standing:
        if not flow.parents:
            return UNRANKED
        left = self.flows[flow.parents[0]].edge.operator
        here = self.pipeline.positions[left]
        first, *others = (standings[parent].reach(here) for parent in flow.parents)
        return first.merge(others[0]) if others else first

    def _expired(
        self, passed: Mapping[tuple[Edge, RowClass], float]
    ) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """ER_s and ER_p by rank."""
        significant, promising = [0.0] * self.ranks, [0.0] * self.ranks
        for one in {part for _, part in passed}:
            if one.rank <= self.ranks:
                route = self.pipeline.route(one.stream)
                significant[one.rank - 1] += one.rate * (1 - _survival(passed, one, route))
            promise = best_promise(one, self.candidates)
            if promise is not None:
                route = self._route(one.stream, promise.until)
                promising[promise.rank - 1] += one.rate * (1 - _survival(passed, one, route))
        return tuple(significant), tuple(promising)

    def _route(self, stream: str, until: int) -> tuple[Edge, ...]:
        positions = self.pipeline.positions
        route = self.pipeline.route(stream)
        return tuple(edge for edge in route if positions[edge.operator] <= until)


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


def _passed(every: Iterable[Flow], served: Iterable[float]) -> dict[tuple[Edge, RowClass], float]:
    """Which share of a kind of rows is served on an edge, also as parts of others."""
    rates: dict[tuple[Edge, RowClass], float] = defaultdict(float)
    kept: dict[tuple[Edge, RowClass], float] = defaultdict(float)
    for flow, share in zip(every, served, strict=True):
        for part in flow.parts:
            rates[flow.edge, part] += flow.rate
            kept[flow.edge, part] += flow.rate * share
    return {key: kept[key] / rate if rate else 1.0 for key, rate in rates.items()}


def _survival(
    passed: Mapping[tuple[Edge, RowClass], float], one: RowClass, route: Iterable[Edge]
) -> float:
    """The share that is served everywhere; where nothing of it comes nothing of it expires."""
    left = 1.0
    for edge in route:
        left *= passed.get((edge, one), 1.0)
    return left
