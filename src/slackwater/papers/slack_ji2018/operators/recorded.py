"""A managed sliding-window aggregate over a recorded stream, window by window.

The same as pushing the tuples one by one through a ``BufferManager``, and some hundred times
faster. It rests on one observation: with the firing rule ``"pass"`` a window holds exactly those
of its tuples that arrived up to the arrival at which it fires. For a tuple beyond the window to be
released, the buffer must first have released everything older, late or not. So nothing needs to be
buffered, and only the arrival at which each window fires is searched for:

    the first p with a tuple of EP < ts <= T(p) - K among the first p arrivals.

Between two fired windows K is constant (or follows the largest delay, which is recorded).

Reference: Ji 2018, ch. 4. Slide must not exceed size, late tuples are inserted where useful, empty
windows give no result.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from slackwater.disorder.coverage import CoverageModel
from slackwater.disorder.threshold import Moments
from slackwater.errors import SlackwaterError
from slackwater.papers.slack_ji2018.operators.adaptation import Adaptation, AdaptationParams
from slackwater.papers.slack_ji2018.operators.buffer_manager import ManagerParams, kept_for
from slackwater.papers.stream.recording import Floats, PaneIndex, RecentCounts, Recording, Trace
from slackwater.papers.stream.windows import TimeWindow
from slackwater.stats.arrival import Instants
from slackwater.stats.histogram import Counts


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """What a run gave, one entry per window: SUM, rows, slack after it, coverage measured.

    ``fired`` is the arrival at which a window fired; the number of arrivals for one that was
    flushed at the end of the stream. ``true_rows`` and ``exact`` are what belongs to the window.
    """

    ends: Instants
    fired: Instants
    emitted_at: Instants
    slack: Instants
    rows: Instants
    sums: Floats
    true_rows: Instants
    exact: Floats
    looked_at: Instants
    measured: Floats

    @property
    def latency(self) -> Instants:
        """Logical latency in microseconds."""
        return self.emitted_at - self.ends


_Entry = tuple[int, int, int, int, float]


@dataclass
class _Seen:
    """An observation at an arrival of the recording."""

    replay: Recorded
    end: int
    arrival: int
    found: tuple[int, float] | None = None

    @property
    def time(self) -> int:
        return self.replay.time[self.arrival]

    @property
    def max_delay(self) -> int:
        return int(self.replay.recording.max_delay[self.arrival])

    @property
    def rate(self) -> float | None:
        rate = float(self.replay.trace.rate[self.arrival])
        return None if np.isnan(rate) else rate

    @property
    def counts(self) -> Counts:
        return self.replay.recent.at(self.arrival)

    def moments(self) -> Moments:
        return Moments.of_sums(*self.replay.panes.sums(self.end, self.arrival))

    def measured(self) -> tuple[int, float] | None:
        slide = self.replay.window.slide
        before = min(self.end, self.time - int(self.replay.trace.late[self.arrival]))
        end = before // slide * slide
        known, received = self.replay.counted(end, self.arrival)
        if known:
            self.found = (end, received / known)
        return self.found


class Recorded:
    """One run over a recording; ``run`` gives all windows."""

    def __init__(
        self, params: ManagerParams, window: TimeWindow, recording: Recording, trace: Trace
    ) -> None:
        if window.slide > window.size or window.closed != "right":
            raise SlackwaterError(
                "WINDOW_INVALID", f"recorded replay: {window} has gaps or another convention"
            )
        self.params, self.window = params, window
        self.recording, self.trace = recording, trace
        self.recent, self.panes = RecentCounts(recording, trace), PaneIndex(recording, window)
        self.time: list[int] = recording.time.tolist()
        self.received: dict[int, int] = {}
        self._purged: list[tuple[int, int]] = []  # before which end, at which arrival; both fall
        self._sorted: list[int] = recording.ts[recording.order].tolist()
        self._arrived: list[int] = recording.order.tolist()
        self._max_delay: list[int] = recording.max_delay.tolist()
        self._slack = params.policy if isinstance(params.policy, int) else 0
        self._adaptation: Adaptation | None = None
        if isinstance(params.policy, AdaptationParams):
            model = CoverageModel(window.size, trace.params.granularity, params.basic)
            self._adaptation = Adaptation.start(params.policy, model)
        self._max_until = self._last_of_max()

    def _last_of_max(self) -> int | None:
        """The last arrival up to which the slack is the largest delay, ``None`` if never."""
        if self.params.policy == "max":
            return len(self.time)
        if self._adaptation is None or self.params.during_warmup != "max" or not self.time:
            return None
        return (
            bisect_left(self.time, self.time[0] + self.params.warmup) - 1
            if self.params.warmup
            else None
        )

    def run(self) -> Run:
        fired: list[_Entry] = []
        if self.recording.size == 0:
            return self._collect(fired)
        arrival, first = self._release(self._sorted[0] - 1, 0)
        end = self.window.end_from(first if arrival < len(self.time) else self._sorted[0])
        last = self.window.ends_of(self._sorted[-1])[-1]
        while end <= last:
            arrival, beyond = self._release(end, arrival)
            while end < beyond and end <= last:
                self._fire(end, arrival, fired)
                end += self.window.slide
        return self._collect(fired)

    def _release(self, after: int, begin: int) -> tuple[int, int]:
        """At which arrival the first tuple beyond an instant is released, and its time.

        The number of arrivals, and a time beyond all windows, if that is the end of the stream.
        """
        arrival = begin
        first = bisect_right(self._sorted, after)
        while arrival < len(self.time):
            slack = self._slack_at(arrival)
            reached = bisect_left(self.time, after + 1 + slack, lo=arrival)
            if reached > arrival:
                arrival = reached  # the slack only grows on the way, if it changes at all
                continue
            for place in range(first, bisect_right(self._sorted, self.time[arrival] - slack)):
                if self._arrived[place] <= arrival:
                    return arrival, self._sorted[place]
            arrival = self._next_advance(arrival)
        return arrival, self._sorted[-1] + self.window.size + self.window.slide

    def _next_advance(self, arrival: int) -> int:
        return bisect_right(self.time, self.time[arrival], lo=arrival)

    def _slack_at(self, arrival: int) -> int:
        if self._max_until is None:
            return self._slack
        return self._max_delay[min(arrival, self._max_until)]

    def _is_warming_up(self, arrival: int) -> bool:
        return self.time[arrival] - self.time[0] < self.params.warmup

    def _fire(self, end: int, at: int, fired: list[_Entry]) -> None:
        arrival = min(at, len(self.time) - 1)
        rows = self.panes.rows(end, arrival)
        if rows == 0:
            return
        self.received[end] = rows
        looked_at, measured = end, float("nan")
        if self._adaptation is not None and not self._is_warming_up(arrival):
            seen = _Seen(self, end, arrival)
            slack = self._adaptation.step(seen)
            if slack is not None:
                self._slack, self._max_until = slack, None
            looked_at, measured = seen.found or (looked_at, measured)
        fired.append((end, at, self._slack_at(arrival), looked_at, measured))
        self._purge(end, arrival)

    def counted(self, end: int, arrival: int) -> tuple[int, int]:
        """Rows of a window that were counted by an arrival, and those that came in time."""
        known = self.panes.rows(end, arrival)
        for before, at in reversed(self._purged):
            if end < before:
                return known - self.panes.rows(end, at), 0
        return known, self.received.get(end, 0)

    def _purge(self, end: int, arrival: int) -> None:
        """Forget what the buffer manager forgets once a window has fired."""
        keep = kept_for(self._max_delay[arrival], self.window.slide)
        before = min(self.time[arrival], end) - keep
        while self._purged and self._purged[-1][0] <= before:
            self._purged.pop()
        self._purged.append((before, arrival))

    def _collect(self, fired: list[_Entry]) -> Run:
        ends, points, slack, looked_at = (
            np.array([entry[place] for entry in fired], dtype=np.int64) for place in range(4)
        )
        measured = np.array([entry[4] for entry in fired], dtype=np.float64)
        arrivals = np.minimum(points, self.recording.size - 1)
        everything = np.full(ends.size, self.recording.size, dtype=np.int64)
        rows, sums = window_sums(self.recording, self.window, ends, points)
        true_rows, exact = window_sums(self.recording, self.window, ends, everything)
        emitted_at = self.recording.time[arrivals]
        return Run(
            ends=ends,
            fired=points,
            emitted_at=emitted_at,
            slack=slack,
            rows=rows,
            sums=sums,
            true_rows=true_rows,
            exact=exact,
            looked_at=looked_at,
            measured=measured,
        )


def window_sums(
    recording: Recording, window: TimeWindow, ends: Instants, points: Instants
) -> tuple[Instants, Floats]:
    """Rows and SUM of windows, each over what arrived up to its point; points never fall."""
    if ends.size == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    arrived = np.searchsorted(points, np.arange(recording.size))  # the first window to have it
    oldest = np.searchsorted(ends, recording.ts)
    newest = np.searchsorted(ends, recording.ts + window.size)  # the first that has it no more
    begin = np.minimum(np.maximum(arrived, oldest), newest)
    rows = _spread(begin, newest, np.ones(recording.size), ends.size)
    return np.rint(rows).astype(np.int64), _spread(begin, newest, recording.values, ends.size)


def _spread(begin: Instants, end: Instants, weights: npt.ArrayLike, size: int) -> Floats:
    entering = np.bincount(begin, weights, minlength=size + 1)
    leaving = np.bincount(end, weights, minlength=size + 1)
    total: Floats = np.cumsum(entering - leaving)[:size]
    return total
