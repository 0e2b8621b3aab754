"""Robust plans of a join: the orders in which inputs probe, for all that rates and shares may be.

Between the plans of a set nothing but orders differs, so that a batch may take any of them and no
state moves. `optimize` says what an order costs and which is best, `robust` which few are enough;
neither knows the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from slackwater.optimize.cost import Units, probes
from slackwater.optimize.plan import Space
from slackwater.optimize.statistics import Pair, connected, known_of
from slackwater.plan.graph import JoinGraph
from slackwater.plan.robust import rate_of, share_of
from slackwater.plan.tree import JoinNode
from slackwater.robust.erp import erp
from slackwater.robust.merge import merged
from slackwater.robust.optimizer import Counted
from slackwater.robust.plan_set import PlanSet
from slackwater.robust.space import Kind, ParameterSpace, Point, parameter_space

REMEMBERED = 10_000  # points whose orders were worked out
EPS = 0.2  # how much worse than the best a plan may be, if nobody says
JoinPlans = PlanSet[JoinNode]
"""What is saved with a pipeline, by `codec.pack`."""


def join_space(
    graph: JoinGraph,
    rates: Mapping[str, float],
    shares: Mapping[Pair, float],
    uncertainty: int | Mapping[str, int],
    bounds: Mapping[str, tuple[float, float]] | None = None,
) -> ParameterSpace:
    """All rates and selectivities of a join, each between bounds or as uncertain as it is said.

    Parameters
    ----------
    rates, shares
        Rows a second by input, and the share of pairs that is kept by two inputs; 1 if not given.
    uncertainty
        From 0 to 5, one for all or by name: ``"orders.rate"``, ``"items-orders"``. What is not
        named is certain.
    bounds
        Intervals by name.
    """
    values = {rate_of(name): float(rates[name]) for name in graph.names}
    values |= {share_of(pair): shares.get(pair, 1.0) for pair in connected(graph)}
    kinds: dict[str, Kind] = {rate_of(name): "rate" for name in graph.names}
    levels = uncertainty
    if isinstance(uncertainty, Mapping):
        levels = {**dict.fromkeys(values, 0), **uncertainty}
    return parameter_space(values, levels, kinds=kinds, bounds=bounds)


@dataclass(slots=True)
class JoinCosts:
    """Costs of orders as `robust` asks for them: points are rates, then shares of pairs.

    ``depths`` says how many times its rate is held of each input; without, rates are rows a second
    and what is held follows from how long rows wait.
    """

    graph: JoinGraph
    units: Units = field(default_factory=Units)
    depths: tuple[float, ...] | None = None
    _spaces: dict[Point, Space] = field(default_factory=dict)

    def optimize(self, point: Point) -> JoinNode:
        return self._space(point).node(self.graph.names)

    def cost(self, plan: JoinNode, point: Point) -> float:
        return self._space(point).cost(plan).cpu

    def loads(self, plan: JoinNode, point: Point) -> tuple[float, ...]:
        """By input, as the place where its rows are kept and others probe them."""
        space, units = self._space(point), self.units
        known = space.known
        found = [rate * (units.insert + units.delete) for rate in known.arriving]
        for number, rate in enumerate(known.arriving):
            for probed, pairs in self._steps(space, plan, number):
                size = known.size(1 << probed)
                found[probed] += rate * pairs * units.pair + size * units.scan + units.probe
        return tuple(found)

    def _steps(self, space: Space, plan: JoinNode, number: int) -> Iterator[tuple[int, float]]:
        """Inputs as a new row of one probes them, and the pairs that it meets there."""
        names, sequence, before = self.graph.names, [1 << number], 0.0
        places = [names.index(str(child)) for child in plan.children]
        for other in plan.order(places.index(number)):
            sequence.append(1 << places[other])
            met = probes(space.known, sequence, self.units)
            yield places[other], met - before
            before = met

    def _space(self, point: Point) -> Space:
        if point not in self._spaces:
            if len(self._spaces) >= REMEMBERED:
                self._spaces.clear()
            names, pairs = self.graph.names, connected(self.graph)
            rates = dict(zip(names, point, strict=False))
            shares = dict(zip(pairs, point[len(names) :], strict=True))
            known = known_of(self.graph, rates, shares)
            if self.depths is not None:
                held = zip(known.arriving, self.depths, strict=True)
                known = replace(known, held=tuple(rate * depth for rate, depth in held))
            self._spaces[point] = Space(known, self.units)
        return self._spaces[point]


def robust_plans(
    costs: JoinCosts,
    space: ParameterSpace,
    eps: float = EPS,
    *,
    budget: int | None = None,
    seed: int = 0,
) -> JoinPlans:
    """Orders that together are near the best all over a space, and where each is.

    Verified by uniform probes: inputs are often alike, and then corners say little. ``budget`` is
    how often best orders may be worked out. A point is looked up in what comes of this by
    `robust.classifier`.
    """
    known = Counted(costs, space)
    return merged(known, erp(known, eps, budget=budget, verify=seed))
