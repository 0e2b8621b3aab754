"""The Buffer Manager of one join: K-slack buffers of one common size, then the join itself.

Two steps: a K-slack buffer per raw stream, then synchronisation buffers in front of the operators.
At the end of every adaptation interval a recall requirement decides the common slack. The baselines
run through the same door: no K-slack at all, the largest delay so far, or a fixed slack.

Reference: ``spec/qddh.md`` §6.2, §18.1, §26; gap G7 (progress of the output drives the intervals).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from slackwater.disorder.baselines import NoSlack
from slackwater.disorder.kslack import KSlack, KSlackParams
from slackwater.disorder.recall import RecallModel
from slackwater.replay.join.adaptation import RecallAdaptation, RecallParams
from slackwater.replay.join.combined import Combined
from slackwater.replay.join.engine import Engine, JoinQuery, OneJoin, Outcome
from slackwater.replay.join.statistics import JoinStatistics
from slackwater.replay.statistics import StatisticsParams
from slackwater.stats.arrival import Arrival
from slackwater.stats.productivity import Productivity, ProductivityParams
from slackwater.units import SECOND

Baseline = Literal["none", "max"]


@dataclass(frozen=True, slots=True)
class JoinManagerParams:
    """How the common slack of a join is chosen.

    Parameters
    ----------
    policy
        A recall to be kept (``RecallParams``), ``"none"`` for no K-slack buffers, ``"max"`` for the
        largest delay so far of any stream, or a fixed slack in microseconds.
    statistics
        What is remembered of the streams.
    basic
        Length ``b`` of a basic window of the model; the granularity by default.
    interval
        Baselines only: how often the end of an interval is told, microseconds.
    """

    policy: RecallParams | Baseline | int
    statistics: StatisticsParams = field(default_factory=StatisticsParams)
    basic: int | None = None
    interval: int = SECOND

    @property
    def clock(self) -> tuple[str, int]:
        """What drives the intervals, and how long they are."""
        if isinstance(self.policy, RecallParams):
            return self.policy.clock, self.policy.interval
        return "output", self.interval

    def model(self, windows: tuple[int, ...]) -> RecallModel:
        return RecallModel(windows, self.statistics.granularity, self.basic)

    @property
    def profile(self) -> ProductivityParams:
        late = self.policy.late if isinstance(self.policy, RecallParams) else "max"
        return ProductivityParams(self.statistics.granularity, late)


@dataclass(frozen=True, slots=True)
class IntervalEnd:
    """The end of an adaptation interval: progress of the output, slack from now on, and Γ'."""

    time: int
    slack: int
    required: float | None


class IntervalCounter:
    """Tells when a clock crosses a multiple of the interval."""

    def __init__(self, interval: int) -> None:
        self._interval = interval
        self._current: int | None = None

    def update(self, time: int) -> int:
        """How many intervals have ended since the last call; the first call starts the clock."""
        number = time // self._interval
        ended = 0 if self._current is None else max(0, number - self._current)
        self._current = number if self._current is None else max(self._current, number)
        return ended


class JoinManager:
    """A join behind buffers whose common size is managed.

    Examples
    --------
    >>> from slackwater.replay.join.condition import same_key
    >>> from slackwater.replay.join.windows import StreamWindows
    >>> query = JoinQuery(StreamWindows.of({"a": 5, "b": 5}), same_key("ab"))
    >>> manager = JoinManager(JoinManagerParams(2), query)
    >>> rows = [("a", 1), ("b", 2), ("a", 4), ("b", 6), ("a", 3), ("a", 8), ("b", 9)]
    >>> arrivals = [Arrival(s, n, ts, "key") for n, (s, ts) in enumerate(rows)]
    >>> results = [r for a in arrivals for r in manager.update(a)] + manager.finish()
    >>> len(results), results[-1].times
    (9, {'a': 8, 'b': 9})
    """

    def __init__(
        self,
        params: JoinManagerParams,
        query: JoinQuery,
        engine: Engine | None = None,
        on_interval: Callable[[IntervalEnd], None] | None = None,
    ) -> None:
        self.params, self.query = params, query
        self.engine: Engine = OneJoin(query) if engine is None else engine
        self._on_interval = on_interval
        streams = query.windows.streams
        self.statistics = JoinStatistics.start(params.statistics, streams)
        self.buffers = {stream: _buffer(params.policy) for stream in streams}
        self._profiler = Productivity.start(params.profile)
        self._clock, interval = params.clock
        self._intervals = IntervalCounter(interval)
        self.adaptation: RecallAdaptation | None = None
        if isinstance(params.policy, RecallParams):
            model = params.model(tuple(size for _, size in query.windows.sizes))
            self.adaptation = RecallAdaptation.start(params.policy, model)

    @property
    def slack(self) -> int:
        """``K`` in force, microseconds."""
        return max(buffer.size for buffer in self.buffers.values())

    @property
    def clock(self) -> int | None:
        """How far the replay has come: the largest local current time."""
        return self.statistics.time

    def update(self, arrival: Arrival[Any]) -> list[Combined]:
        """Take in the next tuple of any raw stream; give the results that leave."""
        self.statistics.update(arrival.stream, arrival.ts)
        if self.params.policy == "max":
            self._resize(self.statistics.max_delay)
        if self._clock == "arrival" and self.clock is not None:
            self._tick(self.clock, self.engine.time)
        buffer, results = self.buffers[arrival.stream], list[Combined]()
        buffer.push(arrival)
        # One by one: what a tuple gives may change K, which the next release test must use.
        while (delayed := buffer.pop()) is not None:
            results += [r for outcome in self.engine.update(delayed) for r in self._take(outcome)]
        return results

    def finish(self) -> list[Combined]:
        """End of all streams: flush the K-slack buffers, then the engine."""
        outcomes = [
            outcome
            for buffer in self.buffers.values()
            for delayed in buffer.flush()
            for outcome in self.engine.update(delayed)
        ]
        return [result for o in (*outcomes, *self.engine.flush()) for result in self._take(o)]

    def _take(self, outcome: Outcome) -> tuple[Combined, ...]:
        if self._clock == "output" and outcome.time is not None:
            self._tick(outcome.time, outcome.time)
        delay, joined = outcome.trigger.delay, len(outcome.results)
        if not outcome.has_entered:
            self._profiler.update_results(delay, joined, outcome.of_trigger)
        elif outcome.is_late:
            self._profiler.update_late(delay)
        else:
            self._profiler.update(delay, self._cross(outcome), joined)
        if self.adaptation is not None:
            self.adaptation.sizes.update(joined)
        return outcome.results

    def _cross(self, outcome: Outcome) -> float:
        """``n^×``, or the product of ``r_j·W_j`` where nobody knows all windows (§22.3)."""
        if outcome.cross is not None:
            return outcome.cross
        stream = outcome.trigger.arrival.stream
        return math.prod(
            (self.statistics.rate(other) or 0.0) * size
            for other, size in self.query.windows.sizes
            if other != stream
        )

    def _tick(self, time: int, progress: int | None) -> None:
        for _ in range(self._intervals.update(time)):
            profile, slack = self._profiler.close(), None
            if self.adaptation is not None:
                slack = self.adaptation.step(profile, self.statistics.get())
            if slack is not None:
                self._resize(slack)
            if self._on_interval is not None and progress is not None:
                required = self.adaptation.required if self.adaptation is not None else None
                self._on_interval(IntervalEnd(progress, self.slack, required))

    def _resize(self, slack: int) -> None:
        for buffer in self.buffers.values():
            if isinstance(buffer, KSlack) and slack != buffer.size:
                buffer.set_size(slack)


def _buffer(policy: RecallParams | Baseline | int) -> KSlack[Any] | NoSlack[Any]:
    if policy == "none":
        return NoSlack.start()
    return KSlack.start(KSlackParams(policy if isinstance(policy, int) else 0))
