"""The whole loop: executor, monitor, an optimiser that takes its time, adaptor (A22, 2.1).

The six ways to treat an overload differ in their :class:`~slackwater.precede.baselines.Discipline`
and in nothing else. Time is virtual: a search takes so long for every plan that it looks at, on
another machine than the executor.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from slackwater.papers.precedence_works2015.operators.executor import (
    Executor,
    ExecutorParams,
    Schedule,
)
from slackwater.papers.precedence_works2015.operators.row import Source
from slackwater.papers.precedence_works2015.operators.statistics import Recent
from slackwater.precede.adaptor import adapt
from slackwater.precede.baselines import Arrival, Discipline, chance, significance
from slackwater.precede.classifier import Assessment
from slackwater.precede.construction import Situation, construct
from slackwater.precede.cost import UnitCosts
from slackwater.precede.frequency import Frequencies
from slackwater.precede.level import StaticLevel
from slackwater.precede.monitor import Monitor, MonitorParams, Watch
from slackwater.precede.pcql import Window
from slackwater.precede.pipeline import Pipeline
from slackwater.precede.plan import INITIAL, RankPlan
from slackwater.precede.shared import Shared
from slackwater.units import SECOND

EVERYTHING = MonitorParams(threshold=0.0)  # what is rare is judged when all have told
PUNCTUATION = 5 * SECOND  # between two punctuations, where ranks overtake each other


@dataclass(frozen=True, slots=True)
class Query:
    """A pipeline, its window, and who comes first in it."""

    pipeline: Pipeline
    window: Window
    levels: tuple[StaticLevel, ...] = ()


@dataclass(frozen=True, slots=True)
class SystemParams:
    """``capacity`` in units a second; times in microseconds.

    ``period`` is how often statistics are told, ``periods`` how many of them the optimiser looks
    at, ``threshold`` the share of its group that a value must have in a period. A search takes
    ``look`` seconds for each plan it looks at, and ``notify`` to be told.
    """

    capacity: float
    lifespan: int | None = 30 * SECOND
    slice: int = SECOND // 10
    period: int = 10 * SECOND
    periods: int = 6
    threshold: float = 0.045
    look: float = 0.02
    notify: float = 0.01
    schedule: Schedule = "rank-major"
    units: UnitCosts = field(default_factory=UnitCosts)
    keeps: bool = False
    is_sober: bool = False


@dataclass(frozen=True, slots=True)
class Adaption:
    """A plan: when its statistics were taken, when it held, and what finding it took."""

    taken: int
    held: int
    examined: int
    seconds: float
    plan: RankPlan

    @property
    def delay(self) -> int:
        return self.held - self.taken


@dataclass(slots=True)
class Sizes:
    """Rows in the states and in the queues of the last join, at the end of every second."""

    state: list[int] = field(default_factory=list)
    queues: list[int] = field(default_factory=list)


class System:
    """One way to treat an overload, on one query."""

    def __init__(
        self, discipline: Discipline, query: Query, params: SystemParams, seed: int = 0
    ) -> None:
        self.discipline, self.query, self.params = discipline, query, params
        self.shared = Shared(query.pipeline)
        ranked = discipline.strategy is not None
        watches = self._watches() if ranked else {}
        self.executor = Executor(query.pipeline, self._executor_params(), watches)
        self.monitor = Monitor(self.shared)
        self.recent = Recent(self.shared, params.period, params.threshold, params.periods)
        self.plan, self.adaptions, self.sizes = INITIAL, list[Adaption](), Sizes()
        self.dropped = 0
        self._pending: Adaption | None = None
        self._situation: Situation | None = None
        self._processable, self._credit = 1.0, 0.0
        self._random = random.Random(seed)

    def _watches(self) -> dict[str, Watch]:
        names = [operator.name for operator in self.query.pipeline.operators]
        return {name: Watch(self.shared, name, self.query.levels, EVERYTHING) for name in names}

    def _executor_params(self) -> ExecutorParams:
        """Ranked systems purge by punctuations, others as soon as rows are served (2.7)."""
        strategy, p = self.discipline.strategy, self.params
        kinds = 0 if strategy is None else 1 + strategy.dynamic
        period = PUNCTUATION if strategy is not None else p.slice
        return ExecutorParams(
            self.query.window, p.lifespan, period, p.units, p.schedule, kinds, p.keeps, p.is_sober
        )

    def run(self, sources: Sequence[Source], until: int) -> None:
        """All slices up to an instant; what arrives in a slice is worked on from then on."""
        at = 0
        for end in range(self.params.slice, until + 1, self.params.slice):
            start = at
            while at < len(sources) and sources[at].ts < end:
                at += 1
            self.step(sources[start:at], end)

    def step(self, arrived: Iterable[Source], end: int) -> None:
        """One slice: a plan that is ready, arrivals, work, and what is due by the clock."""
        self._hold(end - self.params.slice)
        before = self.executor.books.spent
        for source in arrived:
            self._admit(source)
        self._credit += self.params.capacity * self.params.slice / SECOND
        self._credit -= self.executor.books.spent - before
        if self._credit > 0:
            self._credit = min(self.executor.work(self._credit), 0.0)
        if end % SECOND == 0:
            self.executor.advance(end)
            last = self.query.pipeline.operators[-1]
            if last.kind == "join":
                self.sizes.state.append(self.executor.joins[last.name].size)
            self.sizes.queues.append(
                self.executor.queues.length(len(self.query.pipeline.operators))
            )
        else:
            self.executor.now = end
        if end % self.params.period == 0:
            self._turn(end)

    def _admit(self, source: Source) -> None:
        self.recent.arrive(source)
        if self.discipline.strategy is None:
            self._charge_admission()
        arrival = Arrival(source.stream, source.values, self._random.random(), self._processable)
        if self.discipline.admission(arrival, self.query.levels):
            self.executor.arrive(source)
        else:
            self.executor.drop(source)
            self.dropped += 1

    def _charge_admission(self) -> None:
        """Who drops counts first: rows (Rand), or what they are worth (Sem)."""
        if self.discipline.admission is chance:
            self.executor.books.charge("statistics", self.params.units.statistic)
        elif self.discipline.admission is significance:
            tests = self.params.units.static_test * len(self.query.levels)
            self.executor.books.charge("classification", tests)
            self.executor.books.charge("statistics", 2 * self.params.units.statistic)

    def _turn(self, now: int) -> None:
        """A period is over: operators tell, and somebody may be waiting to search."""
        period, counted = now // self.params.period, None
        for snapshot in self.executor.snapshots(period):
            self.monitor, counted = self.monitor.step(snapshot)
        self.recent.turn(counted or Frequencies())
        if self.discipline.admission is chance and self.params.lifespan is not None:
            self._processable = processable(self.look_at())
        elif self.discipline.strategy is not None:
            self._situation = self.look_at()
            self._search(now)

    def look_at(self) -> Situation:
        """What is known of the last periods."""
        q, p, counted = self.query, self.params, self.recent.frequencies()
        classes = self.recent.classes()
        return Situation(q.pipeline, q.levels, q.window, classes, counted, p.capacity, p.units)

    def _search(self, now: int) -> None:
        """Begin a search with the newest statistics, unless one is under way."""
        strategy, situation = self.discipline.strategy, self._situation
        if self._pending is not None or strategy is None or situation is None:
            return
        self._situation = None
        found = construct(situation, strategy)
        self.executor.promise(Assessment((), situation.model().candidates))
        took = round((found.examined * self.params.look + self.params.notify) * SECOND)
        self._pending = Adaption(now, now + took, found.examined, found.seconds, found.plan)

    def _hold(self, now: int) -> None:
        """A search that is over: tell what differs, and begin the next one."""
        done = self._pending
        if done is None or done.held > now:
            return
        self._pending = None
        self.executor.tell(adapt(self.query.pipeline, self.plan, done.plan))
        self.plan = done.plan
        self.adaptions.append(replace(done, held=now))
        self._search(now)


def processable(situation: Situation) -> float:
    """The largest share of all rows that can be served: work falls faster than rows do."""

    def demand(share: float) -> float:
        kept = tuple(replace(one, rate=one.rate * share) for one in situation.classes)
        return replace(situation, classes=kept).model().demand()

    low, high = 0.0, 1.0
    if demand(1.0) <= situation.capacity:
        return 1.0
    for _ in range(8):
        middle = (low + high) / 2
        low, high = (middle, high) if demand(middle) <= situation.capacity else (low, middle)
    return low
