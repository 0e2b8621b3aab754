"""A sliding-window aggregate that answers early and takes answers back (Ji 2018, ch. 3).

It waits as long as quality asks, but never longer than ``K_ub``. What comes later still revises
windows that were answered: the old value is retracted with the new one. Revisions of a window end
when the last one is expected to be good enough, or, without that rule, when the window is dropped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from slackwater.disorder.coverage import CoverageModel
from slackwater.disorder.speculation import bounded, is_good_enough
from slackwater.disorder.threshold import Requirement, coverage_threshold
from slackwater.papers.slack_ji2018.operators.buffer_manager import SUMS
from slackwater.papers.slack_ji2018.operators.swa import SWAParams
from slackwater.papers.stream.monoids import paired
from slackwater.papers.stream.statistics import Statistics, StatisticsParams
from slackwater.stats.arrival import Arrival


@dataclass(frozen=True, slots=True)
class SpeculationParams:
    """What is asked for, and how long to wait for it.

    Parameters
    ----------
    requirement
        ``(ε_thr, δ)`` and the kind of aggregate.
    at_most
        ``K_ub``, microseconds.
    stops
        Whether revisions end once they are good enough.
    keep
        How long answered windows may be revised, microseconds.
    """

    requirement: Requirement
    at_most: int
    stops: bool = True
    keep: int = 60_000_000


@dataclass(frozen=True, slots=True)
class Answer:
    """A value of a window; ``retracted`` is the one it replaces, ``revision`` counts from 0."""

    end: int
    value: Any
    retracted: Any
    revision: int
    emitted_at: int


@dataclass(slots=True)
class _Open:
    """A window with its partial; ``given`` once it was answered."""

    partial: Any
    given: Any = None
    revision: int = -1
    is_done: bool = False


class SpeculativeSWA:
    """The operator, tuple by tuple; windows are kept whole, so that rows may be added for ever."""

    def __init__(
        self,
        params: SpeculationParams,
        query: SWAParams,
        statistics: StatisticsParams | None = None,
    ) -> None:
        self._params, self._query = params, query
        known = statistics or StatisticsParams()
        self.statistics = Statistics.start(known)
        self._model = CoverageModel(query.window.size, known.granularity)
        self._both = paired(query.aggregate, SUMS)
        self._windows: dict[int, _Open] = {}
        self.slack = 0

    def update(self, arrival: Arrival[Any]) -> list[Answer]:
        """Take in the next tuple; give answers, new ones and those that replace others."""
        self.statistics.update(arrival.ts)
        answers = []
        for end in self._query.window.ends_of(arrival.ts):
            window = self._windows.get(end)
            if window is None:
                window = self._windows[end] = _Open(self._both.zero)
            window.partial = self._both.add(window.partial, self._query.value(arrival.payload))
            if window.revision >= 0 and not window.is_done:
                answers.append(self._answer(end, window))
        return answers + self._passed()

    def finish(self) -> list[Answer]:
        """End of stream: whatever has not been answered."""
        left = [end for end, window in sorted(self._windows.items()) if window.revision < 0]
        return [self._answer(end, self._windows[end]) for end in left]

    def _passed(self) -> list[Answer]:
        """Windows that the watermark has passed, and those too old to be revised."""
        time = self.statistics.time
        assert time is not None
        answers = []
        for end in sorted(self._windows):
            window = self._windows[end]
            if end + self.slack >= time:
                break
            if window.revision < 0:
                answers.append(self._answer(end, window))
            elif end + self._params.keep < time:
                del self._windows[end]
        return answers

    def _answer(self, end: int, window: _Open) -> Answer:
        value, moments = self._both.get(window.partial)
        time, counts = self.statistics.time, self.statistics.counts
        assert time is not None
        threshold = coverage_threshold(self._params.requirement, moments)
        if window.revision < 0:
            wanted = self._model.smallest_of(counts, threshold)
            self.slack = bounded(wanted, self._params.at_most)
        waited = max(0, time - end)
        window.is_done = self._params.stops and is_good_enough(
            self._model, counts, waited, threshold
        )
        before, window.given = window.given, value
        window.revision += 1
        return Answer(end, value, before, window.revision, time)
