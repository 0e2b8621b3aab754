"""Recall-driven slack for micro-batches: how long to wait so that a join finds enough results.

On micro-batches it is known for every result, once its last member has come, which slack would
have found it in time: a result needs the clock at the start of the batch that completed it, less
the instant up to which it could have waited. Counted by event time, this gives the recall that
*any* slack would have reached in every past period: no model, no assumption (as the arrival curves
of window aggregates do, ``disorder/arrivals.py``).

Once per batch: delays go into adaptive windows (ADWIN), one per input, and a change of any drops
the history before it; results go into their buckets and periods (``disorder/periods.py``); then

* *holding*: no watermark at all until delays are known well enough (``disorder/holding.py``): at
  the start, after a silence, after a change for the worse. ``at_most`` bounds it. Immediate
  results come all the same, only nothing is let go of;
* *warm-up*: the largest delay so far (Max-K), until enough buckets are known;
* *model* (AM-adt, ``disorder/recall.py``): the smallest slack with enough expected recall;
* *calibrated*: the smallest slack under which nearly all recent periods would have had their
  recall; periods still incomplete count as soon as they have failed;
* *feedback* (PD-adt): by the recall of the last period that was measured.

Reference: Ji 2018, ch. 4; the calibrated choice goes beyond the source work, which estimates the
results of late tuples because it never computes them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import reduce
from typing import Any, Literal

import numpy as np

from slackwater.disorder import arrivals, feedback, holding, periods
from slackwater.disorder.arrivals import Curves
from slackwater.disorder.holding import Glimpse, HoldingParams, HoldingState
from slackwater.disorder.periods import Found, Period, PeriodParams, Periods
from slackwater.disorder.prudence import Prudence
from slackwater.disorder.recall import RecallModel
from slackwater.errors import check_version
from slackwater.stats.adwin import Adwin, AdwinParams, AdwinState
from slackwater.stats.histogram import DelayHistogram
from slackwater.stats.panes import PaneCount, largest_delay, total
from slackwater.units import ceil_to

VERSION = 2
SETTLED = 0.999  # of late rows: a bucket is known once this share would have come
MARGIN = 1.25  # a period is measured once the largest delay so far has passed, with a margin
FURTHEST = 8  # but not later than so many times the delay of nearly all late rows
ROWS = 12  # divided by the share that may be missed: rows that show delays which matter
FINEST = 1e-6  # of the share that may be missed, where it says how many rows must be seen
ITEMS = 32  # a batch counts as so many items for ADWIN, whatever its size
BUCKETS = 20  # a period is watched in so many parts
LONGEST = 160  # buckets that are remembered

Method = Literal["calibrated", "model", "feedback"]
Phase = Literal["holding", "warm-up", "model", "calibrated", "feedback"]


@dataclass(frozen=True, slots=True)
class FindingParams:
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
    prudence: Prudence = field(default_factory=Prudence)
    pd: feedback.PDParams = field(default_factory=lambda: feedback.PDParams(0.6, 0.8))

    @property
    def bucket(self) -> int:
        return max(self.granularity, self.over // BUCKETS)

    @property
    def periods(self) -> PeriodParams:
        return PeriodParams(self.recall, self.over, self.windows)

    @property
    def holding(self) -> HoldingParams:
        """When delays are known well enough: the more is to be found, the rarer ones matter."""
        missed = max(1 - self.recall, FINEST)
        return HoldingParams(rows=math.ceil(ROWS / missed), tail=1 - missed / 10)


@dataclass(frozen=True, slots=True)
class FindingSeen:
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
class FindingState:
    """The slack in force (K), why, and everything the next step needs.

    ``is_endless``: the watermark stays where it is; the slack tells how long that is so far.
    ``watermark`` is that after the batch. Rows from ``floor`` on find all their partners still.
    """

    slack: int = 0
    phase: Phase = "holding"
    is_endless: bool = True
    wanted: int = 0
    expected: float | None = None
    recall: float | None = None
    margin: float = 0.5
    max_delay: int = 0
    watermark: int | None = None
    floor: int | None = None
    adwins: tuple[AdwinState, ...] = ()
    begun: tuple[int, ...] = ()
    late: DelayHistogram = field(default_factory=DelayHistogram)
    curves: Curves = field(default_factory=Curves)
    periods: Periods = field(default_factory=Periods)
    pd: feedback.PDState = field(default_factory=feedback.PDState)
    holding: HoldingState = field(default_factory=HoldingState)
    version: int = VERSION

    @property
    def is_capped(self) -> bool:
        """Whether the recall would need more slack than is allowed."""
        return self.wanted > self.slack

    def to_json(self) -> dict[str, Any]:
        plain = {name: getattr(self, name) for name in self.__slots__}
        return plain | {
            "adwins": [adwin.to_json() for adwin in self.adwins],
            "late": self.late.counts,
            "curves": self.curves.to_json(),
            "periods": self.periods.to_json(),
            "pd": asdict(self.pd),
            "holding": self.holding.to_json(),
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> FindingState:
        check_version("finding", cls(version=value["version"]), VERSION)
        return cls(
            **{
                **value,
                "adwins": tuple(AdwinState.from_json(adwin) for adwin in value["adwins"]),
                "begun": tuple(value["begun"]),
                "late": DelayHistogram.from_json(value["late"]),
                "curves": Curves.from_json(value["curves"]),
                "periods": Periods.from_json(value["periods"]),
                "pd": feedback.PDState(**value["pd"]),
                "holding": HoldingState.from_json(value["holding"]),
            }
        )


@dataclass(frozen=True, slots=True)
class Judged:
    """Periods measured with a batch: start, results, results given in time.

    ``unseen`` periods, measured or not, may have missed results that nobody could count.
    """

    periods: tuple[Period, ...] = ()
    unseen: int = 0


def step(
    params: FindingParams, state: FindingState, seen: FindingSeen
) -> tuple[FindingState, Judged]:
    """The slack after a batch, and the periods that are measured with it."""
    state, judged = _judge(params, _count(params, state, seen.found), seen)
    state = _observe(params, state, seen)
    wanted, state = _choose(params, state, seen, is_fresh=bool(judged.periods))
    is_held = not state.holding.is_known
    if is_held:
        state, wanted = replace(state, phase="holding"), _held(state, seen)
    slack = wanted = max(params.at_least, wanted)
    if params.at_most is not None:
        slack = params.at_most if is_held else min(slack, params.at_most)
    is_endless = is_held and params.at_most is None
    state = replace(state, slack=slack, wanted=wanted, is_endless=is_endless)
    return _advance(params, state, seen), judged


def _held(state: FindingState, seen: FindingSeen) -> int:
    """How long the oldest rows of the hold have waited so far, without the time of quiet."""
    since = state.holding.since
    ends = [end for end in (seen.after, seen.spoken) if end is not None]
    return 0 if since is None or not ends else max(0, min(ends) - since)


def _advance(params: FindingParams, state: FindingState, seen: FindingSeen) -> FindingState:
    """The watermark after the batch, and the floor behind it: neither ever moves back.

    Inputs that have been quiet for as long as a hold lasted have no stragglers that could be known.
    """
    is_quiet = seen.after is not None and seen.spoken is not None and seen.after > seen.spoken
    mark = seen.watermark
    if seen.after is not None and (is_quiet or not state.is_endless):
        mark = _later(mark, seen.after - state.slack)
    if mark is None or seen.after is None:
        return replace(state, watermark=mark)
    floor = min(mark, seen.after - horizon(params, state))
    return replace(state, watermark=mark, floor=_later(state.floor, floor))


def _later(one: int | None, other: int) -> int:
    return other if one is None else max(one, other)


def lag(params: FindingParams, state: FindingState) -> int:
    """How late rows may be and still count as known: nearly all are earlier."""
    return state.late.late_quantile(SETTLED) * params.granularity


def horizon(params: FindingParams, state: FindingState) -> int:
    """For how long rows are kept, so that what was missed is counted; the rest is in doubt."""
    return math.ceil(MARGIN * min(state.max_delay, FURTHEST * lag(params, state)))


def last_periods(
    params: FindingParams, state: FindingState, found: Iterable[Found], clock: int | None
) -> Judged:
    """The stream has ended: all periods that were not measured yet, the last results counted in."""
    counted = periods.count(params.periods, state.periods, found)
    ends = [period[0] + params.over for period in counted.open]
    ends += [] if clock is None else [clock + params.over]  # the period of the clock is over, too
    _, done, unseen = periods.settle(params.periods, counted, max(ends, default=None))
    return Judged(done, unseen)


def _count(params: FindingParams, state: FindingState, found: tuple[Found, ...]) -> FindingState:
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
    params: FindingParams, state: FindingState, seen: FindingSeen
) -> tuple[FindingState, Judged]:
    """Measure what the floor has passed; the margin follows what is broken, or may be."""
    known, done, passed = periods.settle(params.periods, state.periods, state.floor)
    lost = _lost(state, seen)
    known, unseen = periods.doubt(params.periods, known, lost)
    margin = state.margin
    for period in done:
        short = float(params.periods.is_short(period))
        margin = params.prudence.after(margin, short, params.risk)
    if share := _rows(lost) / max(1, _rows(seen.counts)):  # one row of many breaks no period
        broken = min(1.0, share / max(1 - params.recall, FINEST))
        margin = params.prudence.after(margin, broken, params.risk)
    recall = done[-1][2] / done[-1][1] if done else state.recall
    state = replace(state, periods=known, margin=margin, recall=recall)
    return state, Judged(done, passed + unseen)


def _rows(inputs: Iterable[Iterable[PaneCount]]) -> int:
    return sum(total(counts) for counts in inputs)


def _lost(state: FindingState, seen: FindingSeen) -> tuple[tuple[PaneCount, ...], ...]:
    """By input: rows whose results cannot be counted, for their partners are gone or they are."""
    floor = state.floor
    strays = seen.strays or ((),) * len(seen.counts)
    return tuple(
        (*(c for c in counts if floor is not None and c.low is not None and c.low < floor), *aside)
        for counts, aside in zip(seen.counts, strays, strict=True)
    )


def _observe(params: FindingParams, state: FindingState, seen: FindingSeen) -> FindingState:
    """Delays of all inputs against the join's clock; a change drops what came before it."""
    placed = [
        tuple(c for c in counts if c.pane is not None and c.low is not None)
        for counts in seen.counts
    ]
    if not any(placed):
        return state
    before = state.adwins or (AdwinState(),) * len(placed)
    windows = [Adwin.start(AdwinParams(), adwin) for adwin in before]
    levels, delays = [window.mean for window in windows], DelayHistogram()
    for window, counts in zip(windows, placed, strict=True):
        mine = DelayHistogram.of_panes(counts, seen.before, params.granularity)
        if counts:
            window.update(mine.level, mine, items=ITEMS)
        delays = delays.merge(mine)
    begun = (*state.begun, seen.before if seen.before is not None else 0)
    begun = begun[-max(1, min(window.items for window in windows) // ITEMS) :]
    curves = state.curves
    dropped = [w.dropped > old.dropped for w, old in zip(windows, before, strict=True)]
    if any(dropped):
        curves = arrivals.since(curves, begun[0], at_least=BUCKETS)
    moved = zip(windows, dropped, levels, strict=True)
    grown = [window for window, is_new, level in moved if is_new and window.mean > level]
    anew = reduce(DelayHistogram.merge, (w.get() for w in grown), DelayHistogram())
    glimpse = Glimpse(
        before=seen.before,
        after=seen.after,
        low=min(c.low for counts in placed for c in counts if c.low is not None),
        delays=delays,
        granularity=params.granularity,
        windows=_complete_periods(params, state, seen),
        changed=begun[0] if grown else None,
        anew=anew,
    )
    largest = max(largest_delay(counts, seen.before) for counts in placed)
    return replace(
        state,
        max_delay=max(state.max_delay, largest),
        adwins=tuple(window.snapshot() for window in windows),
        begun=begun,
        late=state.late.merge(delays.only_late()),
        curves=curves,
        holding=holding.update(params.holding, state.holding, glimpse),
    )


def _complete_periods(params: FindingParams, state: FindingState, seen: FindingSeen) -> int:
    """Periods since the hold began that have (nearly) all their rows; as many batches at most."""
    since = state.holding.since
    if since is None or seen.before is None:
        return 0
    passed = seen.before - lag(params, state) - since
    return min(passed // params.over, state.holding.batches)


def _choose(
    params: FindingParams, state: FindingState, seen: FindingSeen, *, is_fresh: bool
) -> tuple[int, FindingState]:
    known = arrivals.table(state.curves)
    closed = int((known.ends <= (seen.after or 0)).sum()) if known.ends.size else 0
    if closed < params.warmup:
        wanted = ceil_to(state.max_delay, params.granularity)
        return wanted, replace(state, phase="warm-up")
    if params.method == "feedback":
        return _by_feedback(params, state, is_fresh=is_fresh)
    model = RecallModel(params.windows, params.granularity)
    recent = [Adwin.start(AdwinParams(), adwin).get() for adwin in state.adwins]
    curve = model.curve([delays.dense() for delays in recent])
    by_model = model.first_enough(curve, params.recall)
    expected = float(curve[min(by_model // params.granularity, curve.size - 1)])
    state = replace(state, expected=expected, phase="model")
    ripe = (seen.after or 0) - min(lag(params, state), _ripening(params, recent))
    if known.ends.size >= LONGEST:  # what is not ripe by the middle of all that is remembered
        ripe = max(ripe, int(known.ends[LONGEST // 2]))
    mature = known.ends <= ripe
    if params.method == "model" or int(mature.sum()) < params.warmup:
        return by_model, state
    steps = _calibrated(params, state, known, mature)
    wanted = math.ceil(steps * params.prudence.stretch(state.margin)) * params.granularity
    largest = ceil_to(state.max_delay, params.granularity)  # no result ever needed more
    return min(wanted, largest), replace(state, phase="calibrated")


def _ripening(params: FindingParams, recent: Sequence[DelayHistogram]) -> int:
    """The age at which so few rows of a bucket are still to come that its recall is known."""
    delays = reduce(DelayHistogram.merge, recent, DelayHistogram())
    allowed = max(1 - params.recall, FINEST) / 10 / len(params.windows) * delays.rows
    still = 0
    for step_late, rows in reversed(delays.counts):
        still += rows
        if still > allowed:
            return step_late * params.granularity
    return 0


def _by_feedback(
    params: FindingParams, state: FindingState, *, is_fresh: bool
) -> tuple[int, FindingState]:
    if state.recall is None or not is_fresh:
        return state.slack, replace(state, phase="feedback")
    pd = feedback.step(params.pd, state.pd, params.recall, state.recall)
    wanted = ceil_to(feedback.slack_of(pd, state.max_delay), params.granularity)
    return wanted, replace(state, pd=pd, phase="feedback")


def _calibrated(
    params: FindingParams,
    state: FindingState,
    known: arrivals.Table,
    mature: np.ndarray[Any, np.dtype[np.bool_]],
) -> int:
    """The smallest step under which enough of the recent periods would have had their recall."""
    first = int(known.ends[0])
    places = (known.ends - first) // params.bucket
    size = int(places[-1]) + 1
    inside = np.zeros((size + 1, known.steps.size))
    inside[places + 1] = known.coverage * known.rows[:, None]
    inside = np.cumsum(inside, axis=0)
    starts = np.maximum(0, places + 1 - BUCKETS)  # a period ends with each known bucket
    found = inside[places + 1] - inside[starts]
    recall = found / np.maximum(found[:, -1:], 1)
    kept = recall >= params.recall
    counted = mature[:, None] | ~kept  # an unfinished period counts once it has failed
    age = (places[-1] - places)[:, None] / params.half_life
    weights = counted * 0.5**age
    share = (weights * kept).sum(0) / np.maximum(weights.sum(0), 1e-9)
    enough = np.flatnonzero(share >= 1 - params.risk * params.prudence.planned(state.margin))
    return int(known.steps[enough[0]]) if enough.size else int(known.steps[-1])
