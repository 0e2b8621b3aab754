"""Holding: no watermark until the delays of a stream are known well enough.

A contract that has seen nothing cannot say how long to wait. So it begins by holding: it waits for
as long as it takes (``at_most`` of the contract bounds it), and first answers come later instead
of broken. A delay can only be seen once the stream is longer than it. Delays are *known* when

* the stream has run ``factor`` times as long as its longest delays, since the hold began,
* ``batches`` micro-batches could show delays, ``least`` of event time has passed, and
* ``rows`` were seen, or ``windows`` are complete: few rows say little of rare delays.

A stream whose delays are as long as itself is hence held to its end, and that is right. A regular
stream is held for a few of its delays. Design note 3 tells what else was tried.

The same again when what was known may be so no more: after a *silence* (the clock leaps; rows of
the time between may still be on their way) and after a *change* (the statistics see that delays
grow). The watermark never moves back, it stays where it is until delays are known anew. A false
alarm costs little: with short delays the condition holds again at once, or after ``batches``
batches.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Literal

from slackwater.stats.histogram import DelayHistogram

FINE = 6  # bits of a delay that are kept: a bucket is at most a thirty-second wide

Reason = Literal["start", "silence", "change"]


@dataclass(frozen=True, slots=True)
class HoldingParams:
    """What *known well enough* means.

    Parameters
    ----------
    factor
        The stream must have run so many times as long as its longest delays.
    batches
        So many micro-batches must have had the chance to show delays.
    least
        So much event time must have passed at the start, microseconds.
    rows
        So many rows must have been seen at the start, or ``windows`` windows be complete.
    tail
        The longest delays are those that this share of the late rows does not exceed: one row
        that was lost for days does not hold a stream for weeks.
    spare
        Nor are those counted, at the start, that no more than this share of all rows exceed: so
        few break no answer.
    leap
        A clock that moves so many times as far as it usually does at most has been silent.
    """

    factor: float = 2.0
    batches: int = 3
    least: int = 0
    rows: int = 0
    windows: int = 10
    tail: float = 0.999
    spare: float = 0.0
    leap: float = 4.0


@dataclass(frozen=True, slots=True)
class Glimpse:
    """One micro-batch: the clock before and after it, its oldest event time, its delays.

    ``delays`` are against the clock before the batch, in steps of ``granularity`` microseconds;
    ``windows`` are complete by now.
    ``changed`` is the instant since which delays are of another, longer kind, if statistics say
    so, and ``anew`` the delays since then.
    """

    before: int | None
    after: int | None
    low: int | None
    delays: DelayHistogram
    granularity: int
    windows: int = 0
    changed: int | None = None
    anew: DelayHistogram = field(default_factory=DelayHistogram)


@dataclass(frozen=True, slots=True)
class HoldingState:
    """Since when delays are watched, what was seen of them, and whether that is enough.

    ``late`` has late rows by delay (upper edges of coarse buckets, microseconds), ``stride`` is
    how far the clock moves in a batch at most, the past fading. ``progress`` is the longest delay
    that the newest batch could have shown.
    """

    is_known: bool = False
    reason: Reason = "start"
    since: int | None = None
    progress: int = 0
    batches: int = 0
    rows: int = 0
    late: tuple[tuple[int, int], ...] = ()
    stride: float = 0.0
    strides: int = 0

    def longest(self, tail: float, spare: float = 0.0) -> int:
        """The delay that a share ``tail`` of the late rows does not exceed, or that no more rows
        exceed than ``spare`` of those seen since the start.
        """
        late, seen = sum(rows for _, rows in self.late), 0
        wanted = min(tail * late, late - spare * self.rows)
        for edge, rows in self.late:
            seen += rows
            if seen >= wanted:
                return edge
        return 0

    def missing(self, params: HoldingParams) -> int:
        """How much event time must pass at least until delays are known."""
        if self.reason != "start":
            return max(0, round(params.factor * self.longest(params.tail)) - self.progress)
        wanted = max(params.factor * self.longest(params.tail, params.spare), params.least)
        return max(0, round(wanted) - self.progress)


def update(params: HoldingParams, state: HoldingState, glimpse: Glimpse) -> HoldingState:
    """What is known after a batch; the watermark of the batch already obeys it."""
    if glimpse.after is None:
        return state
    moved = 0 if glimpse.before is None else glimpse.after - glimpse.before
    leaped = state.strides >= params.batches and moved > params.leap * state.stride > 0
    if state.is_known and glimpse.changed is not None:
        state = replace(
            state,
            is_known=False,
            reason="change",
            since=glimpse.changed,
            batches=params.batches,  # the statistics have seen them
            late=_added((), glimpse.anew, glimpse.granularity),
        )
    elif leaped:
        state = _after_silence(state, glimpse)
    elif not state.is_known:
        state = _watched(state, glimpse)
    if glimpse.before is not None:
        stride = max(moved, 0.95 * state.stride)
        state = replace(state, stride=stride, strides=state.strides + 1)
    if state.is_known or state.since is None or glimpse.before is None:
        return state
    state = replace(state, progress=max(0, glimpse.before - state.since))
    is_sampled = state.rows >= params.rows or glimpse.windows >= params.windows
    enough = state.batches >= params.batches and state.missing(params) == 0
    return replace(state, is_known=True, late=()) if enough and is_sampled else state


def _after_silence(state: HoldingState, glimpse: Glimpse) -> HoldingState:
    """Rows of the silent time may come in the next batches; a hold at the start goes on."""
    if state.is_known:
        return replace(
            state, is_known=False, reason="silence", since=glimpse.after, batches=0, late=()
        )
    return replace(_watched(state, glimpse), batches=0)


def _watched(state: HoldingState, glimpse: Glimpse) -> HoldingState:
    since = glimpse.low if state.since is None else state.since
    if glimpse.before is None:
        return replace(state, since=since)
    if state.reason == "start" and since is not None and glimpse.low is not None:
        since = min(since, glimpse.low)
    late = _added(state.late, glimpse.delays, glimpse.granularity)
    rows = state.rows + glimpse.delays.rows
    return replace(state, since=since, batches=state.batches + 1, rows=rows, late=late)


def _added(
    late: tuple[tuple[int, int], ...], delays: DelayHistogram, granularity: int
) -> tuple[tuple[int, int], ...]:
    found = Counter(dict(late))
    for step, rows in delays.counts:
        if step > 0:
            found[_edge(step * granularity)] += rows
    return tuple(sorted(found.items()))


def _edge(delay: int) -> int:
    """The upper edge of the coarse bucket of a delay."""
    width = 1 << max(0, delay.bit_length() - FINE)
    return -(-delay // width) * width
