"""The orders that are prepared for filters that commute, and the one of them for a batch.

As for probes of a join: a space of what shares and costs may be, few orders that are near the best
all over it. Points of it know nothing of filters that drop the same rows, so an order that was the
best by the rows of some batch belongs to the set as well, where no other comes near it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from slackwater.control.fewest import fewest, is_outside, swings
from slackwater.plan.calls import Link
from slackwater.robust.filters import FilterCosts, Patterns, best_order, shares, work
from slackwater.robust.pipeline import Order
from slackwater.robust.plan_set import PlanSet
from slackwater.robust.robustness import is_within
from slackwater.robust.space import ParameterSpace, parameter_space

TOLERANCE = 0.1  # how much worse than the best an order may be
BUDGET = 64  # best orders asked for
WINDOW = 16  # looks that are remembered
LEARNED = 3  # looks before orders are prepared
COSTS_SWING = 2.0  # the largest of what a filter cost, over the smallest; clocks are not exact


@dataclass(frozen=True, slots=True)
class FilterLook:
    """A batch: seconds a row by filter, and rows by which filters let them pass."""

    costs: tuple[float, ...]
    patterns: Patterns

    def best(self) -> Order:
        return best_order(self.costs, self.patterns)

    def work(self, order: Sequence[int]) -> float:
        return work(order, self.costs, self.patterns)

    def point(self) -> tuple[float, ...]:
        return (*shares(self.patterns, len(self.costs)), *self.costs)


@dataclass(frozen=True, slots=True)
class FilterPlans:
    """Orders, and in which share of the space one of them is near the best."""

    plans: PlanSet[Order]
    covered: float

    def outside(self, look: FilterLook) -> tuple[str, ...]:
        """What is beyond its bounds by more than chance."""
        both = zip(self.plans.space.dimensions, look.point(), strict=True)
        return tuple(one.name for one, value in both if is_outside(one, value))

    def cheapest(self, look: FilterLook, current: int | None) -> int:
        """The order that costs least; of equal ones the current."""
        prices = [look.work(plan) for plan in self.plans.plans]
        return min(range(len(prices)), key=lambda n: (prices[n], n != current, n))

    def is_near(self, look: FilterLook) -> bool:
        """Whether one of the orders is near the best that there is."""
        least = min(look.work(plan) for plan in self.plans.plans)
        return is_within(least, look.work(look.best()), TOLERANCE)


def prepare_filters(link: Link, looks: Sequence[FilterLook], batch: int) -> FilterPlans:
    """Orders for what shares and costs may become, by what they were."""
    space = _space(link, looks)
    found = fewest(FilterCosts(len(link.calls)), space, TOLERANCE, BUDGET, batch)
    plans = list(found.plans.plans)
    for look in looks:
        best = look.best()
        if not is_within(min(map(look.work, plans)), look.work(best), TOLERANCE):
            plans.append(best)
    return FilterPlans(replace(found.plans, plans=tuple(plans)), found.covered)


def _space(link: Link, looks: Sequence[FilterLook]) -> ParameterSpace:
    names = [f"{call.name}.{kind}" for kind in ("share", "cost") for call in link.calls]
    seen = dict(zip(names, zip(*(look.point() for look in looks), strict=True), strict=True))
    means = {name: sum(values) / len(values) for name, values in seen.items()}
    costs = names[len(link.calls) :]
    bounds = swings(seen, dict.fromkeys(costs, COSTS_SWING))
    return parameter_space(means, 0, kinds=dict.fromkeys(costs, "rate"), bounds=bounds)
