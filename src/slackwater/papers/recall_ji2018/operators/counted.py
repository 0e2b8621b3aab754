"""A managed join over recorded streams, counted instead of made.

The same as pushing the tuples one by one through a :class:`JoinManager` with one m-way operator,
without results, records and statistics on the way: numbers stand for tuples, a :class:`Probe`
tells how many results each has, and the statistics come from a trace. Where tuples of several
streams share an instant, another one of them may be taken to have caused a result.

Reference: Ji 2018, ch. 3, 4.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from heapq import heappop, heappush
from math import prod

import numpy as np

from slackwater.papers.recall_ji2018.operators.interval import IntervalCounter, IntervalEnd
from slackwater.papers.recall_ji2018.operators.join_manager import JoinManagerParams
from slackwater.papers.recall_ji2018.operators.join_slack import RecallAdaptation, RecallParams
from slackwater.papers.recall_ji2018.operators.probe import Probe
from slackwater.papers.recall_ji2018.operators.productivity import Productivity
from slackwater.papers.recall_ji2018.operators.quality import ResultTimes
from slackwater.papers.recall_ji2018.operators.recording import (
    JoinRecording,
    JoinTrace,
    TracedStatistics,
)


@dataclass(frozen=True, slots=True, eq=False)
class JoinRun:
    """What a run gave: results by event time, their mean latency, and the ends of intervals.

    Latency is logical: progress of the fastest stream at emission beyond the result, in
    microseconds over the results that left before the end of the streams; ``None`` without any.
    """

    results: ResultTimes
    latency: float | None
    intervals: tuple[IntervalEnd, ...]
    late: int


class CountedJoin:
    """One run over a recording; ``run`` gives the whole of it.

    Parameters
    ----------
    params
        How the common slack is chosen.
    windows
        ``W_i`` of every stream, microseconds.
    trace
        The recording and its statistics.
    probe
        Empty windows that count.
    """

    def __init__(
        self,
        params: JoinManagerParams,
        windows: tuple[int, ...],
        trace: JoinTrace,
        probe: Probe,
    ) -> None:
        self._params, self._windows, self._probe = params, windows, probe
        recording = trace.recording
        self._size = recording.size
        self._port: list[int] = recording.port.tolist()
        self._delay: list[int] = recording.delay.tolist()
        self._ts: list[int] = recording.ts.tolist()
        self._clocks: list[int] = recording.clock.tolist()
        self._statistics = TracedStatistics(trace)
        ports = range(len(windows))
        self._seen = [0 for _ in ports]
        self._held: list[list[int]] = [[] for _ in ports]  # K-slack, by ts and arrival
        self._waiting = [0 for _ in ports]
        self._merged: list[int] = []  # synchronisation buffer
        self._inside: list[list[int]] = [[] for _ in ports]  # windows
        self._others = [[other for other in ports if other != port] for port in ports]
        self._synced: int | None = None
        self._time: int | None = None
        self._clock = 0
        self._slack = params.policy if isinstance(params.policy, int) else 0
        self._profiler = Productivity.start(params.profile)
        self._driver, interval = params.clock
        self._intervals = IntervalCounter(interval)
        self.adaptation: RecallAdaptation | None = None
        if isinstance(params.policy, RecallParams):
            model = params.model(windows)
            self.adaptation = RecallAdaptation.start(params.policy, model)
        self._results: dict[int, int] = {}
        self._waited, self._counted, self._late = 0, 0, 0
        self._ends: list[IntervalEnd] = []

    def run(self) -> JoinRun:
        arrive = self._pass if self._params.policy == "none" else self._hold
        times: list[int | None] = [None] * len(self._windows)
        largest, is_max = 0, self._params.policy == "max"
        for number, (port, ts) in enumerate(zip(self._port, self._ts, strict=True)):
            self._seen[port] += 1
            self._clock = self._clocks[number]
            if is_max and self._delay[number] > largest:
                largest = self._slack = self._delay[number]
            if self._driver == "arrival":
                self._tick(self._clock)
            time = times[port]
            is_new = time is None or ts > time
            if is_new:
                times[port] = ts
            arrive(port, ts, number, is_new)
        latency = self._waited / self._counted if self._counted else None
        self._finish()
        return JoinRun(ResultTimes.of(self._results), latency, tuple(self._ends), self._late)

    def _pass(self, port: int, ts: int, number: int, is_new: bool) -> None:  # noqa: ARG002
        self._merge(port, ts * self._size + number)

    def _hold(self, port: int, ts: int, number: int, is_new: bool) -> None:
        held, size = self._held[port], self._size
        heappush(held, ts * size + number)
        if is_new:
            # the slack may change with every tuple that leaves
            while held and held[0] // size + self._slack <= ts:
                self._merge(port, heappop(held))

    def _merge(self, port: int, code: int) -> None:
        size, waiting, merged = self._size, self._waiting, self._merged
        if self._synced is not None and code // size <= self._synced:
            self._take(code)
            return
        heappush(merged, code)
        waiting[port] += 1
        while all(waiting):
            self._synced = merged[0] // size
            while merged and merged[0] // size == self._synced:
                self._leave()

    def _leave(self) -> None:
        code = heappop(self._merged)
        self._waiting[self._port[code % self._size]] -= 1
        self._take(code)

    def _take(self, code: int) -> None:
        ts, number = divmod(code, self._size)
        port, delay = self._port[number], self._delay[number]
        if self._time is not None and ts < self._time:
            self._late += 1
            self._profiler.update_late(delay)
            if ts >= self._time - self._windows[port]:
                self._insert(port, number, code)
            return
        self._time = ts
        if self._driver == "output":
            self._tick(ts)
        for other in self._others[port]:
            inside, oldest = self._inside[other], (ts - self._windows[other]) * self._size
            while inside and inside[0] < oldest:
                self._probe.remove(other, heappop(inside) % self._size)
        found = self._probe.count(port, number)
        cross = prod([len(self._inside[other]) for other in self._others[port]])
        self._insert(port, number, code)
        self._profiler.update(delay, cross, found)
        if found:
            self._results[ts] = self._results.get(ts, 0) + found
            self._counted += found
            self._waited += found * (self._clock - ts)
            if self.adaptation is not None:
                self.adaptation.sizes.update(found)

    def _insert(self, port: int, number: int, code: int) -> None:
        self._probe.insert(port, number)
        heappush(self._inside[port], code)

    def _tick(self, time: int) -> None:
        for _ in range(self._intervals.update(time)):
            profile, required = self._profiler.close(), None
            if self.adaptation is not None:
                slack = self.adaptation.step(profile, self._statistics.at(self._seen))
                self._slack = self._slack if slack is None else slack
                required = self.adaptation.required
            if self._time is not None:
                self._ends.append(IntervalEnd(self._time, self._slack, required))

    def _finish(self) -> None:
        for port, held in enumerate(self._held):
            while held:
                self._merge(port, heappop(held))
        while self._merged:
            self._leave()


def exact_counts(recording: JoinRecording, windows: tuple[int, ...], probe: Probe) -> ResultTimes:
    """True results by event time: the tuples without disorder."""
    found: dict[int, int] = {}
    inside: list[deque[int]] = [deque() for _ in windows]
    ports, times = recording.port.tolist(), recording.ts.tolist()
    for number in np.argsort(recording.ts, kind="stable").tolist():
        port, ts = ports[number], times[number]
        for other, window in enumerate(windows):
            kept = inside[other]
            while other != port and kept and times[kept[0]] < ts - window:
                probe.remove(other, kept.popleft())
        matches = probe.count(port, number)
        if matches:
            found[ts] = found.get(ts, 0) + matches
        probe.insert(port, number)
        inside[port].append(number)
    return ResultTimes.of(found)
