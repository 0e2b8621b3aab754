"""With what standing each flow waits under a plan, and what finding that out takes (spec 1.13.3).

A search compares thousands of plans that differ in their last dynamic level. Such a level concerns
flows that have its value, and what tests cost where it is tested; all else is as it was.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from slackwater.precede.classifier import Assessment, can_gain, classify
from slackwater.precede.flows import Flow
from slackwater.precede.level import DynamicLevel
from slackwater.precede.pipeline import Edge, Pipeline
from slackwater.precede.plan import RankPlan
from slackwater.precede.standing import UNRANKED, Standing


@dataclass(frozen=True, slots=True)
class Standings:
    """Of all flows under a plan. ``static_tests`` and ``dynamic_tests`` are made for each row."""

    plan: RankPlan
    each: list[Standing]
    static_tests: list[int]
    dynamic_tests: list[int]


class Classification:
    """Finds standings; remembers those of the plan that is being extended."""

    def __init__(self, pipeline: Pipeline, flows: Sequence[Flow]) -> None:
        self._pipeline, self._flows = pipeline, flows
        self._last: Standings | None = None
        self._on: dict[Edge, list[int]] = defaultdict(list)
        self._having: dict[tuple[str, Hashable], list[int]] = defaultdict(list)
        for at, flow in enumerate(flows):
            self._on[flow.edge].append(at)
            for known in {pair for part in flow.parts for pair in part.values}:
                self._having[known].append(at)

    def find(self, plan: RankPlan) -> Standings:
        """The standings under a plan."""
        if not plan.dynamic:
            return self.anew(plan)
        base = RankPlan(plan.static, plan.dynamic[:-1])
        if self._last is None or self._last.plan != base:
            self._last = self._extended(base)
        return self._extended(plan)

    def anew(self, plan: RankPlan) -> Standings:
        """All flows, one after the other; those behind an operator after those in front of it."""
        count = len(self._flows)
        found = Standings(plan, [UNRANKED] * count, [0] * count, [0] * count)
        self._fill(found, plan, range(count))
        return found

    def _extended(self, plan: RankPlan) -> Standings:
        """From the standings of a plan with one level less, where they are known."""
        last = self._last
        base = RankPlan(plan.static, plan.dynamic[:-1])
        if last is None or not plan.dynamic or last.plan != base:
            return self.anew(plan)
        level, places = plan.dynamic[-1]
        concerned = {*self._having.get((level.attribute, level.value), ())}
        for edge in places:
            if not _is_known(level, last.plan.assessment(edge)):
                concerned.update(self._on[edge])
        found = Standings(plan, [*last.each], [*last.static_tests], [*last.dynamic_tests])
        self._fill(found, plan, sorted(concerned))
        return found

    def _fill(self, found: Standings, plan: RankPlan, numbers: Iterable[int]) -> None:
        for at in numbers:
            flow = self._flows[at]
            standing, static, dynamic = self._arriving(flow, found.each), 0, 0
            assessment = plan.assessment(flow.edge)
            if can_gain(standing, assessment):
                standing, static, dynamic = classify(standing, assessment, flow)
            found.each[at] = standing
            found.static_tests[at], found.dynamic_tests[at] = static, dynamic

    def _arriving(self, flow: Flow, standings: Sequence[Standing]) -> Standing:
        if not flow.parents:
            return UNRANKED
        left = self._flows[flow.parents[0]].edge.operator
        here = self._pipeline.positions[left]
        first, *others = (standings[parent].reach(here) for parent in flow.parents)
        return first.merge(others[0]) if others else first


def _is_known(level: DynamicLevel, at: Assessment) -> bool:
    """Whether rows without the value of a level are tested as before with it."""
    known = level.attribute in at.dynamic_by_rank.get(level.rank, {})
    return known and at.furthest[level.rank] >= level.until
