"""The Buffer Manager of one join: K-slack buffers of one common size, then the join itself.

Two steps: a K-slack buffer per raw stream, then synchronisation buffers in front of the operators.
At the end of every adaptation interval a recall requirement decides the common slack. The baselines
run through the same door: no K-slack at all, the largest delay so far, or a fixed slack.

Reference: Ji 2018, ch. 3, 4 (progress of the output drives the intervals).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from slackwater.disorder.recall import RecallModel
from slackwater.errors import CheckpointError, check_version
from slackwater.papers.recall_ji2018.operators.combined import Combined
from slackwater.papers.recall_ji2018.operators.engine import Engine, JoinQuery, OneJoin, Outcome
from slackwater.papers.recall_ji2018.operators.interval import IntervalCounter, IntervalEnd
from slackwater.papers.recall_ji2018.operators.join_slack import (
    RecallAdaptation,
    RecallParams,
    RecallState,
)
from slackwater.papers.recall_ji2018.operators.productivity import (
    Productivity,
    ProductivityParams,
    ProductivityState,
)
from slackwater.papers.recall_ji2018.operators.statistics import JoinStatistics, JoinStatisticsState
from slackwater.papers.stream.baselines import NoSlack, NoSlackState
from slackwater.papers.stream.kslack import KSlack, KSlackParams, KSlackState
from slackwater.papers.stream.statistics import StatisticsParams
from slackwater.stats.arrival import Arrival
from slackwater.units import SECOND

VERSION = 1

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
class JoinManagerState:
    """Saved query without its engine, which is saved and opened by itself."""

    statistics: JoinStatisticsState | None = None
    buffers: tuple[tuple[str, KSlackState[Any] | NoSlackState[Any]], ...] = ()
    profile: ProductivityState | None = None
    adaptation: RecallState | None = None
    interval: int | None = None
    version: int = VERSION


class JoinManager:
    """A join behind buffers whose common size is managed.

    Examples
    --------
    >>> from slackwater.papers.recall_ji2018.operators.condition import same_key
    >>> from slackwater.papers.recall_ji2018.operators.windows import StreamWindows
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
        *,
        state: JoinManagerState | None = None,
    ) -> None:
        state = state or JoinManagerState()
        check_version("join manager", state, VERSION)
        self.params, self.query = params, query
        self.engine: Engine = OneJoin(query) if engine is None else engine
        self._on_interval = on_interval
        streams = query.windows.streams
        self.statistics = JoinStatistics.start(params.statistics, streams, state.statistics)
        held = dict(state.buffers)
        self.buffers = {stream: _open(params.policy, held.get(stream)) for stream in streams}
        self._profiler = Productivity.start(params.profile, state.profile)
        self._clock, interval = params.clock
        self._intervals = IntervalCounter(interval, state.interval)
        self.adaptation: RecallAdaptation | None = None
        if isinstance(params.policy, RecallParams):
            model = params.model(tuple(size for _, size in query.windows.sizes))
            self.adaptation = RecallAdaptation.start(params.policy, model, state.adaptation)

    def snapshot(self) -> JoinManagerState:
        return JoinManagerState(
            self.statistics.snapshot(),
            tuple((stream, buffer.snapshot()) for stream, buffer in self.buffers.items()),
            self._profiler.snapshot(),
            self.adaptation.snapshot() if self.adaptation is not None else None,
            self._intervals.current,
        )

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
        """``n^×``, or the product of ``r_j·W_j`` where nobody knows all windows."""
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


def _open(
    policy: RecallParams | Baseline | int, state: KSlackState[Any] | NoSlackState[Any] | None
) -> KSlack[Any] | NoSlack[Any]:
    if policy == "none" and not isinstance(state, KSlackState):
        return NoSlack.start(state)
    if policy != "none" and not isinstance(state, NoSlackState):
        return KSlack.start(KSlackParams(policy if isinstance(policy, int) else 0), state)
    raise CheckpointError(
        "STATE_KIND_UNKNOWN",
        f"join manager: saved with another kind of buffer than policy {policy!r} has",
        "restart with the policy it was saved with, or without saved state",
    )
