"""From one plan to the next while rows flow: only what differs is told (spec precedence A20).

Nothing is stopped, added or moved. Rows that wait stay where they are (G23).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from slackwater.precede.classifier import EMPTY, Assessment
from slackwater.precede.pipeline import Edge, Pipeline
from slackwater.precede.plan import RankPlan


@dataclass(frozen=True, slots=True)
class SetAssessment:
    """To a classifier: test this from now on."""

    edge: Edge
    assessment: Assessment


@dataclass(frozen=True, slots=True)
class SetRouting:
    """To a stream or an operator: send what you give through the classifier behind you, or not."""

    source: str
    use_classifier: bool


@dataclass(frozen=True, slots=True)
class SetActiveRanks:
    """To all: ranks behind this one count for nothing; ``None``: no rank counts."""

    last_active: int | None


Notification = SetAssessment | SetRouting | SetActiveRanks


def adapt(pipeline: Pipeline, old: RankPlan, new: RankPlan) -> tuple[Notification, ...]:
    """What is to be told so that the new plan holds."""
    told: list[Notification] = []
    for edge in pipeline.edges:
        before, after = old.assessment(edge), new.assessment(edge)
        if before != after:
            told.append(SetAssessment(edge, after))
        if (before == EMPTY) != (after == EMPTY):
            told.append(SetRouting(edge.source, after != EMPTY))
    if old.last_active != new.last_active:
        told.append(SetActiveRanks(new.last_active))
    return tuple(told)


@dataclass(frozen=True, slots=True)
class Settings:
    """What classifiers and operators were told so far."""

    assessments: dict[Edge, Assessment] = field(default_factory=dict)
    used: frozenset[str] = frozenset()
    last_active: int | None = None

    def apply(self, told: Iterable[Notification]) -> Settings:
        """With what was told, in its order."""
        settings = self
        for one in told:
            settings = settings._with(one)
        return settings

    def _with(self, told: Notification) -> Settings:
        if isinstance(told, SetAssessment):
            changed = {**self.assessments, told.edge: told.assessment}
            kept = {edge: at for edge, at in changed.items() if at != EMPTY}
            return replace(self, assessments=kept)
        if isinstance(told, SetRouting):
            change = self.used.union if told.use_classifier else self.used.difference
            return replace(self, used=change({told.source}))
        return replace(self, last_active=told.last_active)


def settings_of(plan: RankPlan) -> Settings:
    """What everybody is told under a plan."""
    used = frozenset(edge.source for edge in plan.assessments)
    return Settings(plan.assessments, used, plan.last_active)
