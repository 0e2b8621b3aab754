"""Recall-driven slack for micro-batches: how long to wait so that a join finds enough results.

On micro-batches it is known for every result, once its last member has come, which slack would
have found it in time: a result needs the clock at the start of the batch that completed it, less
the instant up to which it could have waited. Counted by event time, this gives the recall that
*any* slack would have reached in every past period: no model, no assumption (as the arrival curves
of window aggregates do, ``disorder/arrivals.py``).

Once per batch: delays go into adaptive windows (ADWIN), one per input, and a change of any drops
the history before it; results go into their buckets; then

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
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

import numpy as np

from slackwater.disorder import arrivals, feedback
from slackwater.disorder.arrivals import Curves
from slackwater.disorder.prudence import Prudence
from slackwater.disorder.recall import RecallModel
from slackwater.stats.adwin import Adwin, AdwinParams, AdwinState
from slackwater.stats.histogram import DelayHistogram
from slackwater.stats.panes import PaneCount, largest_delay
from slackwater.units import ceil_to, floor_to

VERSION = 1
SETTLED = 0.999  # a period is measured once this share of all late rows would have come
ITEMS = 32  # a batch counts as so many items for ADWIN, whatever its size
BUCKETS = 20  # a period is watched in so many parts
LONGEST = 160  # buckets that are remembered

Method = Literal["calibrated", "model", "feedback"]
Phase = Literal["warm-up", "model", "calibrated", "feedback"]
Period = tuple[int, int, int]


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


@dataclass(frozen=True, slots=True)
class Found:
    """Results with event times from ``bucket`` on that needed a slack of ``step`` granules.

    ``given`` of them were given in time, the others came too late.
    """

    bucket: int
    step: int
    results: int
    given: int


@dataclass(frozen=True, slots=True)
class FindingSeen:
    """One batch: the join's clock before and after, rows of each input, results computed."""

    before: int | None
    after: int | None
    counts: tuple[tuple[PaneCount, ...], ...]
    found: tuple[Found, ...] = ()


@dataclass(frozen=True, slots=True)
class FindingState:
    """The slack in force (K), why, and everything the next step needs.

    ``periods`` are not measured yet: start, results, results given in time.
    """

    slack: int = 0
    phase: Phase = "warm-up"
    wanted: int = 0
    expected: float | None = None
    recall: float | None = None
    margin: float = 0.5
    max_delay: int = 0
    adwins: tuple[AdwinState, ...] = ()
    begun: tuple[int, ...] = ()
    late: DelayHistogram = field(default_factory=DelayHistogram)
    curves: Curves = field(default_factory=Curves)
    periods: tuple[Period, ...] = ()
    settled: int | None = None
    pd: feedback.PDState = field(default_factory=feedback.PDState)
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
            "pd": asdict(self.pd),
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> FindingState:
        return cls(
            **{
                **value,
                "adwins": tuple(AdwinState.from_json(adwin) for adwin in value["adwins"]),
                "begun": tuple(value["begun"]),
                "late": DelayHistogram.from_json(value["late"]),
                "curves": Curves.from_json(value["curves"]),
                "periods": tuple((p, n, g) for p, n, g in value["periods"]),
                "pd": feedback.PDState(**value["pd"]),
            }
        )


def step(
    params: FindingParams, state: FindingState, seen: FindingSeen
) -> tuple[FindingState, tuple[Period, ...]]:
    """The slack after a batch, and the periods that are measured with it."""
    state = _observe(params, _count(params, state, seen.found), seen)
    state, measured = settle(params, state, seen.after)
    for _, results, given in measured:
        short = float(given < params.recall * results)
        margin = params.prudence.after(state.margin, short, params.risk)
        state = replace(state, recall=given / results, margin=margin)
    wanted, state = _choose(params, state, seen, is_fresh=bool(measured))
    slack = max(params.at_least, wanted)
    if params.at_most is not None:
        slack = min(slack, params.at_most)
    return replace(state, slack=slack, wanted=max(params.at_least, wanted)), measured


def lag(params: FindingParams, state: FindingState) -> int:
    """How late rows may be and still count as known: nearly all are earlier."""
    return state.late.late_quantile(SETTLED) * params.granularity


def settle(
    params: FindingParams, state: FindingState, clock: int | None, *, ended: bool = False
) -> tuple[FindingState, tuple[Period, ...]]:
    """Take out the periods whose stragglers are in: start, results, results given in time."""
    if clock is None:
        return state, ()
    upto = clock - max(state.slack, lag(params, state))
    done = tuple(p for p in state.periods if ended or p[0] + params.over <= upto)
    left = tuple(p for p in state.periods if p not in done)
    settled = max([p[0] + params.over for p in done], default=state.settled)
    return replace(state, periods=left, settled=settled), done


def last_periods(
    params: FindingParams, state: FindingState, found: Iterable[Found], clock: int | None
) -> tuple[Period, ...]:
    """All periods that were not measured yet, with the last results counted in."""
    return settle(params, _count(params, state, found), clock, ended=True)[1]


def _count(params: FindingParams, state: FindingState, found: Iterable[Found]) -> FindingState:
    """Results into their buckets and periods; those of periods already measured are too late."""
    buckets = {end: dict(steps) for end, steps in state.curves.windows}
    periods = {start: (results, given) for start, results, given in state.periods}
    for one in found:
        steps = buckets.setdefault(one.bucket + params.bucket, {})
        steps[one.step] = steps.get(one.step, 0) + one.results
        start = floor_to(one.bucket, params.over)
        if state.settled is None or start >= state.settled:
            results, given = periods.get(start, (0, 0))
            periods[start] = (results + one.results, given + one.given)
    kept = sorted(buckets)[-LONGEST:]
    curves = Curves(tuple((end, tuple(sorted(buckets[end].items()))) for end in kept))
    flat = tuple((start, *periods[start]) for start in sorted(periods))
    return replace(state, curves=curves, periods=flat)


def _observe(params: FindingParams, state: FindingState, seen: FindingSeen) -> FindingState:
    """Delays of all inputs against the join's clock; a change drops what came before it."""
    placed = [tuple(c for c in counts if c.pane is not None) for counts in seen.counts]
    if not any(placed):
        return state
    before = state.adwins or (AdwinState(),) * len(placed)
    windows = [Adwin.start(AdwinParams(), adwin) for adwin in before]
    late = state.late
    for window, counts in zip(windows, placed, strict=True):
        delays = DelayHistogram.of_panes(counts, seen.before, params.granularity)
        if counts:
            window.update(delays.level, delays, items=ITEMS)
        late = late.merge(delays.only_late())
    begun = (*state.begun, seen.before if seen.before is not None else 0)
    begun = begun[-max(1, min(window.items for window in windows) // ITEMS) :]
    curves = state.curves
    if any(w.dropped > old.dropped for w, old in zip(windows, before, strict=True)):
        curves = arrivals.since(curves, begun[0], at_least=BUCKETS)
    largest = max(largest_delay(counts, seen.before) for counts in placed)
    return replace(
        state,
        max_delay=max(state.max_delay, largest),
        adwins=tuple(window.snapshot() for window in windows),
        begun=begun,
        late=late,
        curves=curves,
    )


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
    delays = [Adwin.start(AdwinParams(), adwin).get().dense() for adwin in state.adwins]
    curve = model.curve(delays)
    by_model = model.first_enough(curve, params.recall)
    expected = float(curve[min(by_model // params.granularity, curve.size - 1)])
    state = replace(state, expected=expected, phase="model")
    mature = known.ends <= (seen.after or 0) - lag(params, state)
    if params.method == "model" or int(mature.sum()) < params.warmup:
        return by_model, state
    steps = _calibrated(params, state, known, mature)
    wanted = math.ceil(steps * params.prudence.stretch(state.margin)) * params.granularity
    largest = ceil_to(state.max_delay, params.granularity)  # no result ever needed more
    return min(wanted, largest), replace(state, phase="calibrated")


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
