"""The plans that are prepared for a join that runs, and the one of them for a batch.

Bounded work: so many best orders are asked for, whatever the space is, so that a set can be made in
the decision step, which stays a function of what was seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from slackwater.control.fewest import fewest, is_outside, swings
from slackwater.control.robust_join import JoinCosts, JoinPlans, join_space
from slackwater.optimize.cost import Units
from slackwater.optimize.facts import Facts
from slackwater.optimize.plan import Space
from slackwater.optimize.statistics import connected
from slackwater.plan.graph import JoinGraph
from slackwater.plan.robust import RobustPlan, dimensions
from slackwater.robust.plan_set import VERSION
from slackwater.robust.space import ParameterSpace, Point

BUDGET = 2_500  # best orders asked for, over the square of the number of inputs, which they take
LEAST_ASKED, MOST_ASKED = 8, 125
LEAST = 0.5  # rows, where there are none: a rate is above 0
WINDOW = 24  # looks that are remembered


@dataclass(frozen=True, slots=True)
class Look:
    """A batch: by input the rows that came and that new rows can meet, and shares of pairs."""

    came: tuple[int, ...]
    held: tuple[int, ...]
    shares: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Prepared:
    """Plans for a space of rates and shares, as they are saved with the pipeline.

    Rates are rows a batch. Of an input ``depths`` times its rate is held; ``parts`` are the shares
    of the space in which each plan costs least, ``covered`` is the share in which one of them is
    within the tolerance (both by points anywhere in it). ``terms`` are those of the query when it
    was made, ``batch`` says when that was.
    """

    plans: JoinPlans
    parts: tuple[float, ...]
    covered: float
    depths: tuple[float, ...]
    terms: RobustPlan
    batch: int

    def is_for(self, terms: RobustPlan) -> bool:
        """Whether it is what a query asks for, in a form that is still known."""
        return self.terms == terms and self.plans.version == VERSION

    def point(self, look: Look) -> Point:
        """Where a batch lies: rates by what is held, which is what orders depend on."""
        return _point(look, self.depths)

    def outside(self, point: Point) -> tuple[str, ...]:
        """What is beyond its bounds by more than chance."""
        both = zip(self.plans.space.dimensions, point, strict=True)
        return tuple(one.name for one, value in both if is_outside(one, value))

    def places(self, point: Point) -> dict[str, float]:
        """By name of what is uncertain: 0 at its lower bound, 1 at its upper one."""
        both = zip(self.plans.space.dimensions, point, strict=True)
        return {
            one.name: round((value - one.lo) / (one.hi - one.lo), 3)
            for one, value in both
            if not one.is_certain
        }


def look_of(graph: JoinGraph, facts: Facts) -> Look:
    """What is known of a batch when it is decided: its rows, and shares of the batches before."""
    came = tuple(facts.fresh.get(name, 0) for name in graph.names)
    held = tuple(facts.held.get(name, 0) for name in graph.names)
    shares = facts.shares(graph)
    found = tuple(float(f"{shares[pair]:.6g}") for pair in connected(graph))
    return Look(came, tuple(a + b for a, b in zip(came, held, strict=True)), found)


def cheapest(plans: JoinPlans, space: Space, current: int | None) -> int:
    """The plan that costs least with all that is known, of equal ones the current.

    Costs of few plans take no longer than to find a region, and are right inside it, too.
    """
    numbers = range(len(plans.plans))
    return min(numbers, key=lambda n: (space.cost(plans.plans[n]).cpu, n != current, n))


def prepare(
    graph: JoinGraph, terms: RobustPlan, looks: Sequence[Look], units: Units, batch: int
) -> Prepared:
    """Plans for what rates and shares may become, by what they were."""
    depths = _depths(looks)
    costs = JoinCosts(graph, units, depths)
    space = _space(graph, terms, [_point(look, depths) for look in looks])
    found = fewest(costs, space, terms.tolerance, budget(graph), batch)
    return Prepared(found.plans, found.parts, found.covered, depths, terms, batch)


def budget(graph: JoinGraph) -> int:
    """How many best orders are asked for: a tenth of a second or a few, however many inputs."""
    return max(LEAST_ASKED, min(MOST_ASKED, BUDGET // len(graph.names) ** 2))


def _depths(looks: Sequence[Look]) -> tuple[float, ...]:
    """How many batches are held of each input, on average."""
    held = (sum(sizes) for sizes in zip(*(look.held for look in looks), strict=True))
    came = (sum(rows) for rows in zip(*(look.came for look in looks), strict=True))
    return tuple(max(LEAST, size) / max(LEAST, rows) for size, rows in zip(held, came, strict=True))


def _point(look: Look, depths: Sequence[float]) -> Point:
    rates = (max(LEAST, size) / depth for size, depth in zip(look.held, depths, strict=True))
    return (*rates, *look.shares)


def _space(graph: JoinGraph, terms: RobustPlan, points: Sequence[Point]) -> ParameterSpace:
    """As uncertain as was said, or between what was seen."""
    names = dimensions(graph)
    seen = dict(zip(names, zip(*points, strict=True), strict=True))
    means = {name: sum(values) / len(values) for name, values in seen.items()}
    rates = {name: means[one] for name, one in zip(graph.names, names, strict=False)}
    pairs = zip(connected(graph), names[len(graph.names) :], strict=True)
    shares = {pair: min(1.0, means[name]) for pair, name in pairs}
    if terms.uncertainty is None:
        return join_space(graph, rates, shares, 0, swings(seen))
    asked = terms.uncertainty
    return join_space(graph, rates, shares, asked if isinstance(asked, int) else dict(asked))
