"""How searches do over many joins: how often they find a plan within limits, and how fast.

What the source work compares its optimisers by (spec adaptive 7.2). A search here is given what is
known of a join, without anything worked out before, and gives a plan or none.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from random import Random

from slackwater.optimize.bjtree_init import smallest_tree
from slackwater.optimize.cost import Cost, Units
from slackwater.optimize.known import Known
from slackwater.optimize.plan import Plan, Space, Strategy, answer

Search = Callable[[Space, Cost], Plan | None]


@dataclass(frozen=True, slots=True)
class Setting:
    """A join, and what its plan may need."""

    known: Known
    limits: Cost

    def fresh(self, units: Units) -> Space:
        """The plans of the join, nothing known of any yet."""
        known = self.known
        copied = Known(known.names, known.arriving, known.held, known.share, known.edges)
        return Space(copied, units)


@dataclass(frozen=True, slots=True)
class Tally:
    """What one search gave for some settings: a plan within the limits or none, and seconds."""

    plans: tuple[Plan | None, ...]
    seconds: tuple[float, ...]

    @property
    def qualified_share(self) -> float:
        """M / N: the share of settings with a plan within the limits (qualified percentage)."""
        return sum(plan is not None for plan in self.plans) / len(self.plans)

    @property
    def mean_seconds(self) -> float:
        """Average optimisation time."""
        return sum(self.seconds) / len(self.seconds)


def compare(
    searches: Mapping[str, Search],
    settings: Iterable[Setting],
    *,
    units: Units = Units(),  # noqa: B008 - a value
    clock: Callable[[], float] = time.process_time,
) -> dict[str, Tally]:
    """The same settings for every search; a plan beyond the limits counts as none."""
    found: dict[str, list[Plan | None]] = {name: [] for name in searches}
    took: dict[str, list[float]] = {name: [] for name in searches}
    for setting in settings:
        for name, search in searches.items():
            space = setting.fresh(units)
            began = clock()
            plan = search(space, setting.limits)
            took[name].append(clock() - began)
            is_within = plan is not None and plan.cost.within(setting.limits)
            found[name].append(plan if is_within else None)
    return {name: Tally(tuple(found[name]), tuple(took[name])) for name in searches}


def searched(strategy: Strategy) -> Search:
    """A strategy as a search: its last plan."""
    return lambda space, limits: answer(strategy, space, limits)


def limits_between(draw: Random, space: Space) -> Cost:
    """Limits at random between what the m-way join and what binary joins need."""
    ends = (space.cost(space.node(space.known.names)), smallest_tree(space).cost)
    cpu = sorted(end.cpu for end in ends)
    memory = sorted(end.memory for end in ends)
    return Cost(draw.uniform(*cpu), draw.uniform(*memory))
