"""A plan for ranks, built rank by rank while there is capacity (spec precedence A10, A17).

The strategies differ in which dynamic levels they look at, and how: PR at all of them, PR-Prune at
those that promise enough, at the end of runs of joins, the best first; PP at none.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from slackwater.precede.candidates import Threshold, by_gain, candidates, combined, superior
from slackwater.precede.comparison import Comparison, significant_first
from slackwater.precede.cost import Model, UnitCosts
from slackwater.precede.designated import Designated, designated, reduced
from slackwater.precede.flows import RowClass, flows
from slackwater.precede.frequency import Frequencies
from slackwater.precede.level import DynamicLevel, StaticLevel
from slackwater.precede.pcql import Window
from slackwater.precede.pipeline import Pipeline
from slackwater.precede.placement import Examination, Search, greedy, separable
from slackwater.precede.plan import INITIAL, RankPlan
from slackwater.precede.shared import Shared


@dataclass(frozen=True, slots=True)
class Situation:
    """Everything that a plan is made from: the query, what was counted, and the capacity."""

    pipeline: Pipeline
    levels: tuple[StaticLevel, ...]
    window: Window
    classes: tuple[RowClass, ...]
    counted: Frequencies
    capacity: float
    units: UnitCosts = field(default_factory=UnitCosts)

    @property
    def ranks(self) -> int:
        return max((level.rank for level in self.levels), default=0)

    def model(self) -> Model:
        every = candidates(Shared(self.pipeline), self.counted)
        network = flows(self.pipeline, self.classes, self.window)
        return Model(self.pipeline, network, self.capacity, self.ranks, every, self.units)


@dataclass(frozen=True, slots=True)
class Strategy:
    """How a plan is sought. ``is_pruning``: with the reductions of PR-Prune.

    ``ordered``: the most promising levels first. ``dynamic``: whether rows can be promising.
    """

    name: str
    search: Search
    is_pruning: bool = False
    ordered: bool = False
    dynamic: bool = True
    threshold: Threshold = field(default_factory=lambda: Threshold(0.0))
    comparison: Comparison = significant_first


PR = Strategy("PR", separable)
PR_PRUNE = Strategy("PR-Prune", greedy, is_pruning=True, ordered=True, threshold=Threshold())
PP = Strategy("PP", separable, dynamic=False)
STRATEGIES = (
    PR,  # looks at everything, and takes its time
    PR_PRUNE,  # nearly as good, much sooner
    PP,  # what rows are worth by themselves: the measure of what promises add
)


@dataclass(frozen=True, slots=True)
class Construction:
    """A plan, how many were looked at for it, and how long that took."""

    plan: RankPlan
    examined: int
    seconds: float


def construct(
    situation: Situation, strategy: Strategy, clock: Callable[[], float] = time.perf_counter
) -> Construction:
    """The plan for a situation; nothing is active in it as long as all can be served (G14)."""
    begin, model = clock(), situation.model()
    if model.demand() <= situation.capacity:
        return Construction(INITIAL, 0, clock() - begin)
    look = Examination(model, strategy.comparison)
    levels = _levels(situation, strategy, model)
    plan, rank, used = INITIAL, 1, 0.0
    while situation.capacity > used and rank <= situation.ranks:
        static = [level for level in situation.levels if level.rank == rank]
        mine = tuple(level for level in levels if level.rank == rank)
        promises = partial(_promises, Shared(situation.pipeline), strategy, mine, rank)
        plan = strategy.search(look, plan, static, promises, rank)
        used, rank = model.estimate(plan).used(rank), rank + 1
    return Construction(plan, look.examined, clock() - begin)


def _levels(situation: Situation, strategy: Strategy, model: Model) -> tuple[DynamicLevel, ...]:
    """The dynamic levels that a strategy looks at, in its order."""
    if not strategy.dynamic:
        return ()
    shared = Shared(situation.pipeline)
    every = combined(shared, situation.counted) if strategy.is_pruning else model.candidates
    kept = superior(every, strategy.threshold)
    return by_gain(kept) if strategy.ordered else kept


def _promises(
    shared: Shared,
    strategy: Strategy,
    levels: tuple[DynamicLevel, ...],
    rank: int,
    plan: RankPlan,
) -> tuple[tuple[DynamicLevel, ...], Designated]:
    """Levels of designated operators, which depend on where significance is found out."""
    found = designated(shared.pipeline, plan, rank)
    if strategy.is_pruning:
        found = reduced(shared, found)
    return tuple(level for level in levels if level.until in found), found
