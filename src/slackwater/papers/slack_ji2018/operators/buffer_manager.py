"""The Buffer Manager of one sliding-window aggregate: the slack follows a quality requirement.

It observes every arrival, and whenever the aggregate fires a window it decides how long to wait
for stragglers from now on. The baselines run through the same door: no waiting at all, waiting for
the worst straggler seen so far, or a fixed slack.

Reference: Ji 2018, ch. 4 (baselines; warm-up; K = 0 at first).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Generic, Literal, TypeVar

from slackwater.disorder.coverage import CoverageModel
from slackwater.disorder.threshold import Moments
from slackwater.errors import CheckpointError, check_version
from slackwater.papers.slack_ji2018.operators.adaptation import (
    Adaptation,
    AdaptationParams,
    AdaptationState,
)
from slackwater.papers.slack_ji2018.operators.swa import SWA, SWAParams, SWAState, WindowResult
from slackwater.papers.stream.baselines import NoSlack, NoSlackState
from slackwater.papers.stream.kslack import KSlack, KSlackParams, KSlackState
from slackwater.papers.stream.monoids import Monoid, paired
from slackwater.papers.stream.statistics import Statistics, StatisticsParams, StatisticsState
from slackwater.stats.arrival import Arrival
from slackwater.stats.histogram import Counts
from slackwater.units import SECOND

P = TypeVar("P")

VERSION = 1

Baseline = Literal["none", "max"]
Warmup = Literal["max", "zero"]

SUMS: Monoid[Any, tuple[int, float, float], Moments] = Monoid(
    zero=(0, 0.0, 0.0),
    lift=lambda value: (0, 0.0, 0.0) if value is None else (1, value, value * value),
    merge=lambda a, b: (a[0] + b[0], a[1] + b[1], a[2] + b[2]),
    get=lambda sums: Moments.of_sums(*sums),
)


@dataclass(frozen=True, slots=True)
class ManagerParams:
    """How the slack of a query is chosen.

    Parameters
    ----------
    policy
        A requirement to be kept (``AdaptationParams``), ``"none"`` for no buffer at all, ``"max"``
        for the largest delay so far, or a fixed slack in microseconds.
    statistics
        What is remembered of the stream.
    basic
        Length ``b`` of a basic window of the model; the granularity by default.
    warmup
        ``L_warmup``: no decision before the stream has progressed by this much, microseconds.
    during_warmup
        Until then wait like ``"max"`` (safe), or not at all (``"zero"``).
    """

    policy: AdaptationParams | Baseline | int
    statistics: StatisticsParams = field(default_factory=StatisticsParams)
    basic: int | None = None
    warmup: int = 5 * SECOND
    during_warmup: Warmup = "max"


@dataclass(frozen=True, slots=True)
class ManagerState:
    """Saved query: statistics, buffer, operator and decisions."""

    statistics: StatisticsState | None = None
    buffer: KSlackState[Any] | NoSlackState[Any] | None = None
    swa: SWAState | None = None
    adaptation: AdaptationState | None = None
    version: int = VERSION


def kept_for(max_delay: int, slide: int) -> int:
    """How long windows are counted for. Nothing later than the largest delay is expected; measuring
    may look one slide, and the error of the quantile, further back than that.
    """
    return max_delay * 51 // 50 + slide


class BufferManager(Generic[P]):
    """A sliding-window aggregate behind a buffer whose size is managed.

    Examples
    --------
    >>> from slackwater.papers.stream.monoids import COUNT
    >>> from slackwater.papers.stream.windows import TimeWindow
    >>> from slackwater.stats.arrival import arrivals
    >>> query = SWAParams(TimeWindow(10, 10), COUNT, value=lambda _: 1)
    >>> manager = BufferManager.start(ManagerParams("max"), query)
    >>> results = [r for a in arrivals([4, 9, 6, 12, 8, 14]) for r in manager.update(a)]
    >>> manager.slack, results
    (4, [])
    >>> [(r.end, r.value) for r in manager.finish()]
    [(10, 4), (20, 2)]
    """

    def __init__(self, params: ManagerParams, query: SWAParams, state: ManagerState) -> None:
        self.params = params
        self.query = query
        self.statistics = Statistics.start(params.statistics, state.statistics)
        self._buffer = _open_buffer(params, state.buffer)
        measured = replace(query, aggregate=paired(query.aggregate, SUMS))
        self.swa: SWA[P] = SWA.start(measured, self._buffer, state.swa, on_window=self._on_window)
        self.seen: Fired | None = None  # what the newest decision had before it
        self.adaptation: Adaptation | None = None
        if isinstance(params.policy, AdaptationParams):
            model = CoverageModel(query.window.size, params.statistics.granularity, params.basic)
            self.adaptation = Adaptation.start(params.policy, model, state.adaptation)

    @classmethod
    def start(
        cls, params: ManagerParams, query: SWAParams, state: ManagerState | None = None
    ) -> BufferManager[P]:
        check_version("buffer manager", state, VERSION)
        return cls(params, query, state or ManagerState())

    def snapshot(self) -> ManagerState:
        adaptation = self.adaptation.snapshot() if self.adaptation is not None else None
        return ManagerState(
            self.statistics.snapshot(), self._buffer.snapshot(), self.swa.snapshot(), adaptation
        )

    @property
    def slack(self) -> int:
        """``K`` in force, microseconds."""
        return self._buffer.size

    def update(self, arrival: Arrival[P]) -> list[WindowResult]:
        """Take in the next tuple of the raw stream; give the results of windows that fire."""
        self.statistics.update(arrival.ts)
        if self._follows_max():
            self._resize(self.statistics.max_delay)
        return [_plain(result) for result in self.swa.update(arrival)]

    def finish(self) -> list[WindowResult]:
        """End of stream: flush the buffer and fire every window that holds a tuple."""
        return [_plain(result) for result in self.swa.finish()]

    def _follows_max(self) -> bool:
        if self.params.policy == "max":
            return True
        waits = self.adaptation is not None and self.params.during_warmup == "max"
        return waits and self._is_warming_up()

    def _is_warming_up(self) -> bool:
        first, time = self.statistics.first, self.statistics.time
        return first is None or time is None or time - first < self.params.warmup

    def _on_window(self, fired: WindowResult) -> None:
        time = self.statistics.time
        assert time is not None
        self.seen = Fired(self.statistics, self.swa, fired)
        if self.adaptation is not None and not self._is_warming_up():
            slack = self.adaptation.step(self.seen)
            if slack is not None:
                self._resize(slack)
        keep = kept_for(self.statistics.max_delay, self.query.window.slide)
        self.swa.counters.purge(before=min(time, fired.end) - keep)

    def _resize(self, slack: int) -> None:
        if isinstance(self._buffer, KSlack) and slack != self._buffer.size:
            self._buffer.set_size(slack)


class Fired:
    """An observation: the stream and the aggregate at the moment a window fired."""

    def __init__(self, statistics: Statistics, swa: SWA[Any], fired: WindowResult) -> None:
        self._statistics = statistics
        self._swa = swa
        self._fired = fired

    @property
    def end(self) -> int:
        return self._fired.end

    @property
    def time(self) -> int:
        assert self._statistics.time is not None
        return self._statistics.time

    @property
    def max_delay(self) -> int:
        return self._statistics.max_delay

    @property
    def rate(self) -> float | None:
        return self._statistics.rate

    @property
    def counts(self) -> Counts:
        return self._statistics.counts

    def moments(self) -> Moments:
        """Moments of the values in the window that fired."""
        moments: Moments = self._fired.value[1]
        return moments

    def measured(self) -> tuple[int, float] | None:
        """Coverage, by now, of the newest window that most of its stragglers must have reached."""
        slide = self._swa.params.window.slide
        before = min(self.end, self.time - self._statistics.late)
        end = before // slide * slide
        share = self._swa.counters.get(end).share
        return None if share is None else (end, share)


def _open_buffer(
    params: ManagerParams, state: KSlackState[Any] | NoSlackState[Any] | None
) -> KSlack[Any] | NoSlack[Any]:
    if params.policy == "none" and not isinstance(state, KSlackState):
        return NoSlack.start(state)
    if params.policy != "none" and not isinstance(state, NoSlackState):
        size = params.policy if isinstance(params.policy, int) else 0
        return KSlack.start(KSlackParams(size), state)
    raise CheckpointError(
        "STATE_KIND_UNKNOWN",
        f"buffer manager: saved with another kind of buffer than policy {params.policy!r} has",
        "restart with the policy it was saved with, or without saved state",
    )


def _plain(result: WindowResult) -> WindowResult:
    return replace(result, value=result.value[0])
