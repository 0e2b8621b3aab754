"""What a Buffer Manager knows of its stream: delays, the recent ones, the largest, the rate.

Reference: Ji 2018, ch. 3, 4 (Statistics Manager). Delays enter the window of recent history
``R^stat`` in chunks, the others tuple by tuple.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from slackwater.errors import CheckpointError, SlackwaterError, check_version
from slackwater.papers.stream.quantile import LateQuantile, LateQuantileParams, LateQuantileState
from slackwater.papers.stream.rate import ArrivalRate, RateParams, RateState
from slackwater.papers.stream.recent import Recent, RecentParams, RecentState
from slackwater.stats.adwin import Adwin, AdwinParams, AdwinState
from slackwater.stats.histogram import Counts, DelayHistogram
from slackwater.units import MILLISECOND, SECOND

VERSION = 1


@dataclass(frozen=True, slots=True)
class StatisticsParams:
    """What is remembered, and for how long.

    Parameters
    ----------
    granularity
        ``g`` of the delay histogram, microseconds.
    window
        ``R^stat``: adaptive, or of fixed length.
    cap
        Delay that ADWIN sees as 1; larger ones count as 1, too. Microseconds.
    chunk
        Tuples between two looks at the window.
    late
        ``q``, the retrospect: which quantile of the late delays.
    rate
        How fast the arrival rate forgets.
    """

    granularity: int = 10 * MILLISECOND
    window: AdwinParams | RecentParams = field(default_factory=AdwinParams)
    cap: int = SECOND
    chunk: int = 32
    late: LateQuantileParams = field(default_factory=LateQuantileParams)
    rate: RateParams = field(default_factory=RateParams)

    def __post_init__(self) -> None:
        if min(self.granularity, self.cap, self.chunk) <= 0:
            raise SlackwaterError(
                "STATISTICS_INVALID",
                f"statistics: granularity {self.granularity}, cap {self.cap} and chunk "
                f"{self.chunk} must be above 0",
            )


@dataclass(frozen=True, slots=True)
class StatisticsState:
    """Everything known: ``pending`` are the delays of the chunk that is not full yet."""

    first: int | None = None
    time: int | None = None
    max_delay: int = 0
    pending: tuple[int, ...] = ()
    chunk_began: int | None = None
    window: AdwinState | RecentState | None = None
    late: LateQuantileState | None = None
    rate: RateState | None = None
    version: int = VERSION


class Statistics:
    """The statistics of one stream, tuple by tuple in arrival order."""

    def __init__(self, params: StatisticsParams, state: StatisticsState) -> None:
        self._params = params
        self.first, self.time, self.max_delay = state.first, state.time, state.max_delay
        self._pending = list(state.pending)
        self._chunk_began = state.chunk_began
        self.window = _open_window(params.window, state.window)
        self._late = LateQuantile.start(params.late, state.late)
        self._rate = ArrivalRate.start(params.rate, state.rate)

    @classmethod
    def start(cls, params: StatisticsParams, state: StatisticsState | None = None) -> Statistics:
        check_version("statistics", state, VERSION)
        return cls(params, state or StatisticsState())

    def snapshot(self) -> StatisticsState:
        return StatisticsState(
            first=self.first,
            time=self.time,
            max_delay=self.max_delay,
            pending=tuple(self._pending),
            chunk_began=self._chunk_began,
            window=self.window.snapshot(),
            late=self._late.snapshot(),
            rate=self._rate.snapshot(),
        )

    @property
    def counts(self) -> Counts:
        """``ℋ``: rows of ``R^stat`` by coarse delay."""
        return self.window.counts

    @property
    def max_recent(self) -> int:
        """``MaxD^R``: largest delay inside ``R^stat``, to the granularity."""
        return (self.counts.size - 1) * self._params.granularity

    @property
    def rate(self) -> float | None:
        """``r`` in tuples per microsecond, ``None`` while unknown."""
        return self._rate.get()

    @property
    def late(self) -> int:
        """``M``: the ``q``-quantile of the delays of late tuples; 0 while there was none."""
        return self._late.get() or 0

    def update(self, ts: int) -> int:
        """Observe an arrival; give its delay."""
        if self.time is None:
            self.first, self.time, self._chunk_began = ts, ts, ts
        self.time = max(self.time, ts)
        delay = self.time - ts
        self.max_delay = max(self.max_delay, delay)
        self._late.update(delay)
        self._pending.append(delay)
        if len(self._pending) == self._params.chunk:
            self._close_chunk(self.time)
        return delay

    def _close_chunk(self, time: int) -> None:
        assert self._chunk_began is not None
        delays = DelayHistogram.of_delays(self._pending, self._params.granularity)
        if isinstance(self.window, Recent):
            self.window.update(time, delays)
        else:
            shares = [min(1.0, delay / self._params.cap) for delay in self._pending]
            mean = sum(shares) / len(shares)
            deviation = sum((share - mean) ** 2 for share in shares)
            self.window.update(mean, delays, items=len(shares), deviation=deviation)
        self._rate.update(len(self._pending), time - self._chunk_began)
        self._pending, self._chunk_began = [], time


def _open_window(
    params: AdwinParams | RecentParams, state: AdwinState | RecentState | None
) -> Adwin | Recent:
    if isinstance(params, RecentParams) and not isinstance(state, AdwinState):
        return Recent.start(params, state)
    if isinstance(params, AdwinParams) and not isinstance(state, RecentState):
        return Adwin.start(params, state)
    raise CheckpointError(
        "STATE_KIND_UNKNOWN",
        "statistics: saved with another kind of window of recent history",
        "restart with the window it was saved with, or without saved state",
    )
