"""The ways to run a query that are compared: RLD, ARLD, ROD, DYN, STATIC (spec robust 2.12 ff.)."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field
from itertools import count
from typing import Literal

from slackwater.papers.robust_lei2014.market import Market, planned
from slackwater.papers.robust_lei2014.operators.cluster import Cluster
from slackwater.robust.classifier import Classifier, Tally, classifier
from slackwater.robust.coverage import coverage, grid
from slackwater.robust.drift.improvement import Moving, moved_operators
from slackwater.robust.drift.observed import Analyzer, Thresholds, analyse, overlap
from slackwater.robust.drift.recommend import recommend
from slackwater.robust.erp import erp
from slackwater.robust.optimizer import Counted
from slackwater.robust.pipeline import Order
from slackwater.robust.placement.demand import USED, demand_of
from slackwater.robust.placement.dyn import dyn, moved
from slackwater.robust.placement.exhaustive import Searched
from slackwater.robust.placement.llf import balanced
from slackwater.robust.placement.opt_prune import opt_prune
from slackwater.robust.placement.placement import Demand, Placement, supported
from slackwater.robust.placement.rod import rod
from slackwater.robust.space import ParameterSpace, Point

Name = Literal["rld", "arld", "rod", "dyn", "static"]
ESTIMATE: Point = (1.0, 1.0, 1.0, 1.0)
EPS = 0.2
MOVING = Moving((200_000_000,) * 10, bandwidth=50e6, pause=1.0)  # 5 s for an operator
SERIES = 6  # periods of load that DYN looks back on
REMEMBERED = 60  # points that ARLD looks back on
LOOKS = 12  # periods between two analyses
CALLS = 200  # of the optimizer, while the stream runs
VERTICES = 2000  # configurations that a search for a placement may enter


@dataclass(slots=True)
class Fixed:
    """One plan for ever: with the placement of ROD, or one by load (STATIC)."""

    plan: Order
    placement: Placement

    def choose(self, point: Point) -> Order:
        del point
        return self.plan

    def control(self, cluster: Cluster, point: Point) -> None:
        """Nothing is ever changed."""


@dataclass(slots=True)
class Moves:
    """DYN: one plan, whose operators move when loads of nodes lie apart."""

    plan: Order
    placement: Placement
    period: float
    series: deque[list[float]] = field(default_factory=lambda: deque(maxlen=SERIES))

    def choose(self, point: Point) -> Order:
        del point
        return self.plan

    def control(self, cluster: Cluster, point: Point) -> None:
        del point
        self.series.append([seconds / self.period for seconds in cluster.busy])
        if len(self.series) < SERIES // 2 or cluster.suspended:
            return
        loads = list(zip(*self.series, strict=True))
        moves = dyn(loads, cluster.placement, len(cluster.nodes))
        target = moved(cluster.placement, moves)
        seconds = [MOVING.seconds((0,) * 10, _only(n)) for n in range(len(loads))]
        cluster.move([move.operator for move in moves], target, seconds)


@dataclass(slots=True)
class Robust:
    """RLD: a plan for each batch. ARLD: also other plans and another placement after a drift."""

    market: Market
    space: ParameterSpace
    found: Classifier[Order]
    placement: Placement
    capacities: tuple[float, ...]
    score: float
    is_adaptive: bool = False
    tally: Tally = Tally()  # noqa: RUF009 - a value
    classified: float = 0.0
    seen: deque[Point] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    analyzer: Analyzer = Analyzer()  # noqa: RUF009 - a value
    looks: int = 0
    exchanges: int = 0

    def choose(self, point: Point) -> Order:
        began = time.perf_counter()
        chosen = self.found.choose(point)
        self.classified += time.perf_counter() - began
        self.tally = self.tally.after(chosen)
        return self.found.plans.plans[chosen.plan]

    def control(self, cluster: Cluster, point: Point) -> None:
        if not self.is_adaptive:
            return
        self.seen.append(point)
        self.looks += 1
        if self.looks % LOOKS or cluster.suspended:
            return
        usual = Thresholds()
        there = analyse(self.space, self.seen, self._covered, usual)
        self.analyzer = self.analyzer.after(there)
        if self.analyzer.is_drift(usual):
            self.analyzer = Analyzer()
            self._exchange(cluster, there.space)

    def _covered(self, space: ParameterSpace) -> float:
        """The share of a space where one of the plans that are carried is near the best."""
        plans = [self.found.plans.plans[number] for number in sorted(self.found.carried)]
        return coverage(self.market, plans, grid(space, 3), EPS)

    def _exchange(self, cluster: Cluster, space: ParameterSpace) -> None:
        """Plans of the observed space, the placement that carries most of them, then the plans."""
        plans = erp(Counted(self.market, space), EPS, budget=CALLS)
        demand = demand_of(plans, self.market, self.capacities)
        advice = recommend(
            demand,
            cluster.placement,
            overlap(space, self.space),
            MOVING,
            search=lambda one: _placed(one).placement,
        )
        if advice.advice == "move":
            seconds = [MOVING.seconds((0,) * 10, _only(n)) for n in range(demand.operators)]
            changed = moved_operators(cluster.placement, advice.placement)
            cluster.move(changed, advice.placement, seconds)
        self.exchanges += 1
        self.space = space
        self.found = classifier(plans, self.market, _carried(demand, advice.placement))


Strategy = Fixed | Moves | Robust


def strategy(name: Name, market: Market, nodes: int, period: float) -> Strategy:
    """A way to run the query, with all that is decided before it starts."""
    plan, capacities = market.optimize(ESTIMATE), (USED,) * nodes
    loads = market.loads(plan, ESTIMATE)
    if name == "rod":
        return Fixed(plan, rod(market.linear(plan), capacities))
    if name == "dyn":
        return Moves(plan, balanced(loads, capacities), period)
    if name == "static":
        return Fixed(plan, balanced(loads, capacities))
    space = planned()
    plans = erp(Counted(market, space), EPS)
    demand = demand_of(plans, market, capacities)
    best = _placed(demand)
    carried = classifier(plans, market, _carried(demand, best.placement))
    is_adaptive = name == "arld"
    return Robust(market, space, carried, best.placement, capacities, best.score, is_adaptive)


def _placed(demand: Demand) -> Searched:
    """OptPrune, for so many configurations; by a clock, runs would not repeat themselves."""
    return opt_prune(demand, seconds=VERTICES, clock=count().__next__)


def _carried(demand: Demand, placement: Placement) -> tuple[int, ...]:
    """The plans that fit; all of them if none does, for something has to run."""
    return supported(demand, placement) or tuple(range(len(demand.loads)))


def _only(operator: int) -> Placement:
    """A placement in which one operator is elsewhere."""
    return tuple(int(n == operator) for n in range(10))
