"""Where the levels of one rank are tested: three searches (spec precedence A13).

``joint`` looks at every plan and is the oracle for small ones, ``separable`` places each level
with the others where they are, ``greedy`` one after the other until the capacity is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product

from slackwater.errors import SlackwaterError
from slackwater.precede.comparison import Comparison, Key, significant_first
from slackwater.precede.cost import Model
from slackwater.precede.designated import Designated
from slackwater.precede.level import DynamicLevel, StaticLevel
from slackwater.precede.paths import placements, static_path
from slackwater.precede.pipeline import Edge
from slackwater.precede.plan import Places, RankPlan

MOST = 200_000  # plans that the joint search looks at
Promises = Callable[[RankPlan], tuple[tuple[DynamicLevel, ...], Designated]]
"""The dynamic levels and designated operators that follow from where static levels are tested."""


@dataclass(slots=True)
class Examination:
    """Plans are compared here, and counted (``plans_examined``)."""

    model: Model
    comparison: Comparison = significant_first
    examined: int = 0

    def key(self, plan: RankPlan) -> Key:
        """The smaller the better; a plan whose overhead alone exceeds the capacity comes last."""
        self.examined += 1
        estimate = self.model.estimate(plan)
        return (float(estimate.overhead > self.model.capacity), *self.comparison(estimate))

    def best(self, plans: Iterable[RankPlan]) -> RankPlan:
        """The best plan; of equal ones the first."""
        return min(plans, key=self.key)


def joint(
    look: Examination, plan: RankPlan, static: Sequence[StaticLevel], promises: Promises, rank: int
) -> RankPlan:
    """The best of all ways to place the levels of a rank, dynamic ones placed or left out."""
    found: list[RankPlan] = []
    for placed in static_ways(look, plan, static):
        levels, designated = promises(placed)
        ways: list[tuple[Places | None, ...]] = [
            (None, *placements(look.model.pipeline, level, designated)) for level in levels
        ]
        for way in product(*ways):
            pairs = zip(levels, way, strict=True)
            found.append(placed.with_dynamic((level, at) for level, at in pairs if at is not None))
            if len(found) > MOST:
                hint = "use the search 'separable'"
                raise SlackwaterError("SEARCH_TOO_LARGE", f"rank {rank}: over {MOST} plans", hint)
    return look.best(found)


def static_ways(
    look: Examination, plan: RankPlan, static: Sequence[StaticLevel]
) -> Iterable[RankPlan]:
    """Every way to place static levels."""
    for edges in product(*(static_path(look.model.pipeline, level) for level in static)):
        yield plan.with_static(zip(static, edges, strict=True))


def separable(
    look: Examination, plan: RankPlan, static: Sequence[StaticLevel], promises: Promises, rank: int
) -> RankPlan:
    """Each level by itself; a dynamic one is left out if no place makes the plan better."""
    del rank  # every search has one shape
    plan = place_static(look, plan, static)
    levels, designated = promises(plan)
    for level in levels:
        ways = placements(look.model.pipeline, level, designated)
        plan = look.best([plan, *(plan.with_dynamic([(level, way)]) for way in ways)])
    return plan


def greedy(
    look: Examination, plan: RankPlan, static: Sequence[StaticLevel], promises: Promises, rank: int
) -> RankPlan:
    """Dynamic levels in the order given, each at its best place, until the capacity is used."""
    plan = place_static(look, plan, static)
    levels, designated = promises(plan)
    for level in levels:
        if look.model.estimate(plan).used(rank) >= look.model.capacity:
            break
        ways = placements(look.model.pipeline, level, designated)
        plan = look.best([plan.with_dynamic([(level, way)]) for way in ways])
    return plan


def place_static(look: Examination, plan: RankPlan, static: Sequence[StaticLevel]) -> RankPlan:
    """Each static level at its best place, the others where they are; all begin at their first."""
    paths = [static_path(look.model.pipeline, level) for level in static]
    edges = [path[0] for path in paths]
    for number, path in enumerate(paths):
        ways = ([*edges[:number], edge, *edges[number + 1 :]] for edge in path)
        edges = min(ways, key=lambda way: look.key(_placed(plan, static, way)))
    return _placed(plan, static, edges)


def _placed(plan: RankPlan, static: Sequence[StaticLevel], edges: Sequence[Edge]) -> RankPlan:
    return plan.with_static(zip(static, edges, strict=True))


Search = Callable[[Examination, RankPlan, Sequence[StaticLevel], Promises, int], RankPlan]
SEARCHES: dict[str, Search] = {"joint": joint, "separable": separable, "greedy": greedy}
