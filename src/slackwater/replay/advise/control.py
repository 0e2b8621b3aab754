"""Quality-driven slack, played over a recording.

The controller is called once per step of the stream, an interval of event time with at least one
row, and says which slack is in force from then on. It sees what the engine's controller sees: the
clock, rows by pane, values and sizes of recent windows, and how many of the results that became
measurable kept the bound.

A step is what a micro-batch is to the engine: its rows meet the watermark, and the controller
counts delays, by the clock at the start of the step; a window closes at the end of one. Were rows
judged by a clock that moves inside a step, the controller would wait up to a step too short.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from slackwater.disorder import error_slack
from slackwater.disorder.error_slack import ErrorSeen, ErrorSlackParams, ErrorSlackState
from slackwater.disorder.threshold import Requirement
from slackwater.query.contract import ErrorKind
from slackwater.replay.advise.ledger import Ledger
from slackwater.replay.advise.quality import Target
from slackwater.replay.advise.recording import Tell, tell_nothing
from slackwater.replay.advise.stakes import Stakes
from slackwater.replay.advise.timeline import BEFORE_ALL, Timeline
from slackwater.stats.arrival import Instants
from slackwater.stats.panes import PaneCount
from slackwater.units import MILLISECOND

MOST_STEPS = 20_000  # a step takes some milliseconds
BUCKETS = 10_000  # of the delay histogram, at most
_KINDS: dict[str, ErrorKind] = {"count": "count", "sum": "sum", "avg": "avg"}


class Controller(Protocol):
    """Says which slack is in force after what was seen, in microseconds."""

    def step(self, seen: ErrorSeen) -> int: ...


class QualityDriven:
    """The engine's own controller. A hold is a slack that leaves the watermark where it is."""

    def __init__(self, params: ErrorSlackParams, first: int) -> None:
        self.params = params
        self.state = ErrorSlackState()
        self._watermark = first  # the first row is in no window that ends here

    def step(self, seen: ErrorSeen) -> int:
        self.state = error_slack.step(self.params, self.state, seen)
        if seen.after is None:
            return self.state.slack
        if not self.state.is_endless:
            self._watermark = max(self._watermark, seen.after - self.state.slack)
            return self.state.slack
        return seen.after - self._watermark


@dataclass(frozen=True, slots=True, eq=False)
class Played:
    """Slack and clock in force when each row comes, and after the last; steps, their length."""

    slacks: Instants
    clock: Instants
    steps: int
    interval: int


def quality_driven(timeline: Timeline, stakes: Stakes, target: Target) -> QualityDriven:
    """The controller for a query, with the parameters the simulation gives it."""
    frames = stakes.frames
    coarsest = int(timeline.delays().max()) // BUCKETS
    granularity = max(frames.slide // 100, MILLISECOND, coarsest)  # the default of a contract
    kind = _KINDS.get(stakes.measure.kind, "heuristic")
    # All results within the bound is nothing a controller can promise.
    delta = max(1 - target.confidence, 1e-4)
    requirement = Requirement(kind, target.error, delta)
    params = ErrorSlackParams(frames.size, frames.slide, (requirement,), granularity)
    return QualityDriven(params, int(timeline.times.min()))


def play(
    timeline: Timeline,
    stakes: Stakes,
    target: Target,
    controller: Controller,
    interval: int | None = None,
    *,
    tell: Tell = tell_nothing,
) -> Played:
    """Let a controller choose the slack, step by step."""
    span = int(timeline.progress[-1] - timeline.progress[0])
    interval = interval or max(stakes.frames.slide // 2, span // MOST_STEPS, 1)
    bounds = _bounds(timeline, interval)
    ledger = Ledger(timeline, stakes, target)
    slacks = np.zeros(timeline.rows + 1, dtype=np.int64)
    clock = np.full(timeline.rows + 1, BEFORE_ALL)
    now = 0
    before: int | None = None
    for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        tell("play the controller", begin, timeline.rows)
        slacks[begin:end] = now
        clock[begin:end] = BEFORE_ALL if before is None else before
        after = int(timeline.progress[end - 1])
        ledger.pass_by(begin, end, now)
        now = controller.step(
            ErrorSeen(
                before=before,
                after=after,
                counts=_pane_counts(timeline.times[begin:end], stakes.frames.pane),
                sums=(ledger.sums,),
                sizes=ledger.sizes,
                measured=ledger.measured,
                within=ledger.within,
                watermark=ledger.watermark,
                settled=ledger.settled,
            )
        )
        before = after
    slacks[-1], clock[-1] = now, timeline.progress[-1]
    return Played(slacks, clock, bounds.size - 1, interval)


def _bounds(timeline: Timeline, interval: int) -> Instants:
    """Row numbers where steps begin, and the number of rows."""
    number = timeline.progress // interval
    begins = np.flatnonzero(np.diff(number, prepend=number[0] - 1))
    return np.append(begins, timeline.rows)


def _pane_counts(times: Instants, pane: int) -> tuple[PaneCount, ...]:
    ordered = np.sort(times)
    starts = np.flatnonzero(np.diff(ordered // pane, prepend=BEFORE_ALL))
    ends = np.append(starts[1:], ordered.size)
    low, high = ordered[starts], ordered[ends - 1]
    columns = (low - low % pane, ends - starts, low, high)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return tuple(PaneCount(at, True, count, lo, hi) for at, count, lo, hi in rows)
