"""Queries without buffers of their own: each takes its rows from a chain and says what it needs.

They are the operators and Buffer Managers of chapter 4, an aggregate or a join, whose decisions go
to whoever configures the chains instead of to a buffer (Ji 2018, ch. 5).
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, replace
from typing import Any

from slackwater.disorder.coverage import CoverageModel
from slackwater.disorder.recall import RecallModel
from slackwater.disorder.threshold import Requirement
from slackwater.papers.recall_ji2018.operators.condition import same_key
from slackwater.papers.recall_ji2018.operators.engine import JoinQuery, OneJoin, Outcome
from slackwater.papers.recall_ji2018.operators.interval import IntervalCounter
from slackwater.papers.recall_ji2018.operators.join_slack import RecallAdaptation, RecallParams
from slackwater.papers.recall_ji2018.operators.productivity import Productivity, ProductivityParams
from slackwater.papers.recall_ji2018.operators.requirement import RecallRequirement
from slackwater.papers.recall_ji2018.operators.statistics import JoinStatistics
from slackwater.papers.recall_ji2018.operators.windows import StreamWindows
from slackwater.papers.slack_ji2018.operators.adaptation import Adaptation, AdaptationParams
from slackwater.papers.slack_ji2018.operators.buffer_manager import SUMS, Fired, kept_for
from slackwater.papers.slack_ji2018.operators.swa import SWA, SWAParams, WindowResult
from slackwater.papers.stream.monoids import SUM, paired
from slackwater.papers.stream.statistics import Statistics, StatisticsParams
from slackwater.papers.stream.windows import TimeWindow
from slackwater.stats.arrival import Arrival, Delayed
from slackwater.units import MILLISECOND, SECOND

STATISTICS = StatisticsParams()
BASIC = 10 * MILLISECOND
WARMUP = 5 * SECOND


@dataclass(frozen=True, slots=True)
class AggregateSpec:
    """``SUM`` over a sliding window, within ε for 95 % of the windows."""

    name: str
    stream: str
    window: int
    slide: int
    epsilon: float

    @property
    def params(self) -> SWAParams:
        return SWAParams(TimeWindow(self.window, self.slide), SUM, value=lambda row: row.value)

    @property
    def streams(self) -> tuple[str, ...]:
        return (self.stream,)


@dataclass(frozen=True, slots=True)
class JoinSpec:
    """Rows of several streams with the same key, within the window, and the recall wanted."""

    name: str
    streams: tuple[str, ...]
    window: int
    recall: float
    period: int

    @property
    def query(self) -> JoinQuery:
        windows = StreamWindows.of(dict.fromkeys(self.streams, self.window))
        return JoinQuery(windows, same_key(self.streams, key=lambda row: row.key))


Spec = AggregateSpec | JoinSpec


class _Tap:
    """Stands where the buffer of an aggregate was: rows go through, the clock is the source's."""

    def __init__(self, statistics: Statistics) -> None:
        self._rows: deque[Delayed[Any]] = deque()
        self._statistics = statistics

    @property
    def size(self) -> int:
        return 0

    @property
    def time(self) -> int | None:
        return self._statistics.time

    def push(self, arrival: Arrival[Any]) -> None:
        self._rows.append(Delayed(arrival, 0))

    def push_time(self, instant: int) -> None:
        """The source has the clock."""

    def pop(self) -> Delayed[Any] | None:
        return self._rows.popleft() if self._rows else None

    def flush(self) -> list[Delayed[Any]]:
        left = list(self._rows)
        self._rows.clear()
        return left


class SharedAggregate:
    """An aggregate; reports a slack with every window (every slide)."""

    def __init__(self, spec: AggregateSpec, joined: JoinStatistics, *, is_managed: bool) -> None:
        self.spec = spec
        self._statistics = joined.streams[spec.stream]
        measured = replace(spec.params, aggregate=paired(SUM, SUMS))
        tap = _Tap(self._statistics)
        self._swa: SWA[Any] = SWA.start(measured, tap, on_window=self._on_window)
        self.results: list[WindowResult] = []
        self.latency: float | None = None
        self.report: int | None = None
        self._adaptation: Adaptation | None = None
        if is_managed:
            model = CoverageModel(spec.window, STATISTICS.granularity, BASIC)
            asked = AdaptationParams(Requirement("sum", spec.epsilon))
            self._adaptation = Adaptation.start(asked, model)

    def take(self, stream: str, row: Delayed[Any]) -> None:  # noqa: ARG002
        self._swa.update(row.arrival)

    def settle(self) -> None:
        """The stream has ended: what is flushed now says nothing about latency."""
        waits = [result.latency for result in self.results]
        self.latency = sum(waits) / len(waits) if waits else None

    def finish(self) -> None:
        self._swa.finish()

    def _on_window(self, fired: WindowResult) -> None:
        self.results.append(replace(fired, value=fired.value[0]))
        first, time = self._statistics.first, self._statistics.time
        assert first is not None
        assert time is not None
        if self._adaptation is not None:
            slack: int | None = self._statistics.max_delay  # while warming up
            if time - first >= WARMUP:
                slack = self._adaptation.step(Fired(self._statistics, self._swa, fired))
            self.report = self.report if slack is None else slack
        keep = kept_for(self._statistics.max_delay, self.spec.slide)
        self._swa.counters.purge(before=min(time, fired.end) - keep)


class SharedJoin:
    """A join; reports a slack with every second of its output."""

    def __init__(self, spec: JoinSpec, joined: JoinStatistics, *, is_managed: bool) -> None:
        self.spec = spec
        self._joined = joined
        self._engine = OneJoin(spec.query)
        self.counts: Counter[int] = Counter()
        self.ends: list[int] = []
        self.latency: float | None = None
        self._waited = 0
        self.report: int | None = None
        self._profiler = Productivity.start(ProductivityParams(STATISTICS.granularity, "max"))
        self._intervals = IntervalCounter(SECOND)
        self._adaptation: RecallAdaptation | None = None
        if is_managed:
            windows = (spec.window,) * len(spec.streams)
            model = RecallModel(windows, STATISTICS.granularity, BASIC)
            asked = RecallParams(RecallRequirement(spec.recall), period=spec.period)
            self._adaptation = RecallAdaptation.start(asked, model)

    def take(self, stream: str, row: Delayed[Any]) -> None:
        named = replace(row, arrival=replace(row.arrival, stream=stream))
        for outcome in self._engine.update(named):
            self._count(outcome)

    def settle(self) -> None:
        """The streams have ended: what is flushed now says nothing about latency."""
        given = sum(self.counts.values())
        self.latency = self._waited / given if given else None

    def finish(self) -> None:
        for outcome in self._engine.flush():
            self._count(outcome)

    def _count(self, outcome: Outcome) -> None:
        if outcome.time is not None:
            self._tick(outcome.time)
        found, clock = len(outcome.results), self._joined.time or 0
        for result in outcome.results:
            self.counts[result.ts] += 1
            self._waited += clock - result.ts
        if self._adaptation is None:
            return
        if outcome.is_late:
            self._profiler.update_late(outcome.trigger.delay)
        else:
            self._profiler.update(outcome.trigger.delay, outcome.cross or 0, found)
        self._adaptation.sizes.update(found)

    def _tick(self, time: int) -> None:
        for _ in range(self._intervals.update(time)):
            self.ends.append(time)
            if self._adaptation is not None:
                slack = self._adaptation.step(self._profiler.close(), self._joined.get())
                self.report = self.report if slack is None else slack


SharedQuery = SharedAggregate | SharedJoin


def opened(
    specs: tuple[Spec, ...], joined: JoinStatistics, *, is_managed: bool
) -> dict[str, SharedQuery]:
    """The queries by name."""
    return {
        spec.name: SharedAggregate(spec, joined, is_managed=is_managed)
        if isinstance(spec, AggregateSpec)
        else SharedJoin(spec, joined, is_managed=is_managed)
        for spec in specs
    }
