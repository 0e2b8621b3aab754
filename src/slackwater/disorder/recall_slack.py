"""Slack from a recall contract: how long to wait so that a join finds enough of its results.

On micro-batches it is known for every result, once its last member has come, which slack would
have found it in time: a result needs the clock at the start of the batch that completed it, less
the instant up to which it could have waited. Counted by event time, this gives the recall that
*any* slack would have reached in every past period: no model, no assumption. That is the curve;
why the slack is what it is: ``disorder/slack.py``. Delays are watched by input, against the
join's clock. While held, immediate results come all the same, only nothing is let go of.

Reference: Ji 2018, ch. 4; the calibrated choice goes beyond the source work, which estimates the
results of late tuples because it never computes them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce

import numpy as np

from slackwater.disorder import arrivals, conformal, feedback, periods, slack
from slackwater.disorder.arrivals import Curves, Steps
from slackwater.disorder.conformal import Came, ConformalParams
from slackwater.disorder.holding import HoldingParams
from slackwater.disorder.periods import Found, Period, PeriodParams, Periods
from slackwater.disorder.prudence import Prudence
from slackwater.disorder.recall import RecallModel
from slackwater.disorder.slack import (
    FINEST,
    ROWS,
    Arrived,
    Bools,
    Chosen,
    Promise,
    Recent,
    SlackState,
)
from slackwater.query.contract import Method
from slackwater.stats.histogram import DelayHistogram
from slackwater.stats.panes import PaneCount, total
from slackwater.units import ceil_to

BUCKETS = 20  # a period is watched in so many parts
LONGEST = 160  # buckets that are remembered


@dataclass(frozen=True, slots=True)
class RecallSlackParams:
    """What is wanted of which join.

    Parameters
    ----------
    recall
        ``Γ``: least share of the results of a period.
    over
        ``P_meas``: length of a period, microseconds.
    windows
        How long rows of each input wait for partners, microseconds.
    granularity
        ``g``: the slack is a multiple of it.
    at_least, at_most
        Bounds of the slack, ``at_most`` may be ``None``.
    risk
        Share of the periods that may fall short.
    warmup
        Buckets that must be known before anything but the largest delay is used.
    half_life
        After so many buckets a period counts half.
    """

    recall: float
    over: int
    windows: tuple[int, ...]
    granularity: int
    method: Method = "calibrated"
    at_least: int = 0
    at_most: int | None = None
    risk: float = 0.05
    warmup: int = 10
    half_life: int = 40
    few: int = 0  # buckets are parts of periods: a few of them tell nothing
    prudence: Prudence = field(default_factory=Prudence)
    pd: feedback.PDParams = field(default_factory=lambda: feedback.PDParams(0.6, 0.8))

    @property
    def bucket(self) -> int:
        return max(self.granularity, self.over // BUCKETS)

    @property
    def conformal(self) -> ConformalParams:
        """How the planned risk follows what was measured, with ``method="conformal"``."""
        return ConformalParams(self.risk)

    @property
    def periods(self) -> PeriodParams:
        return PeriodParams(self.recall, self.over, self.windows)

    @property
    def holding(self) -> HoldingParams:
        """When delays are known well enough: the more is to be found, the rarer ones matter."""
        missed = max(1 - self.recall, FINEST)
        return HoldingParams(rows=math.ceil(ROWS / missed), tail=1 - missed / 10)


@dataclass(frozen=True, slots=True)
class RecallSeen:
    """One batch: the join's clock before and after, rows of each input, results computed.

    ``watermark`` is that before the batch, ``spoken`` the largest event time of any input so far
    (a clock beyond it moves by wall time). ``strays`` are rows of each input that were set aside.
    """

    before: int | None
    after: int | None
    counts: tuple[tuple[PaneCount, ...], ...]
    found: tuple[Found, ...] = ()
    watermark: int | None = None
    spoken: int | None = None
    strays: tuple[tuple[PaneCount, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class RecallSlackState(SlackState):
    """The slack under a recall contract.

    ``recall`` is that of the last period measured, ``watermark`` that after the batch. Rows from
    ``floor`` on find all their partners still.
    """

    recall: float | None = None
    watermark: int | None = None
    floor: int | None = None
    periods: Periods = field(default_factory=Periods)


@dataclass(frozen=True, slots=True)
class Judged:
    """Periods measured with a batch: start, results, results given in time.

    ``unseen`` periods, measured or not, may have missed results that nobody could count.
    """

    periods: tuple[Period, ...] = ()
    unseen: int = 0


def step(
    params: RecallSlackParams, state: RecallSlackState, seen: RecallSeen
) -> tuple[RecallSlackState, Judged]:
    """The slack after a batch, and the periods that are measured with it."""
    state, judged = _judge(params, _count(params, state, seen.found), seen)
    arrived = Arrived(seen.before, seen.after, seen.counts, _complete(params, state, seen), BUCKETS)
    state, recent = slack.observe(params, state, arrived)
    chosen = _choose(params, state, seen, recent, is_fresh=bool(judged.periods))
    ends = [end for end in (seen.after, seen.spoken) if end is not None]  # quiet is no hold
    state = slack.put_in_force(params, state, chosen, min(ends, default=None))
    return _advance(params, state, seen), judged


def _advance(
    params: RecallSlackParams, state: RecallSlackState, seen: RecallSeen
) -> RecallSlackState:
    """The watermark after the batch, and the floor behind it: neither ever moves back.

    Inputs that have been quiet for as long as a hold lasted have no stragglers that could be known.
    """
    is_quiet = seen.after is not None and seen.spoken is not None and seen.after > seen.spoken
    mark = seen.watermark
    if seen.after is not None and (is_quiet or not state.is_endless):
        mark = _later(mark, seen.after - state.slack)
    if mark is None or seen.after is None:
        return replace(state, watermark=mark)
    floor = min(mark, seen.after - slack.horizon(params, state))
    return replace(state, watermark=mark, floor=_later(state.floor, floor))


def _later(one: int | None, other: int) -> int:
    return other if one is None else max(one, other)


def last_periods(
    params: RecallSlackParams, state: RecallSlackState, found: Iterable[Found], clock: int | None
) -> Judged:
    """The stream has ended: all periods that were not measured yet, the last results counted in."""
    counted = periods.count(params.periods, state.periods, found)
    ends = [period[0] + params.over for period in counted.open]
    ends += [] if clock is None else [clock + params.over]  # the period of the clock is over, too
    _, done, unseen = periods.settle(params.periods, counted, max(ends, default=None))
    return Judged(done, unseen)


def _count(
    params: RecallSlackParams, state: RecallSlackState, found: tuple[Found, ...]
) -> RecallSlackState:
    """Results into their buckets and periods."""
    buckets = {end: dict(steps) for end, steps in state.curves.windows}
    for one in found:
        steps = buckets.setdefault(one.bucket + params.bucket, {})
        steps[one.step] = steps.get(one.step, 0) + one.results
    kept = sorted(buckets)[-LONGEST:]
    curves = Curves(tuple((end, tuple(sorted(buckets[end].items()))) for end in kept))
    counted = periods.count(params.periods, state.periods, found)
    return replace(state, curves=curves, periods=counted)


def _judge(
    params: RecallSlackParams, state: RecallSlackState, seen: RecallSeen
) -> tuple[RecallSlackState, Judged]:
    """Measure what the floor has passed; the margin follows what is broken, or may be."""
    known, done, passed = periods.settle(params.periods, state.periods, state.floor)
    lost = _lost(state, seen)
    known, unseen = periods.doubt(params.periods, known, lost)
    state = replace(state, periods=known)
    if params.method == "conformal":
        state = _conformed(params, state, seen, done, _rows(lost))
    margin = state.margin
    for period in done:
        short = float(params.periods.is_short(period))
        margin = params.prudence.after(margin, short, params.risk)
    if share := _rows(lost) / max(1, _rows(seen.counts)):  # one row of many breaks no period
        broken = min(1.0, share / max(1 - params.recall, FINEST))
        margin = params.prudence.after(margin, broken, params.risk)
    recall = done[-1][2] / done[-1][1] if done else state.recall
    state = replace(state, margin=margin, recall=recall)
    return state, Judged(done, passed + unseen)


def _conformed(
    params: RecallSlackParams,
    state: RecallSlackState,
    seen: RecallSeen,
    done: Sequence[Period],
    lost: int,
) -> RecallSlackState:
    """The share of the risk to plan with, by periods judged and those that have failed already."""
    risk, mark = params.risk, seen.watermark
    over = [p for p in state.periods.open if mark is not None and p[0] + params.over <= mark]
    pending = tuple(1.0 if params.periods.is_short(period) else risk for period in over)
    short = sum(params.periods.is_short(period) for period in done)
    broken = short + _unfound(params, seen, lost)
    came = Came(len(done), broken, pending, given=len(done))
    return replace(state, conformal=conformal.step(params.conformal, state.conformal, came))


def _unfound(params: RecallSlackParams, seen: RecallSeen, lost: int) -> float:
    """Periods that rows which cannot be counted may break: few of many rows break none."""
    if seen.before is None or seen.after is None or not lost:
        return 0.0
    share = lost / max(1, _rows(seen.counts)) / max(1 - params.recall, FINEST)
    return min(1.0, share) * min(1.0, (seen.after - seen.before) / params.over)


def _rows(inputs: Iterable[Iterable[PaneCount]]) -> int:
    return sum(total(counts) for counts in inputs)


def _lost(state: RecallSlackState, seen: RecallSeen) -> tuple[tuple[PaneCount, ...], ...]:
    """By input: rows whose results cannot be counted, for their partners are gone or they are."""
    floor = state.floor
    strays = seen.strays or ((),) * len(seen.counts)
    return tuple(
        (*(c for c in counts if floor is not None and c.low is not None and c.low < floor), *aside)
        for counts, aside in zip(seen.counts, strays, strict=True)
    )


def _complete(params: RecallSlackParams, state: RecallSlackState, seen: RecallSeen) -> int:
    """Periods since the hold began that have (nearly) all their rows; as many batches at most."""
    since = state.holding.since
    if since is None or seen.before is None:
        return 0
    passed = seen.before - slack.lag(params, state) - since
    return min(passed // params.over, state.holding.batches)


def _choose(
    params: RecallSlackParams,
    state: RecallSlackState,
    seen: RecallSeen,
    recent: Recent,
    *,
    is_fresh: bool,
) -> Chosen:
    curve = PeriodCurve.of(params, state, seen, recent, state.recall if is_fresh else None)
    chosen = slack.choose(params, state, curve)
    if chosen.phase not in ("calibrated", "conformal") or state.conformal.doublings > 0:
        return chosen
    largest = ceil_to(state.max_delay, params.granularity)  # no result ever needed more
    return replace(chosen, wanted=min(chosen.wanted, largest))


@dataclass(frozen=True, slots=True, eq=False)
class PeriodCurve:
    """Recall of recent periods under any slack; a period ends with each known bucket."""

    params: RecallSlackParams
    known: arrivals.Table
    recent: tuple[DelayHistogram, ...]
    measured: float | None
    closed: int
    mature: Bools

    @classmethod
    def of(
        cls,
        params: RecallSlackParams,
        state: RecallSlackState,
        seen: RecallSeen,
        recent: Recent,
        measured: float | None,
    ) -> PeriodCurve:
        known, now = arrivals.table(state.curves), seen.after or 0
        ripe = now - min(slack.lag(params, state), _ripening(params, recent))
        if known.ends.size >= LONGEST:  # what is not ripe by the middle of all that is remembered
            ripe = max(ripe, int(known.ends[LONGEST // 2]))
        closed = int((known.ends <= now).sum())
        return cls(params, known, recent, measured, closed, known.ends <= ripe)

    @property
    def setpoint(self) -> float:
        return self.params.recall

    def by_model(self) -> tuple[int, float]:
        model = RecallModel(self.params.windows, self.params.granularity)
        curve = model.curve([delays.dense() for delays in self.recent])
        found = model.first_enough(curve, self.params.recall)
        return found, float(curve[min(found // self.params.granularity, curve.size - 1)])

    def promises(self) -> Iterator[Promise]:
        places: Steps = (self.known.ends - self.known.ends[0]) // self.params.bucket
        inside = np.zeros((int(places[-1]) + 2, self.known.steps.size))
        inside[places + 1] = self.known.coverage * self.known.rows[:, None]
        inside = np.cumsum(inside, axis=0)
        found = inside[places + 1] - inside[np.maximum(0, places + 1 - BUCKETS)]
        recall = found / np.maximum(found[:, -1:], 1)
        kept = recall >= self.params.recall
        yield Promise(kept, self.known.steps, places[-1] - places, self.params.risk)


def _ripening(params: RecallSlackParams, recent: Sequence[DelayHistogram]) -> int:
    """The age at which so few rows of a bucket are still to come that its recall is known."""
    delays = reduce(DelayHistogram.merge, recent, DelayHistogram())
    allowed = max(1 - params.recall, FINEST) / 10 / len(params.windows)
    return delays.exceeded_by(allowed) * params.granularity
