"""Which levels are active, and where each is tested (spec precedence 1.9).

Plans for one pipeline differ in nothing but this: the plan in which nothing is active has an empty
classifier on every edge.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from slackwater.precede.classifier import EMPTY, Assessment
from slackwater.precede.level import DynamicLevel, StaticLevel
from slackwater.precede.pipeline import Edge

Places = tuple[Edge, ...]


@dataclass(frozen=True)
class RankPlan:
    """Active levels (A_SML, A_DML) with their places: one of a static level, one or more of a
    dynamic one.
    """

    static: tuple[tuple[StaticLevel, Edge], ...] = ()
    dynamic: tuple[tuple[DynamicLevel, Places], ...] = ()

    @cached_property
    def assessments(self) -> dict[Edge, Assessment]:
        """What is tested, by edge; edges where nothing is tested are left out."""
        static: dict[Edge, list[StaticLevel]] = defaultdict(list)
        dynamic: dict[Edge, list[DynamicLevel]] = defaultdict(list)
        for level, edge in self.static:
            static[edge].append(level)
        for promise, places in self.dynamic:
            for edge in places:
                dynamic[edge].append(promise)
        every = {*static, *dynamic}
        return {e: Assessment(tuple(static[e]), tuple(dynamic[e])) for e in every}

    def assessment(self, edge: Edge) -> Assessment:
        return self.assessments.get(edge, EMPTY)

    @cached_property
    def active_ranks(self) -> tuple[int, ...]:
        static = {level.rank for level, _ in self.static}
        return tuple(sorted(static | {level.rank for level, _ in self.dynamic}))

    @property
    def last_active(self) -> int | None:
        """The least critical rank that counts; ``None`` if none does, and all is first come,
        first served.
        """
        return self.active_ranks[-1] if self.active_ranks else None

    def with_static(self, placed: Iterable[tuple[StaticLevel, Edge]]) -> RankPlan:
        return replace(self, static=(*self.static, *placed))

    def with_dynamic(self, placed: Iterable[tuple[DynamicLevel, Places]]) -> RankPlan:
        return replace(self, dynamic=(*self.dynamic, *placed))


INITIAL = RankPlan()
