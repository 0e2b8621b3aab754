"""What the source work computes by hand: H1 to H5, and the table of its physical example."""

from __future__ import annotations

from typing import Any

from slackwater.robust.box import Box
from slackwater.robust.cut import Cutter, Weighing
from slackwater.robust.distribution import normals, probability
from slackwater.robust.es import es_central, es_full
from slackwater.robust.guarantee import Guarantee
from slackwater.robust.optimizer import Counted
from slackwater.robust.placement.cor_phy import cor_phy
from slackwater.robust.placement.placement import Demand, supported
from slackwater.robust.space import Kind, Point, parameter_space

TABLE = ((50, 60, 85, 100, 40), (55, 40, 90, 70, 60), (90, 90, 65, 50, 70))


class Mosaic:
    """Six plans on a grid of four by four, as in figure 6: two quarters have one plan each."""

    PLANS = ("aabb", "aabb", "ccdd", "ceff")  # from the lowest row up

    def optimize(self, point: Point) -> str:
        column, row = (min(3, max(0, int(value - 1e-9) - 1)) for value in point)
        return self.PLANS[row][column]

    def cost(self, plan: str, point: Point) -> float:
        return sum(point) * (1.0 if plan == self.optimize(point) else 2.0)

    def loads(self, plan: str, point: Point) -> tuple[float, ...]:
        return (self.cost(plan, point),)


class Quarters(Mosaic):
    """Another plan in the last quarter of four."""

    def optimize(self, point: Point) -> str:
        return "last" if min(point) >= 3.0 else "first"


def grid_of(plans: Mosaic, units: int = 4) -> Counted[str]:
    names = ("x", "y")
    bounds = dict.fromkeys(names, (1.0, 5.0))
    kinds: dict[str, Kind] = dict.fromkeys(names, "rate")
    space = parameter_space(
        dict.fromkeys(names, 3.0),
        0,
        kinds=kinds,
        bounds=bounds,
        units=units,
    )
    return Counted(plans, space)


def worked(is_quick: bool) -> dict[str, Any]:
    """All of it takes no time, so that a quick run is the same."""
    del is_quick
    space = parameter_space({"share": 0.4, "news": 100.0}, 2, kinds={"news": "rate"})
    full, central = grid_of(Mosaic()), grid_of(Mosaic())
    es_full(full, 0.0)
    cuts = es_central(central, 0.0)
    cutter, known = Cutter(Weighing(clamp=0.0)), grid_of(Quarters(), 8)
    for part in cutter.cut(known, known.space.whole):
        cutter.cut(known, part)
    even = parameter_space({"x": 0.5, "y": 0.5}, 0, bounds=dict.fromkeys("xy", (0.1, 0.9)), units=4)
    cells = [
        probability(even, Box((n, n), (n + 1, n + 1)), normals(even), "fold") for n in range(4)
    ]
    return {
        "probes": Guarantee(0.05, 0.05).probes,
        "full": full.calls,
        "central": central.calls,
        "parts": len(cuts.leaves),
        "saved": 1 - (cutter.updates - 1) / (cutter.possible - 1),
        "cell": cells[1],
        "weight": sum(cells),
        "bounds": [(one.lo, one.hi) for one in space.dimensions],
        "table": {str(first): _table(first) for first in (90, 110)},
    }


def _table(first: float) -> dict[str, Any]:
    """The placement of the example, and the plans that it supports with capacities of 200."""
    rows = [tuple(map(float, row)) for row in TABLE]
    rows[2] = (first, *rows[2][1:])
    demand = Demand(tuple(rows), (0.5, 0.3, 0.2), (200.0, 200.0))
    found = cor_phy(demand)
    return {"placement": found, "supported": supported(demand, found)}
