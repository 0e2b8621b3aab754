"""Recorded streams of a join as columns, and what does not depend on the slack, worked out once.

Reference: Ji 2018, ch. 4 (leads are measured on the raw streams).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from slackwater.papers.recall_ji2018.operators.join_slack import JoinSeen
from slackwater.papers.recall_ji2018.operators.lead import sync_sizes
from slackwater.papers.stream.recording import RecentCounts, Recording, Trace
from slackwater.papers.stream.statistics import StatisticsParams
from slackwater.stats.arrival import Instants, instants

FAR = np.iinfo(np.int64).max // 4


@dataclass(frozen=True, slots=True, eq=False)
class JoinRecording:
    """Tuples of all streams in arrival order.

    Parameters
    ----------
    port, ts
        Number of the stream and event time of every arrival.
    clock
        The largest local current time after every arrival.
    delay
        Delay of every arrival within its stream.
    streams
        Each stream on its own.
    leads
        For each stream, the sum of its leads over the slowest one up to each of its arrivals.
    """

    port: Instants
    ts: Instants
    clock: Instants
    delay: Instants
    streams: tuple[Recording, ...]
    leads: tuple[Instants, ...]

    @classmethod
    def of(cls, port: npt.ArrayLike, ts: npt.ArrayLike, count: int) -> JoinRecording:
        """Columns of one length; ``count`` streams, even if some of them are empty."""
        ports, known = instants(port, what="port"), instants(ts)
        mine = [ports == number for number in range(count)]
        streams = tuple(Recording.of(known[own], np.zeros(int(own.sum()))) for own in mine)
        delay = np.zeros(known.size, dtype=np.int64)
        times = np.full((count, known.size), FAR, dtype=np.int64)  # not heard of yet: not slowest
        for number, own in enumerate(mine):
            delay[own] = streams[number].delay
            seen = np.cumsum(own)
            heard = seen > 0
            times[number, heard] = streams[number].time[seen[heard] - 1]
        slowest = times.min(axis=0)
        leads = tuple(
            np.concatenate([[0], np.cumsum(times[number, own] - slowest[own])])
            for number, own in enumerate(mine)
        )
        return cls(ports, known, np.maximum.accumulate(known), delay, streams, leads)

    @property
    def size(self) -> int:
        return int(self.ts.size)


@dataclass(frozen=True, slots=True, eq=False)
class JoinTrace:
    """The statistics of every stream after each of its arrivals."""

    recording: JoinRecording
    traces: tuple[Trace, ...]

    @classmethod
    def of(cls, recording: JoinRecording, params: StatisticsParams) -> JoinTrace:
        """Run the statistics over every stream once."""
        traces = tuple(Trace.of(stream, params) for stream in recording.streams)
        return cls(recording, traces)


class TracedStatistics:
    """What a decision looks at, from a trace; asked in arrival order."""

    def __init__(self, trace: JoinTrace) -> None:
        self._trace = trace
        pairs = zip(trace.recording.streams, trace.traces, strict=True)
        self._recent = [RecentCounts(stream, one) for stream, one in pairs]

    def at(self, seen: list[int]) -> JoinSeen:
        """After so many arrivals of each stream."""
        streams = self._trace.recording.streams
        heard = [number for number in range(len(seen)) if seen[number]]
        nothing = np.zeros(1, dtype=np.int64)
        leads = sync_sizes({str(number): self._lead(number, n) for number, n in enumerate(seen)})
        return JoinSeen(
            tuple(
                recent.at(seen[number] - 1) if seen[number] else nothing
                for number, recent in enumerate(self._recent)
            ),
            tuple(leads.values()),
            max((int(streams[n].max_delay[seen[n] - 1]) for n in heard), default=0),
        )

    def _lead(self, number: int, seen: int) -> float | None:
        if not seen:
            return None
        trace, sums = self._trace.traces[number], self._trace.recording.leads[number]
        first, last = int(trace.start[seen - 1]), trace.full(seen - 1)
        return float(sums[last] - sums[first]) / (last - first) if last > first else None
