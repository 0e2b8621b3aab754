"""The query of the runs: a join of ten streams whose rates and selectivities swing (Q10)."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from slackwater.papers.robust_lei2014.workload import Script
from slackwater.robust.pipeline import Operator, Order, Pipeline
from slackwater.robust.space import ParameterSpace, Point, parameter_space

OPERATORS = 10
SWING = 0.5  # to both sides: level 5 of uncertainty
RATES = (0.5, 2.0)  # of the estimate, is planned for
DRIFT = 2.6  # times as many keys are equal where values come from the other distribution
DRIFTING = (1, 6)  # the operators that notice it
DIMENSIONS = ("rate", "first", "second", "drift")


@dataclass(frozen=True, slots=True)
class Market:
    """An optimizer of orders. A point has the rate, selectivities of both halves of the operators,
    and the drift, all as factors of what was estimated.

    The last operator of each half holds a window of a stream whose rate follows; the others hold
    what has a rate of its own.
    """

    operators: tuple[Operator, ...]
    rate: float
    _known: dict[Point, Pipeline] = field(default_factory=dict, compare=False, repr=False)

    def pipeline(self, point: Point) -> Pipeline:
        """The operators with the numbers of a point."""
        if point not in self._known:
            self._known[point] = self._pipeline(point)
        return self._known[point]

    def _pipeline(self, point: Point) -> Pipeline:
        rate, first, second, drift = point
        half = OPERATORS // 2
        found = []
        for number, one in enumerate(self.operators):
            share = one.share * (first if number < half else second)
            share *= drift if number in DRIFTING else 1.0
            share *= rate if number % half == half - 1 else 1.0
            found.append(Operator(one.cost, share))
        return Pipeline(tuple(found), self.rate * rate)

    def optimize(self, point: Point) -> Order:
        return self.pipeline(point).optimize(())

    def cost(self, plan: Order, point: Point) -> float:
        return self.pipeline(point).cost(plan, ())

    def loads(self, plan: Order, point: Point) -> tuple[float, ...]:
        return self.pipeline(point).loads(plan, ())

    def linear(self, plan: Order) -> list[list[float]]:
        """By operator, how its load follows the rate of the driving stream and of each window."""
        half, here = OPERATORS // 2, (1.0, 1.0, 1.0, 1.0)
        loads = self.loads(plan, here)
        found = []
        for number, load in enumerate(loads):
            before = plan[: plan.index(number)]
            windows = [float(n in before) * load for n in (half - 1, OPERATORS - 1)]
            found.append([load, *windows])
        return found


def market(seed: int, rows_per_second: float, share: float, nodes: int = 5) -> Market:
    """Costs and shares by a seed, scaled so that ``nodes`` nodes of one second a second have
    ``share`` of their time to do at the estimate.

    As in the motivating query: half of the operators are dear (matching of patterns), the others
    cheap (looking something up). Usually the cheap ones come first; when the market turns they let
    more through than comes in, and the dear ones little.
    """
    draw = Random(f"market {seed}")
    half = OPERATORS // 2
    plain = [Operator(draw.uniform(2.4, 3.2), draw.uniform(0.55, 0.64)) for _ in range(half)]
    plain += [Operator(draw.uniform(0.5, 0.9), draw.uniform(0.75, 0.82)) for _ in range(half)]
    one = Market(tuple(plain), rows_per_second)
    here = (1.0, 1.0, 1.0, 1.0)
    scale = share * nodes / one.cost(one.optimize(here), here)
    return Market(tuple(Operator(op.cost * scale, op.share) for op in plain), rows_per_second)


def planned() -> ParameterSpace:
    """Half to twice the rate, selectivities half more or less; of a drift nobody knows."""
    return parameter_space(
        dict.fromkeys(DIMENSIONS, 1.0),
        {"rate": 0, "first": 5, "second": 5, "drift": 0},
        kinds=dict.fromkeys(DIMENSIONS, "rate"),
        bounds={"rate": RATES},
        units=32,
    )


def truth(script: Script, now: float) -> Point:
    """The statistics of a moment."""
    swing = SWING * script.market(now)
    return (
        script.rate(now),
        1 + swing,
        1 - swing,
        1 + (DRIFT - 1) * script.drift(now),
    )
