"""What a join's Buffer Manager knows of its raw streams: the statistics of each, and the leads.

Reference: Ji 2018, ch. 4, 3.
"""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.errors import check_version
from slackwater.papers.recall_ji2018.operators.join_slack import JoinSeen
from slackwater.papers.recall_ji2018.operators.lead import LeadState, MeanLead, sync_sizes
from slackwater.papers.stream.statistics import Statistics, StatisticsParams, StatisticsState

VERSION = 1


@dataclass(frozen=True, slots=True)
class StreamState:
    """One stream: its statistics, its lead, and samples of the chunk that is not full yet."""

    statistics: StatisticsState
    lead: LeadState
    samples: int
    total: int


@dataclass(frozen=True, slots=True)
class JoinStatisticsState:
    streams: tuple[tuple[str, StreamState], ...] = ()
    version: int = VERSION


class JoinStatistics:
    """Statistics of the raw streams of one join, tuple by tuple in arrival order."""

    def __init__(
        self, params: StatisticsParams, streams: tuple[str, ...], state: JoinStatisticsState
    ) -> None:
        self._chunk = params.chunk
        known = dict(state.streams)
        saved = {name: known[name].statistics if name in known else None for name in streams}
        leads = {name: known[name].lead if name in known else None for name in streams}
        self.streams = {name: Statistics.start(params, saved[name]) for name in streams}
        self._leads = {name: MeanLead.start(leads[name]) for name in streams}
        self._samples = {name: known[name].samples if name in known else 0 for name in streams}
        self._totals = {name: known[name].total if name in known else 0 for name in streams}

    @classmethod
    def start(
        cls,
        params: StatisticsParams,
        streams: tuple[str, ...],
        state: JoinStatisticsState | None = None,
    ) -> JoinStatistics:
        check_version("join statistics", state, VERSION)
        return cls(params, streams, state or JoinStatisticsState())

    def snapshot(self) -> JoinStatisticsState:
        return JoinStatisticsState(
            tuple(
                (
                    name,
                    StreamState(
                        statistics.snapshot(),
                        self._leads[name].snapshot(),
                        self._samples[name],
                        self._totals[name],
                    ),
                )
                for name, statistics in self.streams.items()
            )
        )

    @property
    def time(self) -> int | None:
        """The largest local current time: how far the replay has come."""
        return max(self._times(), default=None)

    @property
    def max_delay(self) -> int:
        return max(statistics.max_delay for statistics in self.streams.values())

    def rate(self, stream: str) -> float | None:
        """``r_i`` in tuples per microsecond."""
        return self.streams[stream].rate

    def update(self, stream: str, ts: int) -> None:
        """Observe an arrival, and how far its stream is ahead of the slowest one heard of."""
        statistics = self.streams[stream]
        dropped = statistics.window.dropped
        statistics.update(ts)
        assert statistics.time is not None
        self._samples[stream] += 1
        self._totals[stream] += statistics.time - min(self._times())
        if self._samples[stream] == self._chunk:
            # the samples live and die with the chunk of delays that was closed just now
            self._leads[stream].update(self._samples[stream], self._totals[stream])
            self._leads[stream].forget(statistics.window.dropped - dropped)
            self._samples[stream] = self._totals[stream] = 0

    def get(self) -> JoinSeen:
        leads = sync_sizes({name: lead.get() for name, lead in self._leads.items()})
        return JoinSeen(
            tuple(statistics.counts for statistics in self.streams.values()),
            tuple(leads[name] for name in self.streams),
            self.max_delay,
        )

    def _times(self) -> list[int]:
        return [one.time for one in self.streams.values() if one.time is not None]
